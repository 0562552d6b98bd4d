package loopback

import (
	"net/netip"

	"github.com/gannet-net/gannet/transport"
)

// Conn is one end of a pipe. It implements [transport.Conn]; what it does differently from a connection over a network is in the package
// comment.
type Conn struct {
	pipe    *pipe
	peer    *Conn
	id      uint32
	driving transport.Driving
	handler func(transport.Event)

	// wake holds a signal while somebody should look at the inbox.
	wake chan struct{}

	// Guarded by pipe.mu.
	inbox queue                      // what this end has not read
	seen  uint64                     // the newest entry that Next may return
	lent  [][]byte                   // payloads that Next returned since the last Poll
	sent  budget                     // what this end has sent
	err   *transport.DisconnectError // why the connection ended, nil while it is open
}

var _ transport.Kicker = (*Conn)(nil)

// connected queues the Connected event where it is seen: Receive does not show it. Call with pipe.mu held.
func (c *Conn) connected(now int64) {
	if c.driving == transport.GameLoop || c.handler != nil {
		c.push(c.pipe.newEntry(transport.Event{Kind: transport.Connected, At: now}))
	}
}

// push queues an event of this end. Call with pipe.mu held.
func (c *Conn) push(e *entry) {
	e.event.Conn = c
	c.inbox.push(e)
	c.signal()
}

func (c *Conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// ID returns the number that Config gave.
func (c *Conn) ID() uint32 { return c.id }

// LocalAddr returns the zero address: there is no network.
func (c *Conn) LocalAddr() netip.AddrPort { return netip.AddrPort{} }

// RemoteAddr returns the zero address: there is no network.
func (c *Conn) RemoteAddr() netip.AddrPort { return netip.AddrPort{} }

// Local is true.
func (c *Conn) Local() bool { return true }

// Err is nil while the connection is open and a *transport.DisconnectError afterwards, also while the inbox still holds messages.
func (c *Conn) Err() error {
	c.pipe.mu.Lock()
	defer c.pipe.mu.Unlock()
	if c.err == nil {
		return nil
	}
	return c.err
}
