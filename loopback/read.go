package loopback

import (
	"context"

	"github.com/gannet-net/gannet/transport"
)

// Poll takes back the payloads that Next lent, and lets Next return what has come in since. In the background style it does nothing.
func (c *Conn) Poll() {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	for _, b := range c.lent {
		c.pipe.pool.put(b)
	}
	clear(c.lent)
	c.lent = c.lent[:0]
	c.seen = c.inbox.last
}

// Next returns the next event that was there at the last Poll. The payload is lent until the next Poll. In the background style it reports
// false.
func (c *Conn) Next() (transport.Event, bool) {
	if c.driving != transport.GameLoop {
		return transport.Event{}, false
	}
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	e := c.inbox.front
	if e == nil || e.seq > c.seen {
		return transport.Event{}, false
	}
	ev := c.take(e)
	if ev.Payload != nil {
		c.lent = append(c.lent, ev.Payload)
	}
	return clipped(ev), true
}

// Receive blocks until the next Message or Outcome event, as [transport.Conn] says. An event that waits already comes before the end of ctx.
func (c *Conn) Receive(ctx context.Context, buf []byte) (transport.Event, error) {
	if c.driving == transport.GameLoop {
		return transport.Event{}, transport.ErrGameLoop
	}
	if c.handler != nil {
		return transport.Event{}, transport.ErrHandler
	}
	for {
		if err := ctx.Err(); err != nil {
			return transport.Event{}, err
		}
		if ev, err, ok := c.tryReceive(buf); ok {
			return ev, err
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
		}
	}
}

// tryReceive reports false if nothing waits. The Disconnected event stays in the inbox, so that every Receive from then on finds it.
func (c *Conn) tryReceive(buf []byte) (ev transport.Event, err error, ok bool) {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	e := c.inbox.front
	if e == nil {
		return ev, nil, false
	}
	// One signal may stand for several entries, and several goroutines may wait.
	defer c.signalIfUnread()
	if e.event.Kind == transport.Disconnected {
		return ev, e.event.Err, true
	}
	ev = c.take(e)
	if b := ev.Payload; b != nil {
		ev.Payload = append(buf[:0], b...)
		c.pipe.pool.put(b)
	}
	return ev, nil, true
}

func (c *Conn) signalIfUnread() {
	if c.inbox.front != nil {
		c.signal()
	}
}

// serve calls the handler with each event, the last included. It is the goroutine of an end that has a handler.
func (c *Conn) serve() {
	for range c.wake {
		if c.handleUnread() {
			return
		}
	}
}

// handleUnread reports whether the connection's last event was handled.
func (c *Conn) handleUnread() bool {
	for {
		ev, ok := c.nextForHandler()
		if !ok {
			return false
		}
		c.handler(clipped(ev))
		if ev.Kind == transport.Disconnected {
			return true
		}
		c.giveBack(ev.Payload)
	}
}

func (c *Conn) nextForHandler() (transport.Event, bool) {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.inbox.front == nil {
		return transport.Event{}, false
	}
	return c.take(c.inbox.front), true
}

func (c *Conn) giveBack(payload []byte) {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	c.pipe.pool.put(payload)
}

// clipped returns ev with a payload to which an append makes a copy, so that it does not write into a buffer that is only lent.
func clipped(ev transport.Event) transport.Event {
	ev.Payload = ev.Payload[:len(ev.Payload):len(ev.Payload)]
	return ev
}

// take removes e from the inbox and returns its event. Call with pipe.mu held, as all below.
func (c *Conn) take(e *entry) transport.Event {
	c.inbox.remove(e)
	ev := e.event
	switch ev.Kind {
	case transport.Message:
		c.peer.release(e)
	case transport.Outcome:
		c.release(e.message)
		c.pipe.recycle(e)
	default:
		c.pipe.recycle(e)
	}
	return ev
}

// drop removes an unread message for good.
func (c *Conn) drop(e *entry) { c.pipe.pool.put(c.take(e).Payload) }

// release ends one hold on m, a message that this end has sent.
func (c *Conn) release(m *entry) {
	m.holds--
	if m.holds > 0 {
		return
	}
	c.sent.remove(m.size)
	c.pipe.recycle(m)
}
