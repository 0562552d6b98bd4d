package udp

import (
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
)

// join makes a peer of a client that has confirmed its session with d. Nothing is sent to it, and the application does not hear of it, until
// it is admitted.
func (e *engine) join(j *secure.Join, d []byte, at netip.Addr) framing.Drop {
	c := e.newConn(j.From, at)
	c.id.Store(uint32(j.PeerID))
	c.hidden, c.heldUntil = true, deadline.Never
	c.session = &session{sealer: j.Session, peer: j.Identity, fingerprint: j.Fingerprint, peerID: j.PeerID, ticketAt: e.now, paths: secure.NewPaths(j.From), trial: e.newTrial()}
	c.session.exchange = e.compare(j.Fingerprint)
	c.ep = e.secureEndpoint(c, j.RTT, j.Silence)
	e.remember(c)
	drop := c.ep.HandleDatagram(e.now, d)
	if c.differs() {
		e.turnApart(c, j.ConnectData)
		return drop
	}
	switch full := e.noRoomFor(&c.session.peer, c.remote.Addr(), 0); {
	case c.ep.State() == reliable.StateClosed: // it has given up meanwhile
		e.settle(c)
	case full != "":
		e.turnAway(c, transport.CodeFull, full)
	case e.cfg.Admit == nil:
		e.welcome(c)
	case !e.queue(knock{from: c.remote, at: c.local, conn: c, data: j.ConnectData}):
		e.turnAway(c, transport.CodeFull, "too many ask at once")
	}
	return drop
}

// What the host takes of a client that waits to be admitted: a stranger must not fill its memory. It sends again what was dropped.
const (
	maxEarly   = 16 << 10 // bytes of datagrams
	signOfLife = 64       // datagrams up to so many bytes do not count
)

// tooEarly reports whether d is more than c may send before it is admitted. A client with another catalogue has limits of its own.
func (c *Conn) tooEarly(d []byte) bool {
	return c.hidden && !c.differs() && len(d) > signOfLife && c.session.early >= maxEarly
}

func (c *Conn) noteEarly(d []byte) {
	if c.hidden && len(d) > signOfLife {
		c.session.early += len(d)
	}
}

// noRoomFor says why there is no place for a client, if as many others come before it, "" if there is one. Whoever takes over a session of its own
// takes its place.
func (e *engine) noRoomFor(who *secure.Identity, at netip.Addr, others int) string {
	switch {
	case e.sessions.players[playerOf(who)] != nil:
		return ""
	case e.door.sessions+others >= e.cfg.MaxPeers:
		return "full"
	case who.Kind != secure.ByToken && e.crowded(at, others):
		return "too many clients of one address"
	}
	return ""
}

// welcome makes c known to the application, and then the end of the session that it takes over.
func (e *engine) welcome(c *Conn) {
	e.takeOver(c)
	c.hidden, c.heldUntil = false, e.now
	e.counters.admitted++
	e.door.came(c)
	e.sessions.at[c.remote] = c
	e.touch(c)
	e.settle(c)
}

// turnAway ends a session that the application has not heard of.
func (e *engine) turnAway(c *Conn, code uint16, text string) {
	e.counters.refused++
	c.ep.Farewell(code, text)
	c.ep.Kick(e.now)
	e.touch(c)
	e.settle(c)
}

// decideJoin does what Admit said about c, if there is still room.
func (e *engine) decideJoin(c *Conn, refusal *Refusal) {
	full := e.noRoomFor(&c.session.peer, c.remote.Addr(), 0)
	switch {
	case refusal != nil:
		e.turnAway(c, refusal.Code, refusal.Text)
	case full != "":
		e.turnAway(c, transport.CodeFull, full)
	default:
		e.welcome(c)
	}
}
