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
func (s *stream) complete(out *outbox, in *inbox) bool { return s.missing(out, in) == 0 }

// missing counts the messages that have to arrive and did not. Of those in a sequence only the newest has to, unless it was withdrawn.
func (s *stream) missing(out *outbox, in *inbox) (n uint32) {
	switch {
	case !s.delivery.Reliable():
		return 0
	case s.delivery != transport.ReliableSequenced:
		return out.sent - min(out.sent, out.withdrawn+in.got)
	}
	newest := out.sent
	for newest > in.next && out.gone.has(newest-1) {
		newest--
	}
	return min(1, newest-in.next)
}

// lost finds a message that was reported as delivered and is not there. One of an order that was told of may wait at the receiver for one before it, which is not told
// of, and is lost with the session; the first that is missing may not. Others wait for nothing.
func (s *stream) lost(out *outbox, in *inbox) (n uint32, found bool) {
	switch {
	case !s.receipts || !s.delivery.Reliable():
		return 0, false
	case s.delivery == transport.ReliableOrdered:
		for n = in.next; out.gone.has(n); n++ {
		}
		return n, out.delivered.has(n)
	case s.delivery == transport.ReliableSequenced:
		for n = in.next; n < out.sent && !out.delivered.has(n); n++ {
		}
		return n, n < out.sent
	}
	for n = range out.sent {
		if out.delivered.has(n) && !in.all.has(n) {
			return n, true
		}
	}
	return 0, false
}
