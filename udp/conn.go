package udp

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"

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
	local  netip.Addr    // ours that the peer uses, zero if unknown
	id     atomic.Uint32 // at a client 0 until it is connected
	plain  bool          // of the base protocol

	session *session // nil on the base protocol

	timer  deadline.Entry[*Conn]
	dirty  bool // in engine.dirty
	queued bool // in engine.ready

	leaving  bool // the application asked for the end
	ended    bool // the session is over
	released bool // the engine has forgotten it
	idFreed  bool
	place    int  // in engine.order
	hidden   bool // the application does not know of it: a dial without an answer, the loser of one, a client that is not admitted

	heldUntil int64 // the second address of a dial sends nothing before

	inbox fifo[reliable.Event] // what was left to read at the end
	err   error                // why it ended
	cause reliable.Cause       // likewise, as its machine has it

	failure error           // of a dial, if the machine does not know it
	why     transport.Cause // likewise of a connection

	code uint16 // of Kick
	text string

	countedAt netip.Addr // in door.addresses

	offered bool          // background without handler: Connected was taken
	wake    chan struct{} // one token: Receive has something to read
	over    chan struct{} // background: closed when ended
}

var _ transport.Kicker = (*Conn)(nil)

// ID is the peer id that the host gave: 1 to 65000, on the base protocol to 250.
func (c *Conn) ID() uint32 { return c.id.Load() }

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

// MaxPayload is 1 MiB in reliable modes and 64 KiB in others. On the base protocol it is 1199 for Unreliable, 1195 for ReliableOrdered and 0 for
// what does not exist there.
func (c *Conn) MaxPayload(d transport.Delivery) int { return c.modes().maxPayload(d) }

// Supports reports whether Send takes messages of this mode on this channel: all five on channels 0 to 63; on the base protocol Unreliable and
// ReliableOrdered on channel 0.
func (c *Conn) Supports(d transport.Delivery, channel uint8) bool {
	return int(channel) < c.modes().channels && c.MaxPayload(d) > 0
}

// Send queues a copy of payload; see transport.Conn. In the background style it transmits what may leave now before it returns.
func (c *Conn) Send(payload []byte, o transport.SendOptions) error {
	if err := c.modes().check(len(payload), &o); err != nil {
		return err
	}
	if c.e.background() || o.TTL > 0 {
		c.e.enter()
		defer c.e.leave()
		return c.send(payload, &o)
	}
	// Nothing leaves before Flush, and nothing but a time to live asks when this was.
	c.e.mu.Lock()
	err := c.send(payload, &o)
	c.e.mu.Unlock()
	return err
}

func (c *Conn) send(payload []byte, o *transport.SendOptions) error {
	if c.session != nil && c.session.waiting && !c.ended {
		return transport.ErrNotConnected
	}
	m := machineOptions(o)
	err := c.ep.SendAs(c.e.now, payload, &m)
	if err != nil {
		return sendError(err, c.err)
	}
	c.e.touch(c)
	return nil
}

// Sendable reports how many more bytes of messages the send queue takes. On channels of ClassBulk it takes an eighth of the queue less.
func (c *Conn) Sendable() int {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.session != nil && c.session.waiting {
		return 0
	}
	return c.ep.Sendable()
}

// Poll drives the connection in a game loop, as Next and Flush do. In the background style they do nothing and Next reports false.
func (c *Conn) Poll() { c.e.poll() }

// Next returns the next event. Its payload is lent until the next Poll.
func (c *Conn) Next() (ev transport.Event, ok bool) {
	ok = c.e.nextOf(c, &ev)
	return ev, ok
}

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

// machineOptions are o in terms of the machine.
func machineOptions(o *transport.SendOptions) reliable.SendOptions {
	return reliable.SendOptions{Mode: reliable.Mode(o.Delivery), Channel: o.Channel, TTL: o.TTL, Urgent: o.Urgent, ReplaceKey: o.ReplaceKey, Receipt: o.Receipt}
}
