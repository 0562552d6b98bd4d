package soak

import (
	"net/netip"

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
		w.noncesOf(ev).use(w, ev)
		if w.opener != nil && !w.opener.count(w.census, ev.Payload) {
			w.fail(NoncesOnce, "%s sends a sealed datagram that no key opens", ev.From.Name())
		}
	case handshake.Name(kind) != "":
		w.strangers.keep(ev)
	}
	if p := w.strangers.hijacked; p != nil && p.node == ev.From {
		w.strangers.forward(ev)
	}
	if w.strangers.recording {
		w.strangers.record(ev)
	}
	if ev.From == w.host.node {
		if p := w.playerAt(ev.To); p != nil {
			if ofSession(ev.Payload) && sessionOf(ev.Payload, ev.Destination) == p.flow[toPlayer].session {
				p.flow[toPlayer].sent = ev.Time
			}
		} else if nobodys.Contains(ev.Destination.Addr()) {
			w.strangers.answered(ev.Destination, ev.Payload)
		}
		if !w.host.running {
			w.fail(SilentAfterEnd, "the host sends %d bytes after its end", n)
		}
		return
	}
	if p := w.playerAt(ev.From); p != nil {
		p.speaks(ev)
		if p.conn == nil {
			w.fail(SilentAfterEnd, "player %d sends %d bytes between two sessions", p.index, n)
		}
	}
}

func (w *world) delivered(ev *sim.Event) {
	if ev.To == w.host.node && nobodys.Contains(ev.Source.Addr()) {
		w.strangers.asked(ev.Source, ev.Payload)
	}
	if !ofSession(ev.Payload) || ev.From == w.strangers.node && !w.strangers.copied(ev) {
		return
	}
	for _, p := range w.players {
		switch ev.To {
		case w.host.node:
			p.flow[toHost].deliver(ev, ev.Source, w.host.clock())
		case p.node:
			p.flow[toPlayer].deliver(ev, ev.Destination, p.clock())
		}
	}
}

// speaks follows a datagram of a player: it shows which session is the newest in both directions.
func (p *player) speaks(ev *sim.Event) {
	p.flow[toHost].sent = ev.Time
	switch kind := framing.Kind(ev.Payload[0]); {
	case kind == handshake.KindHello:
		hello, _ := handshake.ParseHello(ev.Payload)
		p.flow[toPlayer].session = session{id: hello.ID}
	case handshake.Name(kind) == "":
		p.flow[toPlayer].session = session{player: ev.Source}
	}
	if ofSession(ev.Payload) {
		p.flow[toHost].session = sessionOf(ev.Payload, ev.Source)
	}
}

// deliver notes a datagram that came, at a moment of its receiver's clock, unless it says nothing of the newest session.
func (f *flow) deliver(ev *sim.Event, player netip.AddrPort, clock int64) {
	if sessionOf(ev.Payload, player) == f.session && f.came.fresh(ev.Payload) {
		f.delivered, f.clock = ev.Time, clock
	}
}

// session names a session as the receiver of a datagram finds it: by the id before what is sealed, from wherever that comes, in the base protocol by the address of
// the player, who dials from another port each time.
type session struct {
	id     uint32
	player netip.AddrPort
}

func sessionOf(d []byte, player netip.AddrPort) session {
	if framing.Kind(d[0]) != handshake.KindSealed {
		return session{player: player}
	}
	head, _ := handshake.ParseSealed(d)
	return session{id: head.ID}
}

// copies knows the sealed datagrams that came last in one direction, each by its session and its word, at the place that its number gives it: whoever gets one again
// hears nothing.
type copies [512]uint64

// fresh notes a datagram, and reports whether it is none that came before.
func (c *copies) fresh(d []byte) bool {
	head, drop := handshake.ParseSealed(d)
	if framing.Kind(d[0]) != handshake.KindSealed || drop != framing.Accepted {
		return true
	}
	which, last := uint64(head.ID)<<32|uint64(head.Word), &c[head.Word%uint32(len(c))]
	if *last == which {
		return false
	}
	*last = which
	return true
}

// ofSession reports whether a datagram is of a kind that only who has a session sends: none of a handshake, nor a goodbye or a Reset.
func ofSession(d []byte) bool {
	if len(d) == 0 {
		return false
	}
	kind := framing.Kind(d[0])
	return kind == handshake.KindSealed || kind >= framing.KindUnreliable && kind < framing.KindDisconnect
}

// noncesOf gives the numbers that were used in one direction between the host and a player.
func (w *world) noncesOf(ev *sim.Event) *nonces {
	if p := w.playerAt(ev.From); p != nil {
		return &p.flow[toHost].nonces
	}
	if p := w.playerAt(ev.To); p != nil {
		return &p.flow[toPlayer].nonces
	}
	return &w.elsewhere
}

// playerAt finds the player on a node, nil if there is none. There are few, and this is asked for every datagram.
func (w *world) playerAt(n *sim.Node) *player {
	for _, p := range w.players {
		if p.node == n {
			return p
		}
	}
	return nil
}

// nonces are the packet numbers that a node used last, by the session at the receiver. Packets leave in the order of their numbers, through all epochs, so the last
// is enough to know that no number comes again.
type nonces struct {
	recent map[uint32]uint32
	id     uint32 // of the session whose last number is not in recent but here
	last   uint32
}

// use holds that the number of a packet is above all that were used before.
func (all *nonces) use(w *world, ev *sim.Event) {
	head, drop := handshake.ParseSealed(ev.Payload)
	if drop != framing.Accepted {
		w.fail(NoncesOnce, "%s sends a sealed datagram of %d bytes", ev.From.Name(), len(ev.Payload))
		return
	}
	n := head.Word << 2
	if head.ID != all.id {
		all.recent[all.id] = all.last
		before, known := all.recent[head.ID]
		if !known {
			before = n - 4
		}
		all.id, all.last = head.ID, before
	}
	if int32(n-all.last) <= 0 {
		w.fail(NoncesOnce, "%s sends packet %d of session %08x after %d", ev.From.Name(), n>>2, head.ID, all.last>>2)
	}
	all.last = n
}
