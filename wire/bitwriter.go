package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// CountBits returns the number of significant bits of v: 0 for 0, 1 for 1, 8 for 150. A count of 0 to v, or an index into v + 1 values, takes as many.
func CountBits(v uint32) int { return bits.Len32(v) }

// BitWriter appends values to a byte slice without regard to byte borders, the lowest bit of each value first: bit i of the stream is bit i mod 8 of
// byte i div 8. The first value that cannot be written makes it fail: from then on nothing is written, and Err tells why. It allocates only where the slice
// has no room: at least 256 bytes, and more and more from then on.
//
// The zero BitWriter has no slice yet.
type BitWriter struct {
	b       []byte // whole bytes
	pending uint64 // the bits behind them, the first in bit 0, zeros above
	used    uint   // how many bits are pending: fewer than 32 between two calls
	base    int    // where this BitWriter began in b
	clamped int
	err     error
}

// NewBitWriter returns a BitWriter that appends to b.
func NewBitWriter(b []byte) BitWriter { return BitWriter{b: b, base: len(b)} }

// Bits writes the low n bits of v, 0 to 32; those above are not looked at.
func (w *BitWriter) Bits(v uint32, n int) {
	if w.may(n, 0) {
		w.put(uint64(v)&mask(n), n)
	}
}

// Bool writes 1 bit.
func (w *BitWriter) Bool(v bool) {
	if w.err == nil {
		w.put(uint64(bit(v)), 1)
	}
}

// Uint8 writes 8 bits.
func (w *BitWriter) Uint8(v uint8) {
	if w.err == nil {
		w.put(uint64(v), 8)
	}
}

// Uint16 writes 16 bits.
func (w *BitWriter) Uint16(v uint16) {
	if w.err == nil {
		w.put(uint64(v), 16)
	}
}

// Uint32 writes 32 bits.
func (w *BitWriter) Uint32(v uint32) {
	if w.err == nil {
		w.put(uint64(v), 32)
	}
}

// Uint64 writes the high 32 bits, then the low 32.
func (w *BitWriter) Uint64(v uint64) {
	if w.err == nil {
		w.put(v>>32, 32)
		w.put(v&math.MaxUint32, 32)
	}
}

// Int8 writes 8 bits, two's complement.
func (w *BitWriter) Int8(v int8) { w.Uint8(uint8(v)) }

// Int16 writes 16 bits, two's complement.
func (w *BitWriter) Int16(v int16) { w.Uint16(uint16(v)) }

// Int32 writes 32 bits, two's complement.
func (w *BitWriter) Int32(v int32) { w.Uint32(uint32(v)) }

// Int64 writes the high 32 bits, then the low 32, two's complement.
func (w *BitWriter) Int64(v int64) { w.Uint64(uint64(v)) }

// Float32 writes the 32 bits of a finite number. NaN and infinities fail with ErrNotFinite.
func (w *BitWriter) Float32(v float32) {
	b := math.Float32bits(v)
	if !finite32(b) {
		w.Fail(ErrNotFinite)
	}
	w.Uint32(b)
}

// Float64 writes the 64 bits of a finite number, the high 32 first. NaN and infinities fail with ErrNotFinite.
func (w *BitWriter) Float64(v float64) {
	if w.finite(v) {
		w.Uint64(math.Float64bits(v))
	}
}

// Uint writes v in n bits, 1 to 32. A value that they cannot hold fails with ErrRange.
func (w *BitWriter) Uint(v uint32, n int) {
	if !w.may(n, 1) {
		return
	}
	if uint64(v) > mask(n) {
		w.Fail(ErrRange)
		return
	}
	w.put(uint64(v), n)
}

// Int writes v plus 2^(n-1) in n bits, 1 to 32. A value outside [-2^(n-1), 2^(n-1)) fails with ErrRange.
func (w *BitWriter) Int(v int32, n int) {
	if !w.may(n, 1) {
		return
	}
	biased := uint64(int64(v) + 1<<(n-1))
	if biased > mask(n) {
		w.Fail(ErrRange)
		return
	}
	w.put(biased, n)
}

// RGB writes 8 bits for each part of a colour.
func (w *BitWriter) RGB(r, g, b uint8) {
	if w.err == nil {
		w.put(uint64(r)|uint64(g)<<8|uint64(b)<<16, 24)
	}
}

// RGBA writes 8 bits for each part of a colour.
func (w *BitWriter) RGBA(r, g, b, a uint8) {
	w.Uint32(uint32(r) | uint32(g)<<8 | uint32(b)<<16 | uint32(a)<<24)
}

// GUID writes 16 bytes as two 64-bit integers that lie in them little-endian.
func (w *BitWriter) GUID(v [16]byte) {
	w.Uint64(binary.LittleEndian.Uint64(v[:8]))
	w.Uint64(binary.LittleEndian.Uint64(v[8:]))
}

// Enum writes which of count values it is, index counting from 0, in the bits of count - 1. One that is not among them fails with ErrEnum.
func (w *BitWriter) Enum(index, count int) {
	if index < 0 || index >= count {
		w.Fail(ErrEnum)
		return
	}
	w.Bits(uint32(index), bits.Len(uint(count-1)))
}

// Count writes how many items follow, in the bits of max. More than max fail with ErrLimit.
func (w *BitWriter) Count(n, max int) {
	if n < 0 || n > max {
		w.Fail(ErrLimit)
		return
	}
	w.Bits(uint32(n), bits.Len(uint(max)))
}

// Text writes a string of at most max bytes: a bit that says whether it is empty, and if not, its length less 1 in lenBits bits, 1 to 16, and its bytes
// from the next byte border on. One longer than max, or than its length can say, fails with ErrLimit, one that is not UTF-8 with ErrText.
func (w *BitWriter) Text(s string, max, lenBits int) {
	switch {
	case lenBits < 1 || lenBits > maxLenBits:
		w.Fail(ErrWidth)
	case len(s) > max || len(s) > 1<<lenBits:
		w.Fail(ErrLimit)
	case !utf8.ValidString(s):
		w.Fail(ErrText)
	case w.err != nil:
	case s == "":
		w.put(1, 1)
	default:
		w.put(uint64(len(s)-1)<<1, lenBits+1)
		w.border(len(s))
		w.b = append(w.b, s...)
	}
}

// maxLenBits is the widest length of a string.
const maxLenBits = 16

// Blob writes how many bytes b has, in the bits of max, and, if it is not empty, b from the next byte border on. More than max fail with ErrLimit.
func (w *BitWriter) Blob(b []byte, max int) {
	w.Count(len(b), max)
	w.Raw(b)
}

// Raw writes b from the next byte border on, without its length. An empty b writes nothing.
func (w *BitWriter) Raw(b []byte) {
	if w.err == nil && len(b) > 0 {
		w.border(len(b))
		w.b = append(w.b, b...)
	}
}

// Align writes zero bits up to the next byte border, none if it is at one.
func (w *BitWriter) Align() {
	if w.err == nil {
		w.put(0, int(-w.used&7))
	}
}

// Reset takes back all that this BitWriter wrote, and its error, and keeps the memory. Clamped begins at 0 again.
func (w *BitWriter) Reset() { *w = BitWriter{b: w.b[:w.base], base: w.base} }

// Bytes returns the slice given to NewBitWriter with all that was written appended, and zero bits up to the last byte border. It is valid until the next
// write, which goes on at the bit where the last one ended.
func (w *BitWriter) Bytes() []byte {
	whole := w.appendPending(0)
	w.b = whole[:len(w.b)]
	return whole
}

// Len returns how many bytes this BitWriter wrote, a last one in part included.
func (w *BitWriter) Len() int { return (w.Offset() + 7) / 8 }

// Offset returns how many bits this BitWriter wrote. A failed one wrote what was before the value that it failed at.
func (w *BitWriter) Offset() int { return 8*(len(w.b)-w.base) + int(w.used) }

// Clamped returns how many values were changed to one that their kind can hold.
func (w *BitWriter) Clamped() int { return w.clamped }

// Fail makes the BitWriter fail with err, as a value that only the caller can judge does. It keeps the error that it has, if there is one; a nil err
// changes nothing.
func (w *BitWriter) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Err returns why the BitWriter failed, nil if it did not.
func (w *BitWriter) Err() error { return w.err }

// may reports whether a value of n bits can be written, which are from low to 32.
func (w *BitWriter) may(n, low int) bool {
	if n < low || n > 32 {
		w.Fail(ErrWidth)
	}
	return w.err == nil
}

// finite reports whether v can be written because it is finite, and nothing failed before.
func (w *BitWriter) finite(v float64) bool {
	if !finite64(math.Float64bits(v)) {
		w.Fail(ErrNotFinite)
	}
	return w.err == nil
}

// put writes v, which has no more than n bits, at most 32.
func (w *BitWriter) put(v uint64, n int) {
	w.pending |= v << (w.used & 63)
	w.used += uint(n)
	if w.used >= 32 {
		w.flush()
	}
}

// flush moves 32 bits of those that are pending to the bytes.
func (w *BitWriter) flush() {
	w.grow(4)
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(w.pending))
	w.pending >>= 32
	w.used -= 32
}

// border writes zero bits up to the next byte border, leaves nothing pending, and makes room for n bytes.
func (w *BitWriter) border(n int) {
	w.b = w.appendPending(n)
	w.pending, w.used = 0, 0
}

// appendPending returns the bytes with those that are pending, the last of them filled with zeros, and with room for n more.
func (w *BitWriter) appendPending(n int) []byte {
	w.grow(int(w.used+7)/8 + n)
	b := w.b
	for i := uint(0); i < w.used; i += 8 {
		b = append(b, byte(w.pending>>i))
	}
	return b
}

// grow makes room for n bytes.
func (w *BitWriter) grow(n int) {
	if n > cap(w.b)-len(w.b) {
		w.b = slices.Grow(w.b, max(n, firstRoom))
	}
}

// mask has n bits set, at most 63.
func mask(n int) uint64 { return 1<<(n&63) - 1 }
