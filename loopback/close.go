package loopback

import "github.com/gannet-net/gannet/transport"

// Close ends the connection. The other end still reads all that was sent to it. It returns nil at once, because nothing is under way.
func (c *Conn) Close() error {
	c.end(transport.ClosedLocally, 0, "")
	return nil
}

// Abort does the same as Close: what was sent is with the other end already.
func (c *Conn) Abort() { c.end(transport.ClosedLocally, 0, "") }

// Kick ends the connection as Close does, but this end reports Kicked, and the other end sees code and text in its [transport.DisconnectError].
func (c *Conn) Kick(code uint16, text string) { c.end(transport.Kicked, code, text) }

// end closes both ends, unless they are, and discards what this end has not read, also if the other end was faster: whoever closes
// gets no further message.
func (c *Conn) end(cause transport.Cause, code uint16, text string) {
	now := c.pipe.clock()
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.err == nil {
		c.finish(now, &transport.DisconnectError{Cause: cause, Code: code, Text: text})
		c.peer.finish(now, &transport.DisconnectError{Cause: transport.ClosedByPeer, Code: code, Text: text})
	}
	c.discard()
}

// finish makes this end closed: nothing can be queued behind its Disconnected event.
func (c *Conn) finish(now int64, err *transport.DisconnectError) {
	c.err = err
	c.push(c.pipe.newEntry(transport.Event{Kind: transport.Disconnected, Err: err, At: now}))
}

// discard drops the unread messages; outcomes stay.
func (c *Conn) discard() {
	for e := c.inbox.front; e != nil; {
		next := e.next
		if e.event.Kind == transport.Message {
			c.drop(e)
		}
		e = next
	}
}
