package wire

import (
	"encoding/binary"
	"errors"
)

// ErrShort is the error of a Reader that was asked for more than it had left.
var ErrShort = errors.New("wire: input is too short")

// Reader reads values from the front of a byte slice. The first value that is not there in full makes it fail: from then on
// every read gives 0 or nil, nothing is left, and Err tells. It never allocates.
//
// The zero Reader is one over no bytes.
type Reader struct {
	left  []byte
	short bool
}

// NewReader returns a Reader over b, which it neither copies nor changes.
func NewReader(b []byte) Reader { return Reader{left: b} }

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

// Int32 reads 4 bytes, two's complement.
func (r *Reader) Int32() int32 { return int32(r.Uint32()) }

// Uint64 reads 8 bytes.
func (r *Reader) Uint64() uint64 {
	if p := r.take(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// String reads a length and that many bytes, whatever they are. The result is a part of the slice given to NewReader, with no
// room to append into what follows; it is nil only if the Reader failed.
func (r *Reader) String() []byte {
	n := int(r.Uint16())
	return r.take(n)
}

// Rest reads all that is left, possibly nothing. The result is a part of the slice given to NewReader; it is nil if the
// Reader failed.
func (r *Reader) Rest() []byte { return r.take(len(r.left)) }

// Len returns how many bytes are left, 0 if the Reader failed.
func (r *Reader) Len() int { return len(r.left) }

// Err returns ErrShort if the Reader failed, else nil.
func (r *Reader) Err() error {
	if r.short {
		return ErrShort
	}
	return nil
}

// take cuts n bytes off the front. It fails with nil if there are fewer.
func (r *Reader) take(n int) []byte {
	if n > len(r.left) {
		*r = Reader{short: true}
		return nil
	}
	p := r.left[:n:n]
	r.left = r.left[n:]
	return p
}
