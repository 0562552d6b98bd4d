package wire

import (
	"encoding/binary"
	"math/rand/v2"
)

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

// long appends the high half of v, then the low one.
func (m *modelWriter) long(v uint64) {
	m.bits(v>>32, 32)
	m.bits(v&0xFFFFFFFF, 32)
}

// raw appends whole bytes, aligned if there are any.
func (m *modelWriter) raw(b []byte) {
	if len(b) == 0 {
		return
	}
	m.align()
	for _, c := range b {
		m.bits(uint64(c), 8)
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

// newRandom returns a source of random numbers that is the same for the same seed.
func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// randomBits returns 24 random bytes, in some of which many bits are equal, as in values near a border.
func randomBits(rng *rand.Rand) []byte {
	b := make([]byte, 24)
	kind := rng.Uint64() % 4
	for i := 0; i < len(b); i += 8 {
		v := rng.Uint64()
		switch kind {
		case 0:
			v &= rng.Uint64() & rng.Uint64()
		case 1:
			v |= rng.Uint64() | rng.Uint64()
		}
		binary.LittleEndian.PutUint64(b[i:], v)
	}
	return b
}
