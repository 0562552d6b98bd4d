package wire

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// Reader reads values from the front of a byte slice. The first value that is not there in full, or is no encoding of a value, makes it fail: from
// then on every read gives 0 or nil, nothing is left, and Err tells why. It never allocates.
//
// The zero Reader is one over no bytes.
type Reader struct {
	source []byte
	off    int
	end    int // len(source), or -1 if the Reader failed: less than any offset, so that even nothing cannot be read
	err    error
}

// NewReader returns a Reader over b, which it neither copies nor changes.
func NewReader(b []byte) Reader { return Reader{source: b, end: len(b)} }

// Bool reads one byte, 0 or 1. Any other fails with ErrBool.
func (r *Reader) Bool() bool {
	p := r.take(1)
	if p == nil {
		return false
	}
	if p[0] > 1 {
		r.failAt(r.off-1, ErrBool)
	}
	return p[0] == 1
}

// Uint8 reads one byte.
func (r *Reader) Uint8() uint8 {
	if p := r.take(1); p != nil {
		return p[0]
	}
	return 0
}

// Uint16 reads 2 bytes.
func (r *Reader) Uint16() uint16 {
	if p := r.take(2); p != nil {
		return binary.LittleEndian.Uint16(p)
	}
	return 0
}

// Uint32 reads 4 bytes.
func (r *Reader) Uint32() uint32 {
	if p := r.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

// Uint64 reads 8 bytes.
func (r *Reader) Uint64() uint64 {
	if p := r.take(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// Int8 reads one byte, two's complement.
func (r *Reader) Int8() int8 { return int8(r.Uint8()) }

// Int16 reads 2 bytes, two's complement.
func (r *Reader) Int16() int16 { return int16(r.Uint16()) }

// Int32 reads 4 bytes, two's complement.
func (r *Reader) Int32() int32 { return int32(r.Uint32()) }

// Int64 reads 8 bytes, two's complement.
func (r *Reader) Int64() int64 { return int64(r.Uint64()) }

// Float32 reads the 4 bytes of a finite number. NaN and infinities fail with ErrNotFinite.
func (r *Reader) Float32() float32 {
	v := r.Uint32()
	if !finite32(v) {
		r.failAt(r.off-4, ErrNotFinite)
		return 0
	}
	return math.Float32frombits(v)
}

// Float64 reads the 8 bytes of a finite number. NaN and infinities fail with ErrNotFinite.
func (r *Reader) Float64() float64 {
	v := r.Uint64()
	if !finite64(v) {
		r.failAt(r.off-8, ErrNotFinite)
		return 0
	}
	return math.Float64frombits(v)
}

// String reads a length and that many bytes, whatever they are. The result is a part of the slice given to NewReader, with no
// room to append into what follows; it is nil only if the Reader failed.
func (r *Reader) String() []byte {
	start := r.off
	n := int(r.Uint16())
	p := r.take(n)
	if p == nil {
		r.off = start
	}
	return p
}

// Text reads a string of at most max bytes. A longer one fails with ErrLimit, one that is not UTF-8 with ErrText. The result is a view as that of
// String.
func (r *Reader) Text(max int) []byte {
	start := r.off
	p := r.Blob(max)
	if !utf8.Valid(p) {
		r.failAt(start, ErrText)
		return nil
	}
	return p
}

// Blob reads a uint16 length, at most max, and that many bytes. A greater length fails with ErrLimit. The result is a view as that of String.
func (r *Reader) Blob(max int) []byte {
	start := r.off
	n := int(r.Uint16())
	if n > max && r.err == nil {
		r.failAt(start, ErrLimit)
	}
	p := r.take(n)
	if p == nil {
		r.off = start
	}
	return p
}

// Count reads how many items follow: one byte if max is at most 255, else two. More than max fail with ErrLimit, and more than can be in what is
// left with ErrShort, where itemBits is the fewest bits that an item takes, at least 1. So memory for the result of Count is never more than a multiple
// of the input.
func (r *Reader) Count(max, itemBits int) int {
	start := r.off
	var n int
	if max <= math.MaxUint8 {
		n = int(r.Uint8())
	} else {
		n = int(r.Uint16())
	}
	if n > max {
		r.failAt(start, ErrLimit)
		return 0
	}
	if !fit(n, itemBits, 8*int64(r.Len())) && r.err == nil {
		r.failAt(start, ErrShort)
		return 0
	}
	return n
}

// Raw reads n bytes. The result is a view as that of String.
func (r *Reader) Raw(n int) []byte {
	if n < 0 {
		r.Fail(ErrShort)
		return nil
	}
	return r.take(n)
}

// Rest reads all that is left, possibly nothing. The result is a view as that of String.
func (r *Reader) Rest() []byte { return r.take(r.Len()) }

// Len returns how many bytes are left, 0 if the Reader failed.
func (r *Reader) Len() int { return max(r.end-r.off, 0) }

// Offset returns how many bytes were read. That of a failed Reader is where the value begins that it failed at.
func (r *Reader) Offset() int { return r.off }

// Source returns the slice given to NewReader, whole, whatever was read of it: it is what a relay sends on.
func (r *Reader) Source() []byte { return r.source }

// Fail makes the Reader fail with err, as a value that only the caller can judge does. It keeps the error that it has, if there is one; a nil err
// changes nothing.
func (r *Reader) Fail(err error) {
	if err != nil {
		r.failAt(r.off, err)
	}
}

// Err returns why the Reader failed, nil if it did not.
func (r *Reader) Err() error { return r.err }

// take cuts n bytes off the front. It fails with nil if there are fewer.
func (r *Reader) take(n int) []byte {
	if n > r.end-r.off {
		r.failAt(r.off, ErrShort)
		return nil
	}
	p := r.source[r.off : r.off+n : r.off+n]
	r.off += n
	return p
}

// failAt makes the Reader fail with err at a value that begins at offset off, unless it failed before.
func (r *Reader) failAt(off int, err error) {
	if r.err == nil {
		r.off, r.end, r.err = off, -1, err
	}
}

// fit reports whether n items of at least itemBits can be in left bits.
func fit(n, itemBits int, left int64) bool { return int64(n) <= left/int64(max(itemBits, 1)) }

// finite32 reports whether the bits are those of a finite float32.
func finite32(bits uint32) bool { return bits&0x7F800000 != 0x7F800000 }

// finite64 reports whether the bits are those of a finite float64.
func finite64(bits uint64) bool { return bits&0x7FF0000000000000 != 0x7FF0000000000000 }
