package msgs

import "github.com/gannet-net/gannet/transport"

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
// While the queue for RunFrame is full Pump takes no more. Nothing is lost by it: what is reliable waits in the transport, which makes the
// peers wait in turn.
func (r *Router) Pump(d Driver) {
	d.Poll()
	for !r.queueFull() {
		ev, ok := d.Next()
		if !ok {
			return
		}
		r.Route(ev)
	}
	r.tellFull()
}

// Route takes one event of a connection, of any kind. It reports false if the event is a message for RunFrame, and there is no room for it: give it again
// after RunFrame, or it is lost. Each time counts in DropQueue.
//
// A session begins with its Connected event and ends with its Disconnected event; where the transport has none, as with Accept and Receive, make
// them. Joined and Left keep their place among the messages: Left comes when what the peer has sent was handled, so it may wait for RunFrame,
// and then whatever a new session under the same id brings waits behind it.
//
// Handlers may send, close, kick and add handlers, and may call Route and RunFrame: what they route is handled before that returns, or waits for
// the next frame. They may not call Pump, because Poll takes back the message that they are lent.
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
