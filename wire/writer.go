package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"
)

// firstRoom is how many bytes a writer that has no room takes at first.
const firstRoom = 256

// Writer appends values to a byte slice. The first value that cannot be written makes it fail: from then on nothing is written, and Err tells why. It
// allocates only where the slice has no room: at least 256 bytes, and more and more from then on.
//
// The zero Writer has no slice yet.
type Writer struct {
	b    []byte
	base int // where this Writer began
	err  error
}

// NewWriter returns a Writer that appends to b.
func NewWriter(b []byte) Writer { return Writer{b: b, base: len(b)} }

// Bool writes one byte, 0 or 1.
func (w *Writer) Bool(v bool) { w.Uint8(bit(v)) }

// Uint8 writes one byte.
func (w *Writer) Uint8(v uint8) {
	if w.room(1) {
		w.b = append(w.b, v)
	}
}

// Uint16 writes 2 bytes.
func (w *Writer) Uint16(v uint16) {
	if w.room(2) {
		w.b = binary.LittleEndian.AppendUint16(w.b, v)
	}
}

// Uint32 writes 4 bytes.
func (w *Writer) Uint32(v uint32) {
	if w.room(4) {
		w.b = binary.LittleEndian.AppendUint32(w.b, v)
	}
}

// Uint64 writes 8 bytes.
func (w *Writer) Uint64(v uint64) {
	if w.room(8) {
		w.b = binary.LittleEndian.AppendUint64(w.b, v)
	}
}

// Int8 writes one byte, two's complement.
func (w *Writer) Int8(v int8) { w.Uint8(uint8(v)) }

// Int16 writes 2 bytes, two's complement.
func (w *Writer) Int16(v int16) { w.Uint16(uint16(v)) }

// Int32 writes 4 bytes, two's complement.
func (w *Writer) Int32(v int32) { w.Uint32(uint32(v)) }

// Int64 writes 8 bytes, two's complement.
func (w *Writer) Int64(v int64) { w.Uint64(uint64(v)) }

// Float32 writes the 4 bytes of a finite number. NaN and infinities fail with ErrNotFinite.
func (w *Writer) Float32(v float32) {
	bits := math.Float32bits(v)
	if !finite32(bits) {
		w.Fail(ErrNotFinite)
	}
	w.Uint32(bits)
}

// Float64 writes the 8 bytes of a finite number. NaN and infinities fail with ErrNotFinite.
func (w *Writer) Float64(v float64) {
	bits := math.Float64bits(v)
	if !finite64(bits) {
		w.Fail(ErrNotFinite)
	}
	w.Uint64(bits)
}

// Text writes a string of at most max bytes, after its length in 2. A longer one fails with ErrLimit, or ErrTooLong if no max could allow it; one
// that is not UTF-8 with ErrText.
func (w *Writer) Text(s string, max int) {
	if w.length(len(s), max) && !utf8.ValidString(s) {
		w.Fail(ErrText)
	}
	if w.room(2 + len(s)) {
		w.b = append(binary.LittleEndian.AppendUint16(w.b, uint16(len(s))), s...)
	}
}

// Blob writes at most max bytes, after their number in 2. More fail with ErrLimit, or ErrTooLong if no max could allow it.
func (w *Writer) Blob(b []byte, max int) {
	w.length(len(b), max)
	if w.room(2 + len(b)) {
		w.b = append(binary.LittleEndian.AppendUint16(w.b, uint16(len(b))), b...)
	}
}

// length checks a length against its limit and the range of a uint16.
func (w *Writer) length(n, max int) bool {
	if n > MaxString {
		w.Fail(ErrTooLong)
	}
	if n > max {
		w.Fail(ErrLimit)
	}
	return w.err == nil
}

// Count writes how many items follow: one byte if max is at most 255, else two. More than max, or than 65,535, fail with ErrLimit.
func (w *Writer) Count(n, max int) {
	switch {
	case n < 0 || n > max || n > math.MaxUint16:
		w.Fail(ErrLimit)
	case max <= math.MaxUint8:
		w.Uint8(uint8(n))
	default:
		w.Uint16(uint16(n))
	}
}

// Raw writes b as it is, without its length.
func (w *Writer) Raw(b []byte) {
	if w.room(len(b)) {
		w.b = append(w.b, b...)
	}
}

// Reset takes back all that this Writer wrote, and its error, and keeps the memory.
func (w *Writer) Reset() { w.b, w.err = w.b[:w.base], nil }

// Bytes returns the slice given to NewWriter with all that was written appended. It is valid until the next write.
func (w *Writer) Bytes() []byte { return w.b }

// Len returns how many bytes this Writer wrote. A failed Writer wrote what was before the value that it failed at.
func (w *Writer) Len() int { return len(w.b) - w.base }

// Fail makes the Writer fail with err, as a value that only the caller can judge does. It keeps the error that it has, if there is one; a nil err
// changes nothing.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Err returns why the Writer failed, nil if it did not.
func (w *Writer) Err() error { return w.err }

// room reports whether n bytes can be appended, and makes room for them. Only a Writer that failed has none.
func (w *Writer) room(n int) bool { return w.err == nil && (n <= cap(w.b)-len(w.b) || w.grow(n)) }

// grow makes room for n bytes.
func (w *Writer) grow(n int) bool {
	w.b = slices.Grow(w.b, max(n, firstRoom))
	return true
}

// bit returns 1 for true and 0 for false.
func bit(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}
