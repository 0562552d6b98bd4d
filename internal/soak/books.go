package soak

import "github.com/gannet-net/gannet/transport"

// outbox is what an end has sent of a stream.
type outbox struct {
	sent      uint32 // messages that Send took
	settled   set    // of these, whose fate is known; streams with receipts only
	delivered set    // and which arrived
	gone      set    // and which were withdrawn
	withdrawn uint32 // how many
}

// inbox is what an end has got of a stream.
type inbox struct {
	next uint32 // one above the highest number that came
	got  uint32 // how many came
	all  set    // which; not for streams that are whole
}

// set is a set of small numbers.
type set []uint64

// add reports false if n was in the set before.
func (s *set) add(n uint32) bool {
	for int(n/64) >= len(*s) {
		*s = append(*s, 0)
	}
	word, bit := &(*s)[n/64], uint64(1)<<(n%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

func (s set) has(n uint32) bool { return int(n/64) < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// complete reports whether all that has to arrive of a stream has arrived, once everything that was sent has had time to.
func (s *stream) complete(out *outbox, in *inbox) bool {
	switch s.delivery {
	case transport.ReliableOrdered, transport.ReliableUnordered:
		return in.got+out.withdrawn >= out.sent
	case transport.ReliableSequenced:
		return in.next == out.sent || s.ttl > 0 || s.replace
	}
	return true
}

// lost finds a message that was reported as delivered and is not there. One that has to wait for another is there only if that one is.
func (s *stream) lost(out *outbox, in *inbox) (n uint32, found bool) {
	switch {
	case !s.receipts || !s.delivery.Reliable():
		return 0, false
	case s.skips():
		for n = in.next; out.gone.has(n); n++ {
		}
		return n, out.delivered.has(n)
	}
	for n = range out.sent {
		if out.delivered.has(n) && !in.all.has(n) {
			return n, true
		}
	}
	return 0, false
}
