package soak

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
)

// watch sees every datagram at each of its steps. All that it does takes constant time.
func (w *world) watch(ev sim.Event) {
	switch ev.Kind {
	case sim.Sent:
		w.sent(&ev)
	case sim.Delivered:
		w.delivered(&ev)
	}
}

func (w *world) sent(ev *sim.Event) {
	n := len(ev.Payload)
	if n == 0 || ev.From == w.strangers.node {
		return
	}
	kind := framing.Kind(ev.Payload[0])
	w.census.Frames[kind&31]++
	switch {
	case n > framing.MaxDatagram:
		w.fail(Bounded, "%s sends %d bytes", ev.From.Name(), n)
	case kind == handshake.KindSealed:
		w.nonces.use(w, ev)
	}
	if w.strangers.recording {
		w.strangers.record(ev)
	}
	if ev.From == w.host.node {
		if p := w.nodes[ev.To]; p != nil {
			p.flow[toPlayer].sent = ev.Time
		} else if nobodys.Contains(ev.Destination.Addr()) {
			w.strangers.answered(w, ev.Destination, n)
		}
		if !w.host.running {
			w.fail(SilentAfterEnd, "the host sends %d bytes after its end", n)
		}
		return
	}
	if p := w.nodes[ev.From]; p != nil {
		p.flow[toHost].sent = ev.Time
		if p.conn == nil {
			w.fail(SilentAfterEnd, "player %d sends %d bytes between two sessions", p.index, n)
		}
	}
}

func (w *world) delivered(ev *sim.Event) {
	switch p := w.nodes[ev.To]; {
	case p != nil && ev.From == w.host.node:
		p.flow[toPlayer].delivered = ev.Time
	case ev.To == w.host.node:
		if p := w.nodes[ev.From]; p != nil {
			p.flow[toHost].delivered = ev.Time
		} else if nobodys.Contains(ev.Source.Addr()) {
			w.strangers.asked(ev.Source, len(ev.Payload))
		}
	}
}

// nonces are the packet numbers that were used last, by who sends and the session at the receiver. Packets leave in the order of their numbers, through all epochs, so
// the last is enough to know that no number comes again.
type nonces map[nonceKey]uint32

type nonceKey struct {
	from *sim.Node
	id   uint32
}

// use holds that the number of a packet is above all that were used before.
func (all nonces) use(w *world, ev *sim.Event) {
	head, drop := handshake.ParseSealed(ev.Payload)
	if drop != framing.Accepted {
		w.fail(NoncesOnce, "%s sends a sealed datagram of %d bytes", ev.From.Name(), len(ev.Payload))
		return
	}
	key, n := nonceKey{ev.From, head.ID}, head.Word<<2
	if last, ok := all[key]; ok && int32(n-last) <= 0 {
		w.fail(NoncesOnce, "%s sends packet %d of session %08x after %d", ev.From.Name(), n>>2, key.id, last>>2)
	}
	all[key] = n
}
