package udp

import (
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
)

// loan is a payload that the application has until the next Poll, or until its handler returns.
type loan struct {
	pool    *reliable.Endpoint
	payload []byte
}

// readable reports whether the application may read an event of c now.
func (c *Conn) readable() bool {
	switch {
	case c.hidden:
		return false
	case !c.ended:
		return c.ep.HasEvent()
	case c.inbox.len() == 0:
		return false
	}
	return !isFinal(c.inbox.at(0)) || !c.holdsEnd()
}

// holdsEnd keeps the last event of a game loop until the goodbyes are sent where the application stops driving after it: the socket is
// closed with it.
func (c *Conn) holdsEnd() bool {
	return !c.e.background() && !c.released && (c.e.dialled() || c.e.closing)
}

func isFinal(ev *reliable.Event) bool {
	return ev.Kind == reliable.EventDisconnected || ev.Kind == reliable.EventDialFailed
}

// pop takes the next event into ev, which is zero; there must be one.
func (c *Conn) pop(ev *reliable.Event) {
	if c.ended {
		*ev, _ = c.inbox.pop()
		return
	}
	c.ep.PollEventInto(ev)
}

// finish moves what is left to read out of the machine, so that the reason of the end is known at once, and returns it. Dial
// itself reports the failure of a dial in the background.
func (c *Conn) finish() {
	unanswered := c.session != nil && c.session.waiting
	for ev, ok := c.ep.PollEvent(); ok; ev, ok = c.ep.PollEvent() {
		if c.differs() && ev.Kind == reliable.EventMessage {
			c.takeDescription(&ev)
			continue
		}
		if isFinal(&ev) {
			if unanswered {
				c.asDialFailure(&ev)
			}
			c.cause, c.err = ev.Cause, c.reason(&ev)
		}
		if ev.Kind == reliable.EventDialFailed && c.e.background() || ev.Kind == reliable.EventConnected && unanswered {
			continue
		}
		c.inbox.push(ev)
	}
}

// reason is the error for the last event of the machine.
func (c *Conn) reason(ev *reliable.Event) error {
	if ev.Kind == reliable.EventDialFailed {
		switch {
		case c.failure != nil:
			return c.failure
		case ev.Cause == reliable.Refused:
			return &transport.RefusedError{Reason: refusedText(ev.Reason, c.e.cfg.Version)}
		case ev.Cause == reliable.TimedOut:
			return &DialTimeoutError{Addr: c.e.dial.addr, After: c.e.cfg.DialTimeout}
		}
	}
	end := &transport.DisconnectError{Cause: causes[ev.Cause], Code: c.code, Text: c.text, Undelivered: ev.Undelivered, Err: c.e.failure}
	if ev.Cause == reliable.ClosedByPeer {
		end.Code, end.Text = ev.Code, ev.Reason
	}
	if c.why != 0 {
		end.Cause = c.why
	}
	return end
}

var causes = [...]transport.Cause{
	reliable.ClosedLocally: transport.ClosedLocally,
	reliable.ClosedByPeer:  transport.ClosedByPeer,
	reliable.Kicked:        transport.Kicked,
	reliable.TimedOut:      transport.TimedOut,
	reliable.SocketFailed:  transport.SocketFailed,
	reliable.ProtocolError: transport.ProtocolError,
}

// event turns an event of the machine into one for the application, which is zero before.
func (c *Conn) event(out *transport.Event, ev *reliable.Event) {
	out.Kind, out.Conn, out.At = transport.EventKind(ev.Kind), c, ev.At
	out.Delivery, out.Channel = transport.Delivery(ev.Mode), ev.Channel
	out.Receipt, out.Fate = ev.Receipt, transport.Fate(ev.Fate)
	if ev.Kind == reliable.EventMessage {
		out.Payload = ev.Payload[:len(ev.Payload):len(ev.Payload)] // an append must not write into the pool
	}
	if isFinal(ev) {
		out.Err = c.err
	}
}

// inTurn reports whether events are taken by Next or a handler, not by Receive.
func (e *engine) inTurn() bool { return !e.background() || e.cfg.Handler != nil }

// announce makes the readable event of c known to whoever takes events.
func (e *engine) announce(c *Conn) {
	switch {
	case !e.inTurn():
		e.offer(c)
	case !c.queued:
		c.queued, e.news = true, true
		e.ready.push(c)
		e.rouse()
	}
}

// offer wakes those who wait in Accept and Receive. Accept stands for the Connected event.
func (e *engine) offer(c *Conn) {
	if !c.offered {
		c.offered = true
		c.pop(&reliable.Event{})
		if !e.dialled() {
			e.accepts.add(c)
		}
	}
	if c.readable() {
		signal(c.wake)
	}
}

// take removes the next event of c into out, which is zero, and lends its payload.
func (e *engine) take(c *Conn, out *transport.Event) bool {
	if !c.readable() {
		return false
	}
	var ev reliable.Event
	c.pop(&ev)
	e.freeID(c)
	if ev.Kind == reliable.EventMessage {
		e.lent = append(e.lent, loan{c.ep, ev.Payload})
	}
	c.event(out, &ev)
	return true
}

// takeInTurn takes one event of the peer whose turn it is into out, which is zero.
func (e *engine) takeInTurn(out *transport.Event) bool {
	for e.ready.len() > 0 {
		c := *e.ready.at(0)
		ok := e.take(c, out)
		e.nextTurn(c)
		if ok {
			return true
		}
	}
	e.news = false
	return false
}

// nextTurn moves c, which had its turn, behind the other peers. Where there are none it stays in front.
func (e *engine) nextTurn(c *Conn) {
	more := c.readable()
	if more && e.ready.len() == 1 {
		e.news = true
		return
	}
	e.ready.pop()
	if c.queued = false; more {
		e.announce(c)
	}
}

// recycle takes back what was lent.
func (e *engine) recycle() {
	for _, l := range e.lent {
		l.pool.Recycle(l.payload)
	}
	clear(e.lent)
	e.lent = e.lent[:0]
}

// receiveOf takes the next event of c for Receive, into buf. The last event stays, so that every Receive finds it.
func (e *engine) receiveOf(c *Conn, buf []byte) (out transport.Event, ok bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !c.readable() {
		return out, false, nil
	}
	if c.ended && isFinal(c.inbox.at(0)) {
		signal(c.wake) // for others that wait
		return out, false, c.err
	}
	var ev reliable.Event
	c.pop(&ev)
	c.event(&out, &ev)
	if ev.Kind == reliable.EventMessage {
		out.Payload = append(buf[:0], ev.Payload...)
		c.ep.Recycle(ev.Payload)
	}
	if c.readable() {
		signal(c.wake)
	}
	return out, true, nil
}

// cannotBlock says why calls that wait for events are not possible.
func (e *engine) cannotBlock() error {
	switch {
	case !e.background():
		return transport.ErrGameLoop
	case e.cfg.Handler != nil:
		return transport.ErrHandler
	}
	return nil
}

// signal puts the one token into a channel of capacity one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// rouse wakes the dispatcher.
func (e *engine) rouse() { signal(e.work) }
