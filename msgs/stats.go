package msgs

import "iter"

// Count is a number of messages and their bytes, ids included.
type Count struct {
	Messages, Bytes uint64
}

func (c *Count) add(b []byte) {
	c.Messages++
	c.Bytes += uint64(len(b))
}

// Timing is how long handlers ran, decoding included, in nanoseconds of Config.Clock. It stays zero without one.
type Timing struct {
	Calls    uint64
	Sum, Max int64
}

func (t *Timing) add(ns int64) {
	t.Calls++
	t.Sum += ns
	t.Max = max(t.Max, ns)
}

// Stats counts the messages of a router, or of one of its peers. Handled and Drops together are all that came in.
type Stats struct {
	Handled Count  // came in
	Drops   Drops  // came in and were not handled
	Unread  uint64 // of those handled: that went on after their fields, see Config.KeepUnread
	Found   uint64 // of those handled: that the program itself found malformed, see Peer.Malformed
	Abuse   uint64 // how often Config.Malformed was exceeded
	Panics  uint64 // of functions of Config; those of handlers are among Drops

	Out    Count  // taken by the connection; for each peer of an audience
	Unsent uint64 // refused with an error
}

// MessageStats counts the messages of one type, at one router.
type MessageStats struct {
	Catalogue *Catalogue
	Entry     *Entry

	Handled Count // came in
	Drops   Drops // came in and were not handled; only once it was known which type it is
	Time    Timing

	Out        Count  // taken by the connection; for each peer of an audience
	Unsent     uint64 // refused with an error
	PassedOver uint64 // not sent to a peer of an audience, because its session is in another state
}

// Stats returns the counters of the router since it was made, or since ResetStats.
func (r *Router) Stats() Stats { return r.stats }

// Messages yields the counters of each type, in the order of Config.Catalogues and of the ids.
func (r *Router) Messages() iter.Seq[MessageStats] {
	return func(yield func(MessageStats) bool) {
		for _, rt := range r.inOrder {
			if !yield(rt.stats) {
				return
			}
		}
	}
}

// ResetStats sets the counters of the router, of all types and of all peers to 0.
func (r *Router) ResetStats() {
	r.stats = Stats{}
	for _, rt := range r.inOrder {
		rt.resetStats()
	}
	for _, p := range r.byConn {
		p.stats = Stats{}
	}
}

func (rt *route) resetStats() {
	rt.stats = MessageStats{Catalogue: rt.mount.catalogue, Entry: rt.entry}
}

// Stats returns the counters of this peer's session.
func (p *Peer) Stats() Stats { return p.stats }

// handled counts a message that was handled.
func (in *In) handled() {
	in.Router.stats.Handled.add(in.Raw)
	in.Peer.stats.Handled.add(in.Raw)
	in.route.stats.Handled.add(in.Raw)
}

// count counts a message that was dropped.
func (in *In) count(drop Drop) {
	in.Router.stats.Drops[drop]++
	if in.Peer != nil {
		in.Peer.stats.Drops[drop]++
	}
	if in.route != nil {
		in.route.stats.Drops[drop]++
	}
}
