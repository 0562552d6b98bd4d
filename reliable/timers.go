package reliable

import (
	"time"

	"github.com/gannet-net/gannet/framing"
)

// stall is how late a deadline must be served to show that this side did not run.
const stall = int64(500 * time.Millisecond)

// NextDeadline is when PollDatagram has something to do at the latest, if no other input comes before; a time in the past if it has
// something to do now, and math.MaxInt64 if never.
func (e *Endpoint) NextDeadline() int64 {
	if e.settled {
		return e.promised
	}
	switch e.state {
	case StateConnecting:
		return min(e.connectAt, e.dialEnd())
	case StateClosed:
		if e.goodbyes > 0 {
			return e.goodbyeAt
		}
		return never
	}
	next := min(e.silenceEnd(), e.heartbeatAt(), e.queue.nextExpiry, e.sendAt())
	if !e.confirmed {
		next = min(next, e.started+int64(e.cfg.Unconfirmed))
	}
	if e.state == StateClosing {
		next = min(next, e.lingerUntil)
	}
	if e.repeats.len() > 0 {
		next = min(next, e.repeats.front().at)
	}
	if e.packets != nil {
		next = min(next, e.packetDeadline())
	}
	if e.acceptDue || e.acks.len() > 0 || e.heartbeatDue {
		next = e.unlessHeld(e.now, next)
	}
	return next
}

func (e *Endpoint) dialEnd() int64     { return e.started + int64(e.cfg.DialTimeout) }
func (e *Endpoint) silenceEnd() int64  { return e.heard + int64(e.cfg.Timeout) }
func (e *Endpoint) heartbeatAt() int64 { return e.unlessHeld(e.said+e.longestSilence(), never) }

// longestSilence is how long this side goes without sending. On the packet wire a client that has opened no packet of its host yet may be the only
// one who knows of the session: the host takes it for real once it has opened one of the client's (PROTOCOL.md 18.1). Later it speaks a little before
// its host has to, which answers in the same turn.
func (e *Endpoint) longestSilence() int64 {
	beat := int64(e.cfg.Heartbeat)
	switch {
	case e.packets == nil, e.cfg.Role == framing.Host:
		return beat
	case e.packets.received.highest < 0:
		return min(connectInterval, beat)
	}
	return beat - beat/16
}

// silentForLong reports whether a heartbeat is due. A host that has just heard its client sends one that is due soon (PROTOCOL.md 11): of a connection among
// thousands that idle nothing is in a near cache, so it is cheaper to look at it once for both.
func (e *Endpoint) silentForLong(now int64) bool {
	silence := e.longestSilence()
	if e.packets != nil && e.cfg.Role == framing.Host && e.heard == now {
		silence -= silence / 4
	}
	return now >= e.said+silence
}

// sendAt is when the next message or repair may leave.
func (e *Endpoint) sendAt() int64 {
	q := &e.queue
	at := q.due.next()
	if e.repair.outage && q.inFlight > 0 {
		at = e.repair.probeAt
	}
	if e.nextWaiting() != nil {
		at = e.now
	}
	if e.packets != nil && at > e.now {
		at = min(at, e.bulkAt())
	}
	if at != never {
		at = max(at, e.sending.ready(e.sendLimit))
		if e.packets != nil {
			at = max(at, e.crowdedUntil())
		}
	}
	return e.unlessHeld(at, never)
}

// unlessHeld is at, or otherwise if nothing may be sent before the peer is heard again.
func (e *Endpoint) unlessHeld(at, otherwise int64) int64 {
	if e.held {
		return otherwise
	}
	return min(at, otherwise)
}

// runTimers serves every deadline that has passed, other than those of sending.
func (e *Endpoint) runTimers(now int64) {
	switch e.state {
	case StateConnecting:
		if now >= e.dialEnd() {
			e.end(now, TimedOut, "")
		}
		return
	case StateClosed:
		return
	}
	e.forgiveStall(now)
	switch {
	case now >= e.silenceEnd():
		e.end(now, TimedOut, "")
	case !e.confirmed && now >= e.started+int64(e.cfg.Unconfirmed):
		e.end(now, TimedOut, "")
	case e.state == StateClosing && now >= e.lingerUntil:
		e.end(now, ClosedLocally, "")
	default:
		if now >= e.queue.nextExpiry {
			e.expire(now)
		}
		if e.packets != nil && len(e.packets.sets) > 0 {
			e.expireSets(now)
		}
		if e.silentForLong(now) && e.state != StateClosed {
			e.heartbeatDue = true
		}
	}
}

// forgiveStall gives the peer one more heartbeat interval, once, if this side was not run in time: its datagrams may still be
// on their way through this machine (PROTOCOL.md 3.4).
func (e *Endpoint) forgiveStall(now int64) {
	if e.forgiven || now < e.silenceEnd() || now-e.promised < stall {
		return
	}
	e.forgiven = true
	e.heard = max(e.heard, now-int64(e.cfg.Timeout)+int64(e.cfg.Heartbeat))
}

// absence is how late a deadline must be served to show that this side was away: stopped, asleep, or its clock was set forward.
const absence = 2 * int64(time.Second)

// noteAbsence notes that this side was away until now.
func (e *Endpoint) noteAbsence(now int64) {
	if now-max(e.now, e.promised) >= absence {
		e.back = now
	}
}

// awaySince reports whether this side was away for a part of the time since then, which tells nothing of the path.
func (e *Endpoint) awaySince(then int64) bool { return then < e.back }

// flightCap bounds the reliable messages in flight.
func (e *Endpoint) flightCap() int {
	if e.packets != nil {
		return e.flightLeft()
	}
	return MaxInFlight
}

// packetDeadline is when the packet wire has to act on what is not a message.
func (e *Endpoint) packetDeadline() int64 {
	p := e.packets
	next := p.answer.repeatAt
	if p.answer.owed {
		next = min(next, p.answer.at)
	}
	next = min(next, e.creditDue(), e.asideDue())
	for i := range p.sets {
		next = min(next, p.sets[i].at+setLife)
	}
	return next
}
