package msgs

import (
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// message takes a message through the checks of MESSAGES.md 4.
func (r *Router) message(p *Peer, ev transport.Event) bool {
	in := r.lend(p)
	defer r.takeBack()
	in.Raw, in.At, in.Delivery, in.Channel = ev.Payload, ev.At, ev.Delivery, ev.Channel
	drop := DropSession
	if p != nil {
		p.received = ev.At
	}
	if p != nil && !p.endedHere() {
		drop = in.identify()
	}
	switch {
	case drop != Handled:
		r.drop(in, drop, nil)
	case in.route.frame || p.joining:
		return r.enqueue(in)
	default:
		r.handle(in)
	}
	return true
}

// identify finds the route of a message, and makes the checks that do not depend on the state of the session.
func (in *In) identify() Drop {
	m, idBits := (*mount)(nil), 1
	if int(in.Channel) < numChannels && in.Router.channels[in.Channel] != nil {
		m = in.Router.channels[in.Channel]
		idBits = m.idBits
	}
	if len(in.Raw)*8 < idBits {
		return DropEmpty
	}
	if m == nil {
		return DropChannel
	}
	rt := m.lookUp(in.Raw)
	if rt == nil {
		return DropUnknown
	}
	in.route, in.Entry = rt, rt.entry
	return in.check()
}

func (in *In) check() Drop {
	rt, size := in.route, len(in.Raw)
	switch {
	case rt.entry.From&in.Router.other() == 0:
		return DropDirection
	case in.Channel != rt.channel && !rt.takes(rt.entry.Delivery, in.Channel):
		return DropWrongChannel
	case !rt.takes(in.Delivery, in.Channel):
		return DropDelivery
	case size < rt.entry.MinSize, size > rt.entry.MaxSize && !in.Router.config.KeepUnread:
		return DropSize
	case rt.call == nil:
		return DropNoHandler
	}
	return Handled
}

// lookUp returns the route of a message whose id is there in full, or nil.
func (m *mount) lookUp(b []byte) *route {
	r := wire.NewBitReader(b)
	id := int(r.Bits(m.idBits))
	if id >= len(m.incoming) {
		return nil
	}
	return m.incoming[id]
}

func (r *Router) enqueue(in *In) bool {
	if r.queueFull() {
		r.tellFull()
		r.drop(in, DropQueue, nil)
		return false
	}
	r.waiting.push(item{kind: transport.Message, peer: in.Peer, route: in.route, at: in.At, mode: in.Delivery}, in.Raw)
	return true
}

// handle makes the checks that are left, and calls the handler.
func (r *Router) handle(in *In) {
	if !in.Peer.allows(in.route) {
		r.drop(in, DropState, nil)
		return
	}
	if drop, err := r.call(in); drop != Handled {
		r.drop(in, drop, err)
		return
	}
	in.handled()
}

// call calls the handler, and survives its panic.
func (r *Router) call(in *In) (drop Drop, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.panicked(in, v)
			drop = DropPanic
		}
	}()
	if r.config.Clock == nil {
		err = in.route.call(in)
	} else {
		start := r.config.Clock()
		err = in.route.call(in)
		in.route.stats.Time.add(r.config.Clock() - start)
	}
	return dropOf(err), err
}

// lend gives an In to a message that is handled. Messages that a handler routes have further ones.
func (r *Router) lend(p *Peer) *In {
	if r.depth == len(r.lent) {
		r.lent = append(r.lent, new(In))
	}
	in := r.lent[r.depth]
	r.depth++
	*in = In{Router: r, Peer: p}
	return in
}

// takeBack takes back what was lent last.
func (r *Router) takeBack() {
	r.depth--
	*r.lent[r.depth] = In{}
}
