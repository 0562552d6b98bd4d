package udp

import "github.com/gannet-net/gannet/internal/deadline"

// touch notes that c may have something to send, or another deadline.
func (e *engine) touch(c *Conn) {
	if !c.dirty && !c.released {
		c.dirty = true
		e.dirty = append(e.dirty, c)
	}
}

// runDue lets every peer run whose deadline has come.
func (e *engine) runDue() {
	for due := e.timers.PopDue(e.now); due != nil; due = e.timers.PopDue(e.now) {
		if due == &e.sessions.timer {
			e.tickSessions()
			continue
		}
		e.touch(due.Value)
	}
}

// flush sends what the dirty peers have, in the order in which they became dirty.
func (e *engine) flush() {
	for i := 0; i < len(e.dirty); i++ {
		c := e.dirty[i]
		c.dirty = false
		if !c.released {
			e.transmit(c)
		}
	}
	clear(e.dirty)
	e.dirty = e.dirty[:0]
}

// ackAtOnce lets an ack leave before the rest is read that has come in: what its sender may have on its way is not much more.
func (e *engine) ackAtOnce(c *Conn) {
	if c.ep.AcksAtOnce() {
		e.transmit(c)
		e.sendOut()
	}
}

func (e *engine) transmit(c *Conn) {
	if e.now < c.heldUntil {
		e.timers.Set(&c.timer, c.heldUntil)
		return
	}
	if c.joining() {
		e.sendJoin(c)
		return
	}
	next := deadline.Never
	switch {
	case c.plain, c.ended: // all that is left to say is goodbye
	case e.dialled():
		next = e.probe(c)
	default:
		c.session.sealer.Tick(e.now)
		e.giveTicket(c)
		e.challenge(c)
		next = min(e.probe(c), c.session.paths.NextDeadline())
	}
	e.giveUp(c)
	e.judgeRuns(c)
	for {
		d := c.ep.PollDatagram(e.now, e.blank())
		if len(d) == 0 {
			break
		}
		e.send(c, d)
	}
	e.timers.Set(&c.timer, min(next, c.ep.NextDeadline(), c.patience()))
	e.settle(c)
}
