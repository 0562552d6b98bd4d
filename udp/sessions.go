package udp

import (
	"encoding/binary"
	"math"
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
)

// sessions are the peers of a host on the secure protocol, found by what they are found by. Those that have ended stay for 3 s, to tell a
// peer which missed it. The zero value is that of a host, or a client, without the secure protocol.
type sessions struct {
	host    *secure.Host
	ids     *peerIDs
	byID    map[uint32]*Conn         // by the id that Sealed datagrams carry
	at      map[netip.AddrPort]*Conn // that stand; the newest of its address
	players map[player]*Conn         // that stand, by who they are
	ended   fifo[endedSession]
	shards  *shards               // nil if this is the only host of its port
	timer   deadline.Entry[*Conn] // of the handshakes and of ended; its Value is nil
}

type endedSession struct {
	conn  *Conn
	until int64
}

// openDoor lets strangers in: the door judges those of the base protocol, a machine of its own those of the secure protocol.
func (e *engine) openDoor() {
	var rateKey [16]byte
	e.random.Read(rateKey[:])
	e.door = newDoor(e.cfg, rateKey)
	if e.cfg.Protocol == Base {
		return
	}
	s := &e.sessions
	s.ids = &e.door.ids
	s.byID, s.at, s.players = make(map[uint32]*Conn), make(map[netip.AddrPort]*Conn), make(map[player]*Conn)
	host, err := secure.NewHost(e.now, e.hostConfig())
	if err != nil {
		panic("BUG: udp: " + err.Error()) // Config.check has judged all of it
	}
	s.host = host
}

// registry is what secure.Host asks for. Whether there is room for another peer is decided when the client has proved to be there: one that
// waits must not keep others out.
type registry struct{ e *engine }

func (r registry) TakePeerID(wanted uint16) uint16 {
	ids := r.e.sessions.ids
	if ids.takeThis(wanted) {
		return wanted
	}
	return ids.take()
}

func (r registry) FreePeerID(id uint16) { r.e.sessions.ids.give(id) }
func (r registry) HasSession(id uint32) bool {
	return r.e.sessions.byID[id] != nil || r.e.sessions.shards.has(id)
}

func (r registry) Admits(from netip.AddrPort, who *secure.Identity, unconfirmed int) bool {
	return r.e.cfg.Admit == nil && r.e.noRoomFor(who, from.Addr(), unconfirmed) == ""
}

// find gives the session that a datagram names, nil if there is none.
func (s *sessions) find(d []byte) *Conn {
	if len(d) < handshake.SealedHead {
		return nil
	}
	return s.byID[binary.LittleEndian.Uint32(d[1:])]
}

func (e *engine) remember(c *Conn) {
	id := c.session.sealer.ID()
	e.sessions.byID[id] = c
	e.sessions.shards.set(id, e)
}

func (s *sessions) forget(c *Conn) {
	id := c.session.sealer.ID()
	delete(s.byID, id)
	s.shards.set(id, nil)
}

// isSecure reports whether a datagram is of a kind that only the secure protocol has.
func isSecure(d []byte) bool {
	return len(d) > 0 && handshake.Name(framing.Kind(d[0])) != ""
}

// routeSecure finds whom a datagram of the secure protocol is for.
func (e *engine) routeSecure(d []byte, from netip.AddrPort, at netip.Addr) framing.Drop {
	if framing.Kind(d[0]) == handshake.KindSealed {
		if c := e.sessions.find(d); c != nil {
			return e.handleSealed(c, d, from, at)
		}
		if other := e.elsewhere(d); other != nil {
			return e.handOver(other, d, from, at)
		}
	}
	if e.closing {
		return framing.DropClosed
	}
	h := e.sessions.host
	answer, drop := h.Handle(e.now, e.cfg.UnixTime(), e.blank(), d, from)
	if len(answer) > 0 {
		e.write(answer, from, at)
	}
	for j, ok := h.Poll(); ok; j, ok = h.Poll() {
		drop = e.join(&j, d, at)
	}
	e.armSessions()
	return drop
}

// answersLonger is by how much an answer to an address that is not proved may be longer than what came from there.
const answersLonger = 3

// answerEnded lets a session that has ended tell it to a peer that has not heard. If the peer has moved, that is where its newest datagram came from: nobody asks
// any more whether it is there (PROTOCOL.md 20).
func (e *engine) answerEnded(c *Conn, d []byte, from netip.AddrPort, at netip.Addr) framing.Drop {
	highest := c.session.sealer.Highest()
	drop := c.ep.HandleDatagram(e.now, d)
	newest := c.session.sealer.Highest() > highest
	for out := c.ep.PollDatagram(e.now, e.blank()); len(out) > 0; out = c.ep.PollDatagram(e.now, e.blank()) {
		to, local := c.remote, c.answerFrom()
		if newest && len(out) <= answersLonger*len(d) {
			to, local, newest = from, at, false
		}
		e.write(out, to, local)
	}
	if !c.released {
		e.touch(c)
		e.settle(c)
	}
	return drop
}

// left takes note that the session of c is over, though it may still say so.
func (s *sessions) left(c *Conn) {
	if s.at[c.remote] == c {
		delete(s.at, c.remote)
	}
	if who := playerOf(&c.session.peer); s.players[who] == c {
		delete(s.players, who)
	}
}

// bury keeps a session for its tombstone's time if it can still tell its peer of its end. Where the peer fell silent it has nothing to
// tell: what comes from it gets a Reset.
func (e *engine) bury(c *Conn) {
	s := &e.sessions
	if c.cause == reliable.TimedOut || c.cause == reliable.SocketFailed {
		s.forget(c)
		return
	}
	s.ended.push(endedSession{c, e.now + tombstoneTime})
	s.sweep(e.now)
	e.armSessions()
}

// tickSessions ends what was not confirmed in time, and forgets what has been over for long enough.
func (e *engine) tickSessions() {
	s := &e.sessions
	s.host.Tick(e.now)
	s.sweep(e.now)
	e.armSessions()
}

// forgetStrangers gives back the ids of sessions that nobody can confirm any more.
func (s *sessions) forgetStrangers() {
	if s.host != nil {
		s.host.Tick(math.MaxInt64)
	}
}

func (s *sessions) sweep(now int64) {
	for s.ended.len() > 0 && (now >= s.ended.at(0).until || s.ended.len() > maxTombstones) {
		oldest, _ := s.ended.pop()
		s.forget(oldest.conn)
	}
}

func (e *engine) armSessions() {
	s := &e.sessions
	next := s.host.NextDeadline()
	if s.ended.len() > 0 {
		next = min(next, s.ended.at(0).until)
	}
	e.timers.Set(&s.timer, next)
}
