package reliable

import (
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	threeCopiesFrom = missScale * 35 / 1000
	pairedFrom      = missScale * 3 / 10 // losses come in bursts: copies keep more distance
	piggybackSize   = 256                // bytes; larger messages are not carried again on suspicion
	piggybackGoal   = missScale / 1000   // share of messages that may still be missing after the copies
	maxPiggyback    = 4
	longestPeriod   = int64(250 * time.Millisecond)
	probeMessages   = 16 // that a probe carries at most
	tickMessages    = 2  // that a packet with new ones carries of the oldest during an outage
	packetCopyGap   = int64(3 * time.Millisecond)
	deadlineSlack   = 8 // of the margin, for the last copy of a round
)

// repairDue reports whether a copy of a message in flight has to leave. Copies that the budget refuses are given up.
func (e *Endpoint) repairDue(now int64) bool {
	q := &e.queue
	if e.repair.outage {
		return q.inFlight > 0 && now >= e.repair.probeAt
	}
	for q.due.next() <= now {
		slot := q.due.entries[0].slot
		e.disband(slot)
		m := &q.slots[slot]
		if m.bulk {
			if e.bulkOverdue(now, slot) {
				return true
			}
			continue
		}
		if m.copies == 0 || m.round == 0 || e.repair.affordsCopy(m.round, e.packetCopies(m.round)-m.copies) {
			return true
		}
		m.copies = 0
		q.due.move(q.slots, slot, e.afterPacketCopy(m))
	}
	return false
}

// putRepairs puts what is due into the packet.
func (e *Endpoint) putRepairs(now int64, l *load) {
	q := &e.queue
	for !e.repair.outage && e.repairDue(now) && !e.repair.outage {
		slot := q.due.entries[0].slot
		m := &q.slots[slot]
		if m.copies == 0 && e.startsOutage(now, m) {
			break
		}
		if !e.putRepair(now, slot, m, l) {
			return
		}
		q.due.move(q.slots, slot, e.afterPacketCopy(m))
	}
	if e.repair.outage && now >= e.repair.probeAt {
		e.putProbe(now, l)
	}
}

// putRepair puts the copy that is due of one message into the packet: the next of a round, or the first of the next round.
func (e *Endpoint) putRepair(now int64, slot int32, m *outMessage, l *load) bool {
	last := m.lastPacket
	if !e.putAgain(now, slot, l) {
		return false
	}
	if m.copies > 0 {
		m.copies--
		e.countCopy(m.round == 0, m)
		return true
	}
	m.round = min(m.round, 254) + 1
	m.roundAt, m.roundPacket, m.judged = now, uint32(l.number), uint32(last)
	m.copies = 0
	if overdue := e.queue.due.next() <= e.repair.recoveredAt; !overdue {
		m.copies = e.packetCopies(m.round) - 1
	}
	e.count.Repairs++
	e.trace(TraceRepaired, m)
	return true
}

// afterPacketCopy is when a message is due after one of its copies left: for the next copy, or when an ack of the round should have come.
func (e *Endpoint) afterPacketCopy(m *outMessage) int64 {
	if m.copies > 0 {
		return m.lastSent + e.copyGap()
	}
	margin := e.rtt.margin()
	wait := e.rtt.smoothed + margin + e.packets.path.delay
	if m.round > steadyRounds {
		wait = stretch(wait, int(m.round)-steadyRounds)
	}
	if m.round > 0 && e.bursty() {
		return m.roundAt + wait // further copies were sent late on purpose
	}
	return max(m.roundAt+wait, m.lastSent+e.rtt.smoothed+e.packets.path.delay+margin/deadlineSlack)
}

// packetCopies is how many copies of a message leave in a round: two from 1 % of lost packets on, three from 3.5 %, one more in each later
// round, and one more where losses come in bursts, because copies share their fate.
func (e *Endpoint) packetCopies(round uint8) uint8 {
	n := uint8(1)
	switch {
	case e.congested():
		return n
	case e.repair.missed > threeCopiesFrom:
		n = 3
	case e.repair.missed > twoCopiesFrom:
		n = 2
	}
	if n > 1 && e.bursty() {
		n++
	}
	return min(n+min(round, maxCopies)-1, maxCopies)
}

// affordsCopy keeps a part of the account for those who need it most: a second copy before a third, and messages that were repaired in vain
// before all others, because they are what makes the slowest.
func (r *repairControl) affordsCopy(round, copy uint8) bool {
	switch round {
	case 1:
		return r.account > accountCap/4*int64(copy)
	case 2:
		return r.account > -accountCap/2
	}
	return true
}

func (e *Endpoint) copyGap() int64 {
	if e.bursty() {
		return 2 * copyGap
	}
	return packetCopyGap
}

// bursty reports whether losses come in runs.
func (e *Endpoint) bursty() bool { return e.packets.path.paired > pairedFrom }

// putProbe sends the oldest messages that are not acked: one of them is enough to end the outage.
func (e *Endpoint) putProbe(now int64, l *load) {
	e.putOldest(now, l, probeMessages)
	e.count.Probes++
	e.scheduleProbe(now)
}

// putOldest puts the oldest messages that are not acked into the packet, n at most; of bulk one if there are no others at all.
func (e *Endpoint) putOldest(now int64, l *load, n int) {
	e.disbandAll()
	q := &e.queue
	var after uint64
	for i := range n {
		slot := q.oldestFrom(after, l.number, false)
		if slot == none && i == 0 && l.first == 0 {
			slot = q.oldestFrom(0, l.number, true)
		}
		if slot == none || !e.putAgain(now, slot, l) {
			break
		}
		m := &q.slots[slot]
		after = m.order + 1
		m.round = max(m.round, 1)
		e.trace(TraceProbed, m)
	}
}

// oldestFrom is the slot in flight, of bulk or not, with the lowest order that is not below from and not in the packet of the given number, none if
// there is none.
func (q *sendQueue) oldestFrom(from uint64, number int64, bulk bool) int32 {
	best := none
	for _, entry := range q.due.entries {
		if m := &q.slots[entry.slot]; m.order >= from && m.bulk == bulk && m.lastPacket != number && (best == none || m.older(&q.slots[best])) {
			best = entry.slot
		}
	}
	return best
}

// tickEstimate is how often packets with new reliable messages leave.
type tickEstimate struct {
	last, period int64
}

// ticked notes that a packet carries a new reliable message.
func (e *Endpoint) ticked(now int64, l *load) {
	if l.ticked {
		return
	}
	l.ticked = true
	e.packets.tick.pass(now)
}

// pass counts a packet with new reliable messages.
func (t *tickEstimate) pass(now int64) {
	gap := min(now-t.last, longestPeriod)
	if t.last != 0 && gap > 0 {
		if t.period == 0 {
			t.period = gap
		}
		t.period += (gap - t.period) / 8
	}
	t.last = now
}

// putPiggyback lets a packet with new messages carry earlier ones again that are not acked, newest first. It costs no packet, and repairs a
// loss a tick later instead of a round trip later, as long as ticks come more often than that.
func (e *Endpoint) putPiggyback(now int64, l *load) {
	q := &e.queue
	if e.repair.outage && l.ticked {
		e.putOldest(now, l, tickMessages) // as good a probe as any
		return
	}
	depth := e.piggybackDepth(l)
	if !l.ticked {
		return
	}
	if depth == 0 {
		e.putParity(l)
		return
	}
	e.disbandAll()
	room := depth
	for before := ^uint64(0); room > 0 && e.repair.account > int64(l.again); room-- {
		slot := q.newestBefore(before, l.number)
		if slot == none {
			return
		}
		m := &q.slots[slot]
		before = m.order
		if int(m.carried) >= depth || len(m.payload) > piggybackSize {
			continue
		}
		sentAt, sentIn := m.lastSent, m.lastPacket
		if !e.putAgain(now, slot, l) {
			return
		}
		m.lastSent, m.lastPacket = sentAt, sentIn // the deadline stands: it judges the first copy
		m.carried++
		e.count.Piggybacked++
	}
}

// newestBefore is the slot in flight with the highest order below before that is not in the packet of the given number.
func (q *sendQueue) newestBefore(before uint64, number int64) int32 {
	best := none
	for _, entry := range q.due.entries {
		m := &q.slots[entry.slot]
		if m.order < before && m.lastPacket != number && !m.bulk && (best == none || q.slots[best].older(m)) {
			best = entry.slot
		}
	}
	return best
}

// piggybackDepth is, on links that lose some but not many packets (there repairs in several copies are worth more), in how many later packets a message is carried again: as many as bring the share of missing ones to its goal, if the
// byte budget has room for those that are not acked by then.
func (e *Endpoint) piggybackDepth(l *load) int {
	r, period := &e.repair, e.packets.tick.period
	if e.congested() || r.missed < missScale/1000 || r.missed > threeFrom || period == 0 || period >= e.rtt.timeout() || l.first == 0 {
		return 0
	}
	depth, left := 0, r.missed
	for left > piggybackGoal && depth < maxPiggyback {
		left = left * max(r.missed, int64(e.packets.path.paired)) / missScale
		depth++
	}
	unacked := int(e.rtt.smoothed / period)
	base := l.first + packet.SealOverhead + datagramOverhead + packet.MaxReliableHeader
	for depth > 0 && min(depth, unacked)*(l.first+packet.FollowingHeader+1)*100 > (e.cfg.Budget-100)*base {
		depth--
	}
	return depth
}
