package udp

import (
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/secure"
)

// handleSealed takes a datagram of a session, from whatever address, and looks whether its client has moved (PROTOCOL.md 23).
func (e *engine) handleSealed(c *Conn, d []byte, from netip.AddrPort, at netip.Addr) framing.Drop {
	if c.ended {
		return e.answerEnded(c, d, from, at)
	}
	s := c.session
	if c.tooEarly(d) {
		return framing.DropRate
	}
	highest := s.sealer.Highest()
	drop := c.ep.HandleDatagram(e.now, d)
	if drop == framing.Accepted {
		c.noteEarly(d)
		newest := s.sealer.Highest() > highest
		if newest && from != c.remote {
			s.candidateLocal = at
		}
		s.paths.Received(from, len(d), newest)
		e.followPath(c, from, at)
	}
	e.touch(c)
	e.settle(c)
	e.ackAtOnce(c)
	return drop
}

// followPath takes the answer to a challenge, if there is one.
func (e *engine) followPath(c *Conn, from netip.AddrPort, at netip.Addr) {
	random, ok := c.ep.PollPathResponse()
	if !ok {
		return
	}
	switch event, rtt := c.session.paths.Responded(e.now, from, random); event {
	case secure.PathMoved:
		c.ep.PathChanged(e.now, rtt)
		e.moveTo(c, from, at)
	case secure.PathProved:
		e.moveTo(c, from, at)
	}
}

// moveTo takes note of the address at which a peer is now.
func (e *engine) moveTo(c *Conn, remote netip.AddrPort, local netip.Addr) {
	e.counters.moved++
	s := &e.sessions
	if s.at[c.remote] == c {
		delete(s.at, c.remote)
	}
	if c.stands() {
		s.at[remote] = c
	}
	if c.countedAt.IsValid() {
		e.door.uncount(c)
		e.door.count(c, remote.Addr())
	}
	c.remote, c.local = remote, local
}

// challenge sends a PathChallenge if one is due.
func (e *engine) challenge(c *Conn) {
	p := &c.session.paths
	if e.now < p.NextDeadline() {
		return
	}
	var random [8]byte
	e.random.Read(random[:])
	if challenge, to, ok := p.Poll(e.now, random); ok {
		e.write(c.ep.AppendPathChallenge(e.now, e.blank(), challenge), to, c.session.candidateLocal)
	}
}

// send sends one datagram to where the peer is, or may be.
func (e *engine) send(c *Conn, d []byte) {
	if c.plain {
		e.write(d, c.remote, c.answerFrom())
		return
	}
	to, local := c.remote, netip.Addr{}
	if !e.dialled() {
		if to, local = c.session.paths.Target(len(d)), c.local; to != c.remote {
			local = c.session.candidateLocal
		}
	}
	joins := e.offload.send == OffloadActive && c.session.trial.joins()
	c.leftInRuns(e.writeJoined(d, to, local, joins))
}
