package udp

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
)

// Conn is one connection to one peer: one that Dial made, or one of a Host. It implements transport.Conn.
//
// In the game loop style Poll and Flush of a host's connection drive the whole host, and Next returns the events of this connection alone.
type Conn struct {
	e      *engine
	ep     *reliable.Endpoint
	remote netip.AddrPort
	local  netip.Addr // ours that the peer uses, zero if unknown
	id     uint8      // 0 at a client

	timer  deadline.Entry[*Conn]
	dirty  bool // in engine.dirty
	queued bool // in engine.ready

	leaving  bool // the application asked for the end
	ended    bool // the session is over
	released bool // the engine has forgotten it
	idFreed  bool
	silent   bool // the loser of a dial: it has no events

	heldUntil int64 // the second address of a dial sends nothing before

	inbox fifo[reliable.Event] // what was left to read at the end
	err   error                // why it ended

	code uint16 // of Kick
	text string

	offered bool          // background without handler: Connected was taken
	wake    chan struct{} // one token: Receive has something to read
	over    chan struct{} // background: closed when ended
}

var _ transport.Kicker = (*Conn)(nil)

// ID is the peer id that the host gave, 1 to 250.
func (c *Conn) ID() uint32 {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.e.dialled() {
		return uint32(c.ep.PeerID())
	}
	return uint32(c.id)
}

// LocalAddr is the address of this side, in unmapped form. It is unspecified while the socket is bound to a wildcard address and nothing has
// come in.
func (c *Conn) LocalAddr() netip.AddrPort {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	addr := unmapped(c.e.sock.LocalAddr())
	if c.local.IsValid() {
		return netip.AddrPortFrom(c.local, addr.Port())
	}
	return addr
}

// RemoteAddr is the address of the peer, in unmapped form.
func (c *Conn) RemoteAddr() netip.AddrPort {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	return c.remote
}

// Local is always false.
func (c *Conn) Local() bool { return false }

// MaxPayload is 1199 for Unreliable, 1195 for ReliableOrdered and 0 for modes that the base protocol does not have.
func (c *Conn) MaxPayload(d transport.Delivery) int { return maxPayload(d) }

// Supports reports whether Send takes messages of this mode on this channel: Unreliable and ReliableOrdered on channel 0.
func (c *Conn) Supports(d transport.Delivery, channel uint8) bool {
	return channel == 0 && maxPayload(d) > 0
}

// Send queues a copy of payload; see transport.Conn. In the background style it transmits what may leave now before it returns.
func (c *Conn) Send(payload []byte, o transport.SendOptions) error {
	if err := checkMessage(len(payload), o); err != nil {
		return err
	}
	c.e.enter()
	defer c.e.leave()
	return c.send(payload, o)
}

func (c *Conn) send(payload []byte, o transport.SendOptions) error {
	err := c.ep.Send(c.e.now, payload, machineOptions(o))
	if err != nil {
		return sendError(err, c.err)
	}
	c.e.touch(c)
	return nil
}

// Sendable reports how many more bytes of messages the send queue takes.
func (c *Conn) Sendable() int {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	return c.ep.Sendable()
}

// Poll drives the connection in a game loop, as Next and Flush do. In the background style they do nothing and Next reports false.
func (c *Conn) Poll() { c.e.poll() }

// Next returns the next event. Its payload is lent until the next Poll.
func (c *Conn) Next() (transport.Event, bool) { return c.e.nextOf(c) }

// Flush sends what is queued.
func (c *Conn) Flush() { c.e.flushNow() }

// NextDeadline is when a game loop that has called Poll, Next and Flush has to call them again if nothing comes in before, in nanoseconds of
// Config.Clock; math.MaxInt64 is never.
func (c *Conn) NextDeadline() int64 { return c.e.nextDeadline() }

// Receive blocks until the next Message or Outcome event; see transport.Conn. Several goroutines may call it. It returns
// transport.ErrHandler if events go to Config.Handler.
func (c *Conn) Receive(ctx context.Context, buf []byte) (transport.Event, error) {
	if err := c.e.cannotBlock(); err != nil {
		return transport.Event{}, err
	}
	for {
		if err := ctx.Err(); err != nil {
			signal(c.wake) // the token may have been for somebody else
			return transport.Event{}, err
		}
		if ev, ok, err := c.e.receiveOf(c, buf); ok || err != nil {
			return ev, err
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
		}
	}
}

// Err is nil while the connection is open or being made, and says why it ended afterwards.
func (c *Conn) Err() error {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	return c.err
}

// RTT is the smoothed round-trip time, 0 before the first measurement. In a game loop it holds what datagrams wait for the next Poll, at both
// ends.
func (c *Conn) RTT() time.Duration { return c.Stats().RTTSmoothed }

// HostStats returns the counters of the socket under this connection, which are those of its host if it has one.
func (c *Conn) HostStats() HostStats { return c.e.stats() }

// Stats returns the counters of this connection.
func (c *Conn) Stats() Stats {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	return c.ep.Stats()
}

// answerFrom is the address that datagrams to the peer are sent from. A client leaves it to the system.
func (c *Conn) answerFrom() netip.Addr {
	if c.e.dialled() {
		return netip.Addr{}
	}
	return c.local
}

func maxPayload(d transport.Delivery) int {
	switch d {
	case transport.Unreliable:
		return framing.MaxUnreliable
	case transport.ReliableOrdered:
		return framing.MaxReliable
	}
	return 0
}

// checkMessage finds what is wrong with a message whoever it goes to.
func checkMessage(size int, o transport.SendOptions) error {
	limit := maxPayload(o.Delivery)
	switch {
	case limit == 0 || o.Channel != 0:
		return transport.ErrNotOnBase
	case o.TTL < 0:
		return fmt.Errorf("udp: SendOptions.TTL is %v: it must not be negative", o.TTL)
	case size > limit:
		return &transport.TooLargeError{Size: size, Limit: limit}
	}
	return nil
}

// machineOptions are o in terms of the machine.
func machineOptions(o transport.SendOptions) reliable.SendOptions {
	return reliable.SendOptions{Mode: reliable.Mode(o.Delivery), Channel: o.Channel, TTL: o.TTL, Urgent: o.Urgent, Receipt: o.Receipt}
}
