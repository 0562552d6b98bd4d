package soak

import "time"

// followedAfter is how long a host may take to follow a player to another address, while both run and hear each other.
const followedAfter = int64(4 * time.Second)

// lookForAddress holds that the host knows where a player is. What hinders either of them gives it more time.
func (w *world) lookForAddress(p *player) {
	now := w.nw.Now()
	if !w.mistaken(p) || p.hindered(now) {
		p.astray = now
	}
	if now-p.astray > followedAfter {
		at, _ := w.outside(p)
		w.fail(OnlySilence, "player %d is at %v since %v, and the host sends to %v", p.index, at, time.Duration(now-p.astray), p.end.peer.conn.RemoteAddr())
	}
}

// mistaken reports whether the host believes a player of the secure protocol elsewhere.
func (w *world) mistaken(p *player) bool {
	if p.conn == nil || p.plan.protocol != w.plan.protocol || !p.conn.Encrypted() || p.end.peer == nil {
		return false
	}
	for _, e := range [...]*end{p.end, p.end.peer} {
		if !e.up || e.over || e.left != 0 || e.conn.Err() != nil {
			return false
		}
	}
	at, known := w.outside(p)
	return known && at != p.end.peer.conn.RemoteAddr()
}

// hindered reports whether a player or the host may not run, or not hear the other. Whether the host speaks is asked of the session itself: on the wire nothing that goes
// to an address where the player was is known to be for it. The player must have a session.
func (p *player) hindered(now int64) bool {
	const lately, shortly = int64(5 * time.Second), int64(500 * time.Millisecond)
	h := p.w.host
	if p.w.strangers.hijacked == p || p.cuts != [2]int{} || len(p.weather) > 0 || p.stopped+h.stopped > 0 || now < max(p.moved, h.moved)+lately && max(p.moved, h.moved) > 0 {
		return true
	}
	return now-p.flow[toHost].delivered > shortly || now-p.end.peer.spoke > shortly
}
