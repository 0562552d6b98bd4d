package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
)

// BitReader reads what a BitWriter wrote from the front of a byte slice. The first value that is not there in full, or is no encoding of a value, makes it
// fail: from then on every read gives 0 or nil, nothing is left, and Err tells why. It never allocates.
//
// The zero BitReader is one over no bytes.
type BitReader struct {
	source []byte
	off    int // in bits
	end    int // in bits, or -1 if the BitReader failed: less than any offset, so that even nothing cannot be read
	err    error
}

// NewBitReader returns a BitReader over b, which it neither copies nor changes. It cannot count the bits of more than math.MaxInt / 8 bytes, 256 MiB where
// an int has 32 bits, and fails at once with ErrLimit.
func NewBitReader(b []byte) BitReader {
	if len(b) > math.MaxInt/8 {
		return BitReader{end: -1, err: ErrLimit}
	}
	return BitReader{source: b, end: 8 * len(b)}
}

// Bits reads n bits, 0 to 32.
func (r *BitReader) Bits(n int) uint32 {
	if !r.may(n, 0) {
		return 0
	}
	return uint32(r.read(n))
}

// Bool reads 1 bit.
func (r *BitReader) Bool() bool { return r.read(1) != 0 }

// Uint8 reads 8 bits.
func (r *BitReader) Uint8() uint8 { return uint8(r.read(8)) }

// Uint16 reads 16 bits.
func (r *BitReader) Uint16() uint16 { return uint16(r.read(16)) }

// Uint32 reads 32 bits.
func (r *BitReader) Uint32() uint32 { return uint32(r.read(32)) }

// Uint64 reads the high 32 bits, then the low 32.
func (r *BitReader) Uint64() uint64 {
	if !r.has(64) {
		return 0
	}
	high := r.next(32)
	return high<<32 | r.next(32)
}

// Int8 reads 8 bits, two's complement.
func (r *BitReader) Int8() int8 { return int8(r.Uint8()) }

// Int16 reads 16 bits, two's complement.
func (r *BitReader) Int16() int16 { return int16(r.Uint16()) }

// Int32 reads 32 bits, two's complement.
func (r *BitReader) Int32() int32 { return int32(r.Uint32()) }

// Int64 reads the high 32 bits, then the low 32, two's complement.
func (r *BitReader) Int64() int64 { return int64(r.Uint64()) }

// Float32 reads the 32 bits of a finite number. NaN and infinities fail with ErrNotFinite.
func (r *BitReader) Float32() float32 {
	v := r.Uint32()
	if !finite32(v) {
		r.failAt(r.off-32, ErrNotFinite)
		return 0
	}
	return math.Float32frombits(v)
}

// Float64 reads the 64 bits of a finite number, the high 32 first. NaN and infinities fail with ErrNotFinite.
func (r *BitReader) Float64() float64 {
	v := r.Uint64()
	if !finite64(v) {
		r.failAt(r.off-64, ErrNotFinite)
		return 0
	}
	return math.Float64frombits(v)
}

// Uint reads an unsigned integer of n bits, 1 to 32.
func (r *BitReader) Uint(n int) uint32 {
	if !r.may(n, 1) {
		return 0
	}
	return uint32(r.read(n))
}

// Int reads a signed integer of n bits, 1 to 32, from which 2^(n-1) is taken.
func (r *BitReader) Int(n int) int32 {
	if !r.may(n, 1) || !r.has(n) {
		return 0
	}
	return int32(int64(r.next(n)) - 1<<(n-1))
}

// RGB reads the 24 bits of a colour.
func (r *BitReader) RGB() (red, green, blue uint8) {
	v := r.read(24)
	return uint8(v), uint8(v >> 8), uint8(v >> 16)
}

// RGBA reads the 32 bits of a colour.
func (r *BitReader) RGBA() (red, green, blue, alpha uint8) {
	v := r.read(32)
	return uint8(v), uint8(v >> 8), uint8(v >> 16), uint8(v >> 24)
}

// GUID reads 16 bytes as two 64-bit integers that lie in them little-endian.
func (r *BitReader) GUID() (v [16]byte) {
	if r.has(128) {
		binary.LittleEndian.PutUint64(v[:8], r.Uint64())
		binary.LittleEndian.PutUint64(v[8:], r.Uint64())
	}
	return v
}

// Enum reads which of count values it is, counting from 0. An index that none of them has fails with ErrEnum.
func (r *BitReader) Enum(count int) int {
	if count < 1 {
		r.Fail(ErrEnum)
		return 0
	}
	start := r.off
	v := int(r.Bits(bits.Len(uint(count - 1))))
	if v >= count {
		r.failAt(start, ErrEnum)
		return 0
	}
	return v
}

// Count reads how many items follow, in the bits of max. More than max fail with ErrLimit, and more than can be in what is left with ErrShort, where itemBits
// is the fewest bits that an item takes, at least 1. So memory for the result of Count is never more than a multiple of the input.
func (r *BitReader) Count(max, itemBits int) int {
	start := r.off
	n := r.count(max)
	if !fit(n, itemBits, int64(r.left())) && r.err == nil {
		r.failAt(start, ErrShort)
		return 0
	}
	return n
}

// count reads a number up to max, in the bits of max.
func (r *BitReader) count(max int) int {
	if max < 0 {
		r.Fail(ErrLimit)
		return 0
	}
	start := r.off
	n := r.Bits(bits.Len(uint(max)))
	if uint64(n) > uint64(max) {
		r.failAt(start, ErrLimit)
		return 0
	}
	return int(n)
}

// Text reads a string of at most max bytes whose length has lenBits bits, 1 to 16. A longer one fails with ErrLimit, one that is not UTF-8 with ErrText. The
// result is a part of the slice given to NewBitReader, with no room to append into what follows; it is nil only if the BitReader failed.
func (r *BitReader) Text(max, lenBits int) []byte {
	if lenBits < 1 || lenBits > maxLenBits {
		r.Fail(ErrWidth)
		return nil
	}
	start := r.off
	if r.Bool() {
		return r.source[:0:0]
	}
	n := int(r.read(lenBits)) + 1
	if n > max {
		r.failAt(start, ErrLimit)
	}
	p := r.Raw(n)
	if !utf8.Valid(p) {
		r.failAt(start, ErrText)
		return nil
	}
	if p == nil {
		r.off = start
	}
	return p
}

// Blob reads how many bytes there are, at most max, and the bytes. More fail with ErrLimit. The result is a view as that of Text.
func (r *BitReader) Blob(max int) []byte {
	start := r.off
	p := r.Raw(r.count(max))
	if p == nil {
		r.off = start
	}
	return p
}

// Raw reads n bytes from the next byte border on; the bits up to there have to be zeros, else it fails with ErrPadding. For no bytes it reads nothing. The
// result is a view as that of Text.
func (r *BitReader) Raw(n int) []byte {
	start := r.off
	if n > 0 {
		r.Align()
	}
	if n < 0 || n > r.left()/8 || r.err != nil {
		r.failAt(start, ErrShort)
		return nil
	}
	from := (r.off + 7) / 8
	r.off += 8 * n
	return r.source[from : from+n : from+n]
}

// Rest reads all bytes from the next byte border on, possibly none; the bits up to there have to be zeros, else it fails with ErrPadding. The result is a view
// as that of Text. It is for what is not bit-packed, and has a [Reader] of its own.
func (r *BitReader) Rest() []byte {
	r.Align()
	return r.Raw(r.Len())
}

// Align reads the bits up to the next byte border, none if it is at one. They have to be zeros, else it fails with ErrPadding.
func (r *BitReader) Align() {
	if n := -r.off & 7; n > 0 && r.read(n) != 0 {
		r.failAt(r.off-n, ErrPadding)
	}
}

// Unread returns how many whole bytes are left, and fails with ErrPadding if the bits before them, of a byte read in part, are not zeros. It is 0 at the end of
// a message, and of a failed BitReader.
func (r *BitReader) Unread() int {
	ahead := *r
	ahead.Align()
	if ahead.err != nil {
		r.failAt(r.off, ahead.err)
	}
	return r.Len()
}

// Len returns how many whole bytes are left, 0 if the BitReader failed.
func (r *BitReader) Len() int { return r.left() / 8 }

// Offset returns how many bits were read. That of a failed BitReader is where the value begins that it failed at.
func (r *BitReader) Offset() int { return r.off }

// Source returns the slice given to NewBitReader, whole, whatever was read of it: it is what a relay sends on.
func (r *BitReader) Source() []byte { return r.source }

// Fail makes the BitReader fail with err, as a value that only the caller can judge does. It keeps the error that it has, if there is one; a nil err
// changes nothing.
func (r *BitReader) Fail(err error) {
	if err != nil {
		r.failAt(r.off, err)
	}
}

// Err returns why the BitReader failed, nil if it did not.
func (r *BitReader) Err() error { return r.err }

// left returns how many bits are left, 0 if the BitReader failed.
func (r *BitReader) left() int { return max(r.end-r.off, 0) }

// may reports whether a value of n bits can be read, which are from low to 32.
func (r *BitReader) may(n, low int) bool {
	if n < low || n > 32 {
		r.Fail(ErrWidth)
	}
	return r.err == nil
}

// has reports whether n bits are left, and fails if they are not.
func (r *BitReader) has(n int) bool {
	if n > r.end-r.off {
		r.failAt(r.off, ErrShort)
		return false
	}
	return true
}

// read reads n bits, at most 32.
func (r *BitReader) read(n int) uint64 {
	if !r.has(n) {
		return 0
	}
	return r.next(n)
}

// next reads n bits, at most 32, which are there.
func (r *BitReader) next(n int) uint64 {
	v := r.word() >> (r.off & 7) & mask(n)
	r.off += n
	return v
}

// word returns the byte that the next bit is in, and the 7 behind it, with zeros for those behind the end.
func (r *BitReader) word() uint64 {
	b := r.source[r.off/8:]
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b)
	}
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// failAt makes the BitReader fail with err at a value that begins at bit off, unless it failed before.
func (r *BitReader) failAt(off int, err error) {
	if r.err == nil {
		r.off, r.end, r.err = off, -1, err
	}
}
