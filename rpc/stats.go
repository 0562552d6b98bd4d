package rpc

import (
	"iter"

	"github.com/gannet-net/gannet/msgs"
)

// Count is a number of frames and their bytes, the id of the carrier included. Direct calls have no bytes.
type Count struct {
	Calls, Bytes uint64
}

func (c *Count) add(bytes int) {
	c.Calls++
	c.Bytes += uint64(bytes)
}

// Timing is how long handlers ran, in nanoseconds of Config.Clock. It stays zero without one.
type Timing struct {
	Calls    uint64
	Sum, Max int64
}

func (t *Timing) add(ns int64) {
	t.Calls++
	t.Sum += ns
	t.Max = max(t.Max, ns)
}

// Stats counts the frames of a Calls. Handled and Drops together are all that came in.
type Stats struct {
	Handled Count
	Drops   Drops
	Floods  uint64 // how often a client was further ahead of a limit than a stall explains
	Panics  uint64 // of functions of Config and of requests; those of methods are among Drops
	Sent    Count  // taken by a connection; for each peer of an audience
	Unsent  uint64 // refused with an error

	Registering int64 // nanoseconds of Config.Clock that Register took
}

// PeerStats counts the frames of one session.
type PeerStats struct {
	Handled Count
	Drops   Drops
	Floods  uint64
	Sent    Count
}

// MethodStats counts the calls of one method, those that came in and those that were sent.
type MethodStats struct {
	Method string

	Handled  Count
	Drops    Drops  // only once it was known which method it is
	Failed   uint64 // handled, and the method returned an error
	Time     Timing
	Deferred Timing // likewise, of calls that had waited for their phase or their object

	Sent       Count  // taken by a connection; for each peer of an audience
	Local      uint64 // direct
	Unsent     uint64 // refused with an error
	PassedOver uint64 // not sent to a peer of an audience, because its session is in another state
	Unanswered uint64 // requests that ended in an error
}

// Stats returns the counters since New, or since ResetStats.
func (c *Calls) Stats() Stats {
	c.settle()
	return c.stats
}

// Peer returns the counters of a session since it began, or since ResetStats; zeros if it is over.
func (c *Calls) Peer(of *msgs.Peer) PeerStats {
	p := c.peers[of]
	if p == nil {
		return PeerStats{}
	}
	p.settle()
	return p.stats
}

// Methods yields the counters of each method: those that this side runs, then those that it calls.
func (c *Calls) Methods() iter.Seq[MethodStats] {
	return func(yield func(MethodStats) bool) {
		c.settle()
		for _, t := range []*table{&c.here, &c.there} {
			for _, rt := range t.routes {
				if rt != nil && !yield(rt.stats) {
					return
				}
			}
		}
	}
}

// ResetStats sets all counters to 0.
func (c *Calls) ResetStats() {
	c.settle()
	c.stats = Stats{}
	for _, t := range []*table{&c.here, &c.there} {
		for _, rt := range t.routes {
			if rt != nil {
				rt.stats = MethodStats{Method: rt.Name}
			}
		}
	}
	for _, p := range c.order {
		p.stats = PeerStats{}
	}
}
