package wire

import (
	"encoding/binary"
	"math"
)

// MaxString is the length in bytes of the longest string that the uint16 before it can announce.
const MaxString = math.MaxUint16

// AppendUint8 appends v to b as one byte.
func AppendUint8(b []byte, v uint8) []byte { return append(b, v) }

// AppendUint16 appends v to b as 2 bytes.
func AppendUint16(b []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(b, v) }

// AppendUint32 appends v to b as 4 bytes.
func AppendUint32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }

// AppendInt32 appends v to b as 4 bytes, two's complement.
func AppendInt32(b []byte, v int32) []byte { return AppendUint32(b, uint32(v)) }

// AppendUint64 appends v to b as 8 bytes.
func AppendUint64(b []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(b, v) }

// AppendString appends the length of s and its bytes to b. A string of more than MaxString bytes gives ErrTooLong and
// leaves b as it was, because a length cut to 16 bits would make the reader take the rest of s for other fields.
func AppendString(b []byte, s string) ([]byte, error) {
	if len(s) > MaxString {
		return b, ErrTooLong
	}
	return append(AppendUint16(b, uint16(len(s))), s...), nil
}
