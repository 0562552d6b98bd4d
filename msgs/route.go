package msgs

import (
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Driver is what a game loop reads from: a *udp.Host, or a connection.
type Driver interface {
	Poll()
	Next() (transport.Event, bool)
}

// Pump reads what has come in and routes it. A frame is
//
//	router.Pump(host)
//	router.RunFrame()
//	… the game moves and sends …
//	host.Flush()
//
// While the queue for RunFrame is full Pump takes no more. Nothing is lost by it: what is reliable waits in the transport, which makes the peers wait in turn.
func (r *Router) Pump(d Driver) {
	d.Poll()
	for !r.queueFull() {
		ev, ok := d.Next()
		if !ok {
			return
		}
		r.Route(ev)
	}
}

// Route takes one event of a connection, of any kind. It reports false if the event is a message for RunFrame, and there is no room for it: give it again
// after RunFrame, or it is lost. Each time counts in DropQueue.
//
// A session begins with its Connected event and ends with its Disconnected event; where the transport has none, as with Accept and Receive, make
// them. Joined and Left keep their place among the messages: Left comes when what the peer has sent was handled, so it may wait for RunFrame, and then whatever a
// new session under the same id brings waits behind it.
//
// Handlers may send, close, kick and add handlers, and may call Route and RunFrame: what they route is handled before that returns, or waits for the next frame.
// They may not call Pump, because Poll takes back the message that they are lent.
func (r *Router) Route(ev transport.Event) bool {
	p := r.byConn[ev.Conn]
	switch ev.Kind {
	case transport.Connected:
		if p == nil {
			r.connected(ev.Conn)
		}
	case transport.Message:
		return r.message(p, ev)
	case transport.Outcome:
		if p != nil && r.config.Outcome != nil {
			r.guard("Outcome", p, func() { r.config.Outcome(p, ev.Receipt, ev.Fate) })
		}
	case transport.Disconnected:
		if p != nil {
			r.disconnected(p, ev)
		}
	case transport.DialFailed:
		if r.config.Side == Client {
			r.leave(r.nextHost(), ev.Err)
		}
	}
	return true
}

// message takes a message through the checks of MESSAGES.md 4.
func (r *Router) message(p *Peer, ev transport.Event) bool {
	in := r.lend(p)
	defer r.takeBack()
	in.Raw, in.At, in.Delivery, in.Channel = ev.Payload, ev.At, ev.Delivery, ev.Channel
	drop := DropSession
	if p != nil {
		p.received = ev.At
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
	case in.Channel != rt.channel:
		return DropWrongChannel
	case in.Delivery != rt.entry.Delivery:
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
		r.drop(in, DropQueue, nil)
		return false
	}
	r.waiting.push(item{kind: transport.Message, peer: in.Peer, route: in.route, at: in.At}, in.Raw)
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
