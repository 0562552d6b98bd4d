package soak

import (
	"encoding/binary"
	"fmt"

	"github.com/gannet-net/gannet/transport"
)

// stream is a sort of message that each side of a session sends to the other. No two streams of a world have the same mode and channel, so that a message tells
// its stream.
type stream struct {
	index     int
	delivery  transport.Delivery
	channel   uint8
	every     int // turns of 60 a second between two sendings
	burst     int // messages in each
	low, high int // bytes
	urgent    bool
	ttl       int  // milliseconds, 0 is for ever
	replace   bool // a newer message takes the place of one that waits
	receipts  bool // their fates are asked for
	plain     bool // the base protocol has it as well
	bulk      bool // its channel is of ClassBulk
}

// head is what a message begins with that can be lost, late or withdrawn: its number, and the number of the end that sent it.
const head = 8

// whole reports whether every message arrives in its place, so that no number is needed to know which one it is.
func (s *stream) whole() bool {
	return s.delivery == transport.ReliableOrdered && s.ttl == 0 && !s.replace
}

// skips reports whether an older message may not arrive after a newer one.
func (s *stream) skips() bool {
	return s.delivery == transport.Sequenced || s.delivery == transport.ReliableSequenced || s.delivery == transport.ReliableOrdered
}

// options are how message n is sent.
func (s *stream) options(n uint32) transport.SendOptions {
	o := transport.SendOptions{Delivery: s.delivery, Channel: s.channel, Urgent: s.urgent}
	if s.ttl > 0 {
		o.TTL = millis(s.ttl)
	}
	if s.replace {
		o.ReplaceKey = uint64(1 + n%3)
	}
	if s.receipts {
		o.Receipt = uint64(s.index)<<32 | uint64(n) + 1
	}
	return o
}

// message writes message n of an end into buf, which is long enough, and gives it. It follows from these numbers alone, so the other end can tell what it has to be.
func (s *stream) message(buf []byte, from, n uint32) []byte {
	h := mix(uint64(from)<<32|uint64(n), uint64(s.index)+1)
	size := s.low + int(h%uint64(s.high-s.low+1))
	full := (size + 7) &^ 7
	b := buf[:max(full, head)]
	for i := 0; i < len(b); i += 8 {
		h = h*0x9e3779b97f4a7c15 + 0x3c6ef372fe94f82b
		binary.LittleEndian.PutUint64(b[i:], h^h>>29)
	}
	if size >= head {
		binary.LittleEndian.PutUint32(b, n)
		binary.LittleEndian.PutUint32(b[4:], from)
	}
	return b[:size]
}

// number reads the number of a message of a stream that is not whole.
func number(payload []byte) (n uint32, ok bool) {
	if len(payload) < head {
		return 0, false
	}
	return binary.LittleEndian.Uint32(payload), true
}

// mix spreads the bits of a over the result.
func mix(a, b uint64) uint64 {
	a ^= b * 0x9e3779b97f4a7c15
	a = (a ^ a>>30) * 0xbf58476d1ce4e5b9
	a = (a ^ a>>27) * 0x94d049bb133111eb
	return a ^ a>>31
}

func (s *stream) String() string {
	text := fmt.Sprintf("%v on %d, %d every %d turns, %d to %d B", s.delivery, s.channel, s.burst, s.every, s.low, s.high)
	for _, o := range []struct {
		has  bool
		word string
	}{
		{s.urgent, "urgent"}, {s.ttl > 0, fmt.Sprint("ttl ", millis(s.ttl))}, {s.replace, "replaced"}, {s.receipts, "with receipts"}, {s.bulk, "bulk"},
	} {
		if o.has {
			text += ", " + o.word
		}
	}
	return text
}
