package udp

import (
	"errors"
	"net/netip"
	"slices"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
)

// Host listens on one socket and has a Conn for each client that it admitted.
type Host struct {
	e *engine
}

// Listen opens a host on addr, which is "IP:port", "name:port" or ":port"; port 0 lets the system choose, see Addr. "" is ":0". addr is
// ignored if Config has a Socket or a PacketConn.
func Listen(addr string, c Config) (*Host, error) {
	e, err := openHost(addr, c)
	if err != nil {
		return nil, err
	}
	e.start()
	return &Host{e}, nil
}

// openHost opens a host that has yet to be started.
func openHost(addr string, c Config) (*engine, error) {
	c, err := c.check()
	if err != nil {
		return nil, err
	}
	if problem := c.checkAdmits(addr); problem != nil {
		return nil, problem
	}
	if addr == "" {
		addr = ":0"
	}
	e, err := newEngine(c, framing.Host, "udp", addr)
	if err != nil {
		return nil, err
	}
	e.openDoor()
	return e, nil
}

// Addr is the address that the host is bound to, in unmapped form.
func (h *Host) Addr() netip.AddrPort { return unmapped(h.e.sock.LocalAddr()) }

// Conns is a snapshot of the connections that stand, in the order in which they came, attached ones last.
func (h *Host) Conns() []transport.Conn {
	locals := h.e.openLocals()
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	list := make([]transport.Conn, 0, h.e.order.len()+len(locals))
	for c := range h.e.order.all() {
		if c.stands() {
			list = append(list, c)
		}
	}
	return append(list, locals...)
}

// Find gives the connection that stands with the peer at addr, in either spelling of an IPv4 address, nil if there is none.
func (h *Host) Find(addr netip.AddrPort) *Conn {
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	if c := h.e.sessions.at[unmapped(addr)]; c != nil {
		return c
	}
	if c := h.e.peers[unmapped(addr)]; c != nil && !c.ended {
		return c
	}
	return nil
}

// Key is the public key by which clients know this host, zero on the base protocol.
func (h *Host) Key() secure.Key {
	if h.e.sessions.host == nil {
		return secure.Key{}
	}
	return h.e.sessions.host.Key()
}

// SetTokenKeys replaces Config.TokenKeys while the host runs. Sessions that stand are not concerned. While one key is replaced by another, give
// both. The base protocol has no tokens, so there it is an error.
func (h *Host) SetTokenKeys(keys ...secure.TokenKey) error {
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	if h.e.sessions.host == nil {
		return errors.New("udp: SetTokenKeys: the base protocol has no tokens: leave Config.Protocol out for the secure one")
	}
	return h.e.sessions.host.SetTokenKeys(keys...)
}

// Poll reads what the socket holds, lets timers run and answers peers, in the game loop style. It takes back all payloads that
// Next lent.
func (h *Host) Poll() { h.e.poll() }

// Next returns the next event of any connection, in turn between them, in the game loop style. It reports false when there is none. The
// payload is lent until the next Poll.
func (h *Host) Next() (ev transport.Event, ok bool) {
	ok = h.e.next(&ev)
	return ev, ok
}

// Flush sends what was queued by Send since Poll, in the game loop style.
func (h *Host) Flush() { h.e.flushNow() }

// NextDeadline is when a game loop that has called Poll, Next and Flush has to call them again if nothing comes in before, in nanoseconds of
// Config.Clock; math.MaxInt64 is never. Attached connections have no deadlines.
func (h *Host) NextDeadline() int64 { return h.e.nextDeadline() }

// Close closes all connections gracefully, takes no new ones, and then closes the socket. In the background style it blocks until that is
// done, for the linger time at most, and returns an *transport.UndeliveredError if messages were not acknowledged. In a game loop it
// returns at once: keep driving until Closed reports true. Sends from then on return a *transport.DisconnectError, Broadcast and Attach
// ErrHostClosed. It may be called any number of times, from anywhere.
func (h *Host) Close() error {
	conns := h.end((*Conn).startClose, func(c transport.Conn) { _ = c.Close() })
	if !h.e.background() {
		return nil
	}
	<-h.e.over
	lost := 0
	for _, c := range conns {
		lost += undeliveredCount(c.Err())
	}
	if lost > 0 {
		return &transport.UndeliveredError{Messages: lost}
	}
	return nil
}

// Closed reports whether what Close or Abort began is over: every connection has ended and the socket is closed. Events may still wait
// for Next.
func (h *Host) Closed() bool {
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	return h.e.down
}

// Abort closes all connections at once. It returns before the last Disconnect was sent; see Close for the game loop.
func (h *Host) Abort() { h.end((*Conn).startAbort, transport.Conn.Abort) }

// end starts the end of every connection and returns those of the socket.
func (h *Host) end(how func(*Conn), howLocal func(transport.Conn)) []*Conn {
	e := h.e
	e.enter()
	e.stop()
	conns := slices.Collect(e.order.all())
	for _, c := range conns {
		if c.hidden && !c.ended {
			c.ep.Farewell(transport.CodeFull, "the host is closing")
		}
		how(c)
	}
	e.flush()
	locals := e.locals.conns
	e.leave()
	for _, conn := range locals {
		howLocal(conn)
	}
	return conns
}

// Stats returns the counters of the host.
func (h *Host) Stats() HostStats { return h.e.stats() }
