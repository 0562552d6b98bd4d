package loopback

import (
	"fmt"

	"github.com/gannet-net/gannet/transport"
)

// MaxPayload is 1 MiB in reliable modes, 64 KiB in the others and 0 in modes that do not exist.
func (c *Conn) MaxPayload(d transport.Delivery) int {
	switch {
	case d > transport.ReliableSequenced:
		return 0
	case d.Reliable():
		return maxReliable
	}
	return maxLossy
}

// Supports reports whether the mode and the channel exist: all five modes and channels 0 to 63.
func (c *Conn) Supports(d transport.Delivery, channel uint8) bool {
	return d <= transport.ReliableSequenced && channel < channels
}

// Send copies payload into the queue of the other end, as [transport.Conn] says. It does not run the other end's code.
func (c *Conn) Send(payload []byte, o transport.SendOptions) error {
	if err := c.check(len(payload), o); err != nil {
		return err
	}
	now := c.pipe.clock()
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if !c.makeRoom(len(payload), o.Delivery) {
		return transport.ErrQueueFull
	}
	c.deliver(now, payload, o)
	return nil
}

func (c *Conn) check(size int, o transport.SendOptions) error {
	if o.Delivery > transport.ReliableSequenced {
		return fmt.Errorf("loopback: delivery mode %d does not exist", o.Delivery)
	}
	if o.Channel >= channels {
		return fmt.Errorf("loopback: channel %d does not exist: channels are 0 to %d", o.Channel, channels-1)
	}
	if limit := c.MaxPayload(o.Delivery); size > limit {
		return &transport.TooLargeError{Size: size, Limit: limit}
	}
	return nil
}

// makeRoom reports whether a message fits, after it pushed out older lossy ones if it is lossy itself. Nothing is pushed out in vain.
func (c *Conn) makeRoom(size int, d transport.Delivery) bool {
	if c.sent.takes(size, 0, 0) {
		return true
	}
	unread := &c.peer.inbox
	if d.Reliable() || !c.sent.takes(size, unread.lossyCount, unread.lossyPayload) {
		return false
	}
	for !c.sent.takes(size, 0, 0) {
		c.peer.drop(unread.lossyFront)
	}
	return true
}

// deliver hands a copy of payload to the other end, and to this end the outcome if one was asked for.
func (c *Conn) deliver(now int64, payload []byte, o transport.SendOptions) {
	b := c.pipe.pool.get(len(payload))
	copy(b, payload)
	m := c.pipe.newEntry(transport.Event{
		Kind: transport.Message, Payload: b, Delivery: o.Delivery, Channel: o.Channel, At: now,
	})
	m.size, m.holds = len(b), 1
	m.droppable = !o.Delivery.Reliable() && o.Receipt == 0
	c.sent.add(m.size)
	c.peer.push(m)
	if o.Receipt != 0 {
		c.report(now, m, o.Receipt)
	}
}

// report queues the outcome of m, which was delivered.
func (c *Conn) report(now int64, m *entry, receipt uint64) {
	e := c.pipe.newEntry(transport.Event{
		Kind: transport.Outcome, Receipt: receipt, Fate: transport.Delivered, At: now,
	})
	e.message = m
	m.holds++
	c.push(e)
}

// Sendable reports how many more bytes the other end's queue takes without pushing anything out; 0 once the connection is closed.
func (c *Conn) Sendable() int {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.err != nil {
		return 0
	}
	return c.sent.room()
}

// Flush does nothing: messages are with the other end as soon as Send returns.
func (c *Conn) Flush() {}
