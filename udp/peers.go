package udp

import (
	"net/netip"
	"slices"

	"github.com/gannet-net/gannet/reliable"
)

// add makes a peer.
func (e *engine) add(remote netip.AddrPort, local netip.Addr, id uint8) *Conn {
	c := &Conn{e: e, remote: remote, local: local, id: id, heldUntil: e.now}
	c.timer.Value = c
	cfg := e.cfg.endpoint(e.role)
	cfg.PeerID, cfg.Pool, cfg.Loopback = uint16(id), &e.pool, remote.Addr().IsLoopback()
	c.ep = reliable.New(e.now, cfg)
	if e.background() {
		c.wake, c.over = make(chan struct{}, 1), make(chan struct{})
	}
	e.peers[remote] = c
	e.order = append(e.order, c)
	e.touch(c)
	return c
}

// settle follows what the last input did to c: its events, its end.
func (e *engine) settle(c *Conn) {
	c = e.decide(c)
	if c.ep.State() == reliable.StateClosed && !c.ended {
		e.end(c)
	}
	if c.ended && c.ep.Quiet() && !c.released {
		e.release(c)
	}
	if c.readable() {
		e.announce(c)
	}
}

// end takes note that the session of c is over. Goodbyes may still be sent.
func (e *engine) end(c *Conn) {
	c.ended = true
	cause := c.finish()
	byPeer := cause == reliable.ClosedByPeer || cause == reliable.ClosedLocally && c.ep.Quiet() // its Disconnect met our Close
	if c.over != nil {
		close(c.over)
	}
	switch {
	case !e.dialled():
		e.door.left(c.remote, e.now, byPeer)
	case !c.silent:
		e.stop()
	}
}

// release forgets c, which will not send any more. The peer in the table may be a newer one with the same address.
func (e *engine) release(c *Conn) {
	c.released = true
	e.timers.Remove(&c.timer)
	if e.peers[c.remote] == c {
		delete(e.peers, c.remote)
	}
	i := slices.Index(e.order, c)
	e.order = slices.Delete(e.order, i, i+1)
	e.freeID(c)
}

// freeID gives the id back once nothing is left that names it: neither the session nor an event for Next or a handler.
func (e *engine) freeID(c *Conn) {
	if e.dialled() || c.idFreed || !c.released || e.inTurn() && c.readable() {
		return
	}
	c.idFreed = true
	e.door.ids.give(c.id)
}
