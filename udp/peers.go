package udp

import (
	"net/netip"

	"github.com/gannet-net/gannet/reliable"
)

// newConn makes a peer without a machine.
func (e *engine) newConn(remote netip.AddrPort, local netip.Addr) *Conn {
	c := &Conn{e: e, remote: remote, local: local, heldUntil: e.now}
	c.timer.Value = c
	if e.background() {
		c.wake, c.over = make(chan struct{}, 1), make(chan struct{})
	}
	e.order.add(c)
	e.touch(c)
	return c
}

// newPlainConn makes a peer of the base protocol.
func (e *engine) newPlainConn(remote netip.AddrPort, local netip.Addr, id uint16) *Conn {
	c := e.newConn(remote, local)
	c.plain = true
	c.id.Store(uint32(id))
	cfg := e.machineConfig(remote)
	cfg.PeerID = id
	c.ep = reliable.New(e.now, cfg)
	e.peers[remote] = c
	return c
}

// machineConfig is the configuration of the machine for a peer at an address.
func (e *engine) machineConfig(remote netip.AddrPort) reliable.Config {
	cfg := e.cfg.endpoint(e.role)
	cfg.Pool, cfg.Loopback = &e.pool, remote.Addr().IsLoopback()
	return cfg
}

// settle follows what the last input did to c: its events, its end.
func (e *engine) settle(c *Conn) {
	e.hearDescription(c)
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
	c.heldUntil = min(c.heldUntil, e.now) // whoever was held may say goodbye
	e.touch(c)
	c.finish()
	if c.over != nil {
		close(c.over)
	}
	switch {
	case c == e.dial.face:
		c.hidden = false
		e.stop()
	case c.differs() && !e.dialled():
		e.partedWith(c)
	case e.dialled() || c.hidden:
	case c.plain:
		e.door.left(c)
		e.door.graves.add(c.remote, e.now, c.ep.Parted())
	default:
		e.door.left(c)
		e.sessions.left(c)
	}
}

// release forgets c, which will not send any more. The peer in the table may be a newer one with the same address.
func (e *engine) release(c *Conn) {
	c.released = true
	e.timers.Remove(&c.timer)
	if e.peers[c.remote] == c {
		delete(e.peers, c.remote)
	}
	if !c.plain && !e.dialled() {
		e.bury(c)
	}
	e.order.remove(c)
	e.freeID(c)
}

// freeID gives the id back once nothing is left that names it: neither the session nor an event for Next or a handler.
func (e *engine) freeID(c *Conn) {
	if e.dialled() || c.idFreed || !c.released || e.inTurn() && c.readable() {
		return
	}
	c.idFreed = true
	e.door.ids.give(uint16(c.id.Load()))
}

// stands reports whether the application has c and it is not over.
func (c *Conn) stands() bool { return !c.ended && !c.hidden }
