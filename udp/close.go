package udp

import (
	"errors"

	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
)

// Close ends the connection gracefully; see transport.Conn. What was received and not read is discarded, and Send returns a
// *transport.DisconnectError from then on. In the background style it
// returns when everything is acknowledged or the linger time is over. Eight Disconnects follow within 80 ms: a host sends them by itself, while
// Close of a dialled connection waits for the last one and for its socket to be closed, so that the process may exit.
func (c *Conn) Close() error {
	c.leave((*Conn).startClose)
	if !c.e.background() {
		return nil
	}
	<-c.over
	if c.e.dialled() {
		<-c.e.over
	}
	if n := undeliveredCount(c.Err()); n > 0 {
		return &transport.UndeliveredError{Messages: n}
	}
	return nil
}

// Abort ends the connection at once, and returns at once. What the peer has not acknowledged is lost.
func (c *Conn) Abort() { c.leave((*Conn).startAbort) }

// Kick ends the connection at once, as Abort does, with the cause Kicked. The peer gets code, below transport.OwnCodes, and up to 256 bytes of
// text. The base protocol cannot carry them: there they are in the *transport.DisconnectError of this side alone.
func (c *Conn) Kick(code uint16, text string) {
	c.leave(func(c *Conn) {
		if !c.ended {
			c.code, c.text = code, text
			c.ep.Farewell(code, text)
		}
		c.ep.Kick(c.e.now)
		c.left()
	})
}

// leave starts the end of c and sends what that sends at once.
func (c *Conn) leave(how func(*Conn)) {
	c.e.enter()
	how(c)
	c.e.flush()
	c.e.leave()
}

func (c *Conn) startClose() {
	if c.differs() {
		c.startAbort()
		return
	}
	c.ep.Close(c.e.now)
	c.left()
}

func (c *Conn) startAbort() {
	c.ep.Abort(c.e.now)
	c.left()
}

// left follows every end that the application asked for.
func (c *Conn) left() {
	c.leaving = true
	c.discardUnread()
	c.e.touch(c)
	c.e.settle(c)
}

// discardUnread forgets the messages that were left to read when the peer left: whoever closes gets no more of them.
func (c *Conn) discardUnread() {
	for range c.inbox.len() {
		ev, _ := c.inbox.pop()
		if ev.Kind == reliable.EventMessage {
			c.ep.Recycle(ev.Payload)
		} else {
			c.inbox.push(ev)
		}
	}
}

// undeliveredCount is how many reliable messages were lost with a connection that ended by err.
func undeliveredCount(err error) int {
	var d *transport.DisconnectError
	if errors.As(err, &d) {
		return d.Undelivered
	}
	return 0
}
