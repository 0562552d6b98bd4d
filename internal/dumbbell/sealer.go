package dumbbell

import (
	"encoding/binary"

	"github.com/gannet-net/gannet/framing"
)

// Sealer stands in for the secure protocol: it takes the same bytes on the wire and protects nothing.
type Sealer struct{}

const (
	sealedKind = 13
	sealedHead = 1 + 8
	sealedTag  = 16
)

// Overhead is 25.
func (Sealer) Overhead() int { return sealedHead + sealedTag }

// Seal puts the packet behind its number and before zeros.
func (Sealer) Seal(dst, packet []byte, number int64) []byte {
	dst = binary.LittleEndian.AppendUint64(append(dst, sealedKind), uint64(number))
	dst = append(dst, packet...)
	return append(dst, make([]byte, sealedTag)...)
}

// Open takes the packet out of a datagram that Seal made.
func (Sealer) Open(dst, datagram []byte, _ int64) ([]byte, int64, framing.Drop) {
	if len(datagram) <= sealedHead+sealedTag {
		return dst, 0, framing.DropShort
	}
	number := int64(binary.LittleEndian.Uint64(datagram[1:]))
	return append(dst, datagram[sealedHead:len(datagram)-sealedTag]...), number, framing.Accepted
}
