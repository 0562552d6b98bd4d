package reliable

import (
	"encoding/binary"

	"github.com/gannet-net/gannet/framing"
)

// nullSealer frames packets as the secure protocol does, 25 bytes in all, and protects nothing.
type nullSealer struct{}

const (
	nullHead = 9 // kind, id, and the low 30 bits of the number with 2 bits of the epoch
	nullTail = 16

	numberBits = 30
	numberMask = 1<<numberBits - 1
)

func (nullSealer) Overhead() int { return nullHead + nullTail }

func (nullSealer) Seal(dst, packet []byte, number int64) []byte {
	dst = append(dst, 13, 1, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(number&numberMask))
	dst = append(dst, packet...)
	return append(dst, make([]byte, nullTail)...)
}

func (nullSealer) Open(dst, d []byte, highest int64) ([]byte, int64, framing.Drop) {
	switch {
	case len(d) < nullHead+nullTail:
		return nil, 0, framing.DropShort
	case d[0] != 13:
		return nil, 0, framing.DropKind
	}
	low := int64(binary.LittleEndian.Uint32(d[5:]) & numberMask)
	number := nearest(low, highest+1)
	if number < 0 {
		return nil, 0, framing.DropDuplicate
	}
	return append(dst, d[nullHead:len(d)-nullTail]...), number, framing.Accepted
}

// nearest is the number nearest to expected that has the given low 30 bits.
func nearest(low, expected int64) int64 {
	n := expected&^int64(numberMask) | low
	switch half := int64(1) << (numberBits - 1); {
	case n-expected > half:
		return n - 1<<numberBits
	case expected-n > half:
		return n + 1<<numberBits
	}
	return n
}
