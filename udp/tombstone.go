package udp

import (
	"net/netip"
	"time"
)

const (
	tombstoneTime    = int64(3 * time.Second)
	tombstoneAnswers = 8
	maxTombstones    = 1024
)

// graveyard remembers the addresses of sessions that ended a short time ago, so that a peer which missed every Disconnect learns
// that its session is over (PROTOCOL.md 3.5).
type graveyard struct {
	stones map[netip.AddrPort]*tombstone
	order  fifo[*tombstone] // by time of burial
}

type tombstone struct {
	addr    netip.AddrPort
	until   int64
	answers int // Disconnects left to send
}

// add buries a session. A peer that ended it gets no answers.
func (g *graveyard) add(addr netip.AddrPort, now int64, byPeer bool) {
	g.sweep(now)
	if g.stones == nil {
		g.stones = make(map[netip.AddrPort]*tombstone)
	}
	s := &tombstone{addr: addr, until: now + tombstoneTime, answers: tombstoneAnswers}
	if byPeer {
		s.answers = 0
	}
	g.stones[addr] = s
	g.order.push(s)
}

// answer reports whether a datagram from addr gets a Disconnect.
func (g *graveyard) answer(addr netip.AddrPort, now int64) bool {
	s := g.stones[addr]
	if s == nil || now >= s.until || s.answers == 0 {
		return false
	}
	s.answers--
	return true
}

// remove forgets addr, because it has a session again.
func (g *graveyard) remove(addr netip.AddrPort) { delete(g.stones, addr) }

// sweep forgets what is over, and the oldest if there are too many.
func (g *graveyard) sweep(now int64) {
	for g.order.len() > 0 {
		s := *g.order.at(0)
		if now < s.until && g.order.len() < maxTombstones {
			return
		}
		g.order.pop()
		if g.stones[s.addr] == s {
			delete(g.stones, s.addr)
		}
	}
}
