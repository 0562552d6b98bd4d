package main

import (
	"encoding/binary"

	"github.com/gannet-net/gannet/framing"
	frames "github.com/gannet-net/gannet/framing/packet"
)

// nullSealer stands in for the secure protocol in the simulator until that lands. It takes the same bytes on the wire and protects
// nothing: there is no key, no cipher and no tag.
//
//	13 | id: 4 bytes, 0 | u32: low 30 bits of the packet number, 2 bits of epoch, 0 | packet | 16 bytes, 0
type nullSealer struct{}

const (
	sealedKind   = 13
	sealedHead   = 1 + 4 + 4
	sealedTag    = 16
	numberBits   = 30
	numberPeriod = int64(1) << numberBits
)

// Overhead is 25.
func (nullSealer) Overhead() int { return sealedHead + sealedTag }

// Seal puts the packet between a header and 16 zero bytes.
func (nullSealer) Seal(dst, packet []byte, number int64) []byte {
	dst = append(dst, sealedKind, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(number&(numberPeriod-1)))
	dst = append(dst, packet...)
	return append(dst, make([]byte, sealedTag)...)
}

// Open takes the packet out of a datagram. Its number is the one nearest to highest+1 that the header can mean.
func (nullSealer) Open(dst, datagram []byte, highest int64) ([]byte, int64, framing.Drop) {
	switch {
	case datagram[0] != sealedKind:
		return dst, 0, framing.DropKind
	case len(datagram) <= sealedHead+sealedTag:
		return dst, 0, framing.DropShort
	}
	low := binary.LittleEndian.Uint32(datagram[5:]) & uint32(numberPeriod-1)
	return append(dst, unsealed(datagram)...), nearest(int64(low), highest+1), framing.Accepted
}

// nearest is the number nearest to next whose low bits are low, and not below 0.
func nearest(low, next int64) int64 {
	n := next&^(numberPeriod-1) | low
	switch {
	case n-next > numberPeriod/2 && n >= numberPeriod:
		return n - numberPeriod
	case next-n >= numberPeriod/2:
		return n + numberPeriod
	}
	return n
}

// unsealed is the packet in a datagram of a nullSealer.
func unsealed(datagram []byte) []byte { return datagram[sealedHead : len(datagram)-sealedTag] }

// isLoneAck reports whether a packet holds an ack and nothing that would have had to be sent anyway. A clock rides along for free.
func isLoneAck(p []byte) bool {
	var parser frames.Parser
	var f frames.Frame
	acks := 0
	for parser.Reset(p); parser.Next(&f); {
		switch f.Kind {
		case frames.KindAck:
			acks++
		case frames.KindClock:
		default:
			return false
		}
	}
	return acks > 0
}
