package udp

import (
	"net/netip"

	"github.com/gannet-net/gannet/framing"
)

// receive takes one datagram.
func (e *engine) receive(d []byte, from netip.AddrPort, at netip.Addr) {
	e.counters.received(len(d))
	drop := e.route(d, unmapped(from), at)
	e.counters.drops.Count(drop)
	e.opened(drop)
}

// route finds whom a datagram is for. A peer's machine makes the checks of PROTOCOL.md 6 in their order; the door makes
// them for strangers.
func (e *engine) route(d []byte, from netip.AddrPort, at netip.Addr) framing.Drop {
	if e.sessions.host != nil && isSecure(d) {
		return e.routeSecure(d, from, at)
	}
	c := e.peers[from]
	if c != nil && e.dialled() && at.IsValid() {
		c.local = at
	}
	switch {
	case e.dialled() && e.cfg.Protocol != Base:
		return e.routeToClient(c, d)
	case e.sessions.host == nil:
	case e.sessions.at[from] != nil && isPlain(d):
		return framing.DropPlainOnSecure
	}
	if c != nil && !e.concernsDoor(d) {
		return e.handle(c, d)
	}
	f, drop := framing.Parse(d, e.role)
	switch {
	case c != nil && drop != framing.Accepted:
		return e.handle(c, d)
	case drop != framing.Accepted:
		return drop
	case e.dialled():
		return framing.DropNoPeer
	case c != nil:
		return e.connectAgain(c, f, d, at)
	}
	return e.stranger(f, from, at)
}

// concernsDoor reports whether a datagram of a known peer may be more than its machine's affair.
func (e *engine) concernsDoor(d []byte) bool {
	return !e.dialled() && len(d) > 0 && framing.Kind(d[0]) == framing.KindConnect
}

// isPlain reports whether a datagram is of a kind of the base protocol.
func isPlain(d []byte) bool {
	return len(d) > 0 && framing.Kind(d[0]) >= framing.KindConnect && framing.Kind(d[0]) <= framing.KindDisconnect
}

func (e *engine) handle(c *Conn, d []byte) framing.Drop {
	drop := c.ep.HandleDatagram(e.now, d)
	e.touch(c)
	e.settle(c)
	return drop
}
