package wire

// modelWriter is a bit stream as MESSAGES.md 1.2 says it in one sentence: bit i is bit i mod 8 of byte i div 8.
type modelWriter struct {
	b []byte
	n int // bits
}

// bits appends the low width bits of v, the lowest first.
func (m *modelWriter) bits(v uint64, width int) {
	for i := range width {
		if m.n%8 == 0 {
			m.b = append(m.b, 0)
		}
		m.b[len(m.b)-1] |= byte(v>>i&1) << (m.n % 8)
		m.n++
	}
}

// align appends zero bits up to the next byte.
func (m *modelWriter) align() {
	for m.n%8 != 0 {
		m.bits(0, 1)
	}
}

// modelReader reads what a modelWriter wrote. It panics at the end.
type modelReader struct {
	b []byte
	n int // bits
}

// bits reads width bits.
func (m *modelReader) bits(width int) (v uint64) {
	for i := range width {
		v |= uint64(m.b[m.n/8]>>(m.n%8)&1) << i
		m.n++
	}
	return v
}
