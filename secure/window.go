package secure

// windowSpan is how many numbers up to the highest can still be told apart (PROTOCOL.md 20): as many as the packet wire looks at, since
// it would drop an older one anyway.
const windowSpan = 1024

// window remembers which packet numbers were opened: the highest, and which of the 1023 below it (RFC 6479).
type window struct {
	highest int64 // -1 if none
	bits    [windowSpan / 64]uint64
}

// has reports whether a number was opened before, or is too old to tell.
func (w *window) has(number int64) bool {
	switch {
	case number > w.highest:
		return false
	case w.passed(number):
		return true
	}
	word, mask := w.bit(number)
	return *word&mask != 0
}

// passed reports whether a number is behind the window.
func (w *window) passed(number int64) bool { return number <= w.highest-windowSpan }

// add notes a number that has is false for.
func (w *window) add(number int64) {
	for n := max(w.highest+1, number-windowSpan+1); n < number; n++ {
		word, mask := w.bit(n)
		*word &^= mask
	}
	w.highest = max(w.highest, number)
	word, mask := w.bit(number)
	*word |= mask
}

func (w *window) bit(number int64) (word *uint64, mask uint64) {
	i := uint64(number) % windowSpan
	return &w.bits[i/64], 1 << (i % 64)
}

const (
	numberBits = 30 // of a packet number on the wire
	numberMask = 1<<numberBits - 1
	maxNumber  = 1<<62 - 1
)

// expand is the number nearest to expected that has the given low bits. It may be negative or too large, which nothing that was sealed is.
func expand(low uint32, expected int64) int64 {
	const turn = 1 << numberBits
	n := expected&^numberMask | int64(low)&numberMask
	switch {
	case n-expected > turn/2:
		return n - turn
	case expected-n > turn/2:
		return n + turn
	}
	return n
}
