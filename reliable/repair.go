package reliable

import (
	"math"
	"time"

	"github.com/gannet-net/gannet/framing"
)

const (
	copyGap       = int64(4 * time.Millisecond)
	maxCopies     = 4
	steadyRounds  = 6 // rounds that wait one deadline each
	longestWait   = int64(500 * time.Millisecond)
	accountCap    = 1500 // bytes
	missScale     = 1 << 20
	missWindow    = 256 // messages over which the share of misses is averaged
	missPrior     = 32  // messages taken for clean before the first
	urgentFrom    = missScale * 3 / 1000
	twoCopiesFrom = missScale / 100
	threeFrom     = missScale * 15 / 100

	probeFloor   = int64(20 * time.Millisecond)
	probeCeiling = int64(250 * time.Millisecond)
	probeSteady  = int64(time.Second) // how long an outage is probed at the short interval

	// patience is how many messages in a row may miss their deadline before the deadlines of new ones grow: a run of losses that
	// short is common on a bad link and says nothing about the round trip.
	patience = 2
)

// repairControl decides when and how often messages are sent again (PROTOCOL.md 8).
type repairControl struct {
	account int64 // bytes that copies may spend

	missed      int64 // share of first copies not acked by their deadline, in 1/missScale
	counted     int32 // messages that went into it, up to missWindow
	missesInRow int32 // first deadlines missed since one was met

	lastAck      int64
	longest      int32 // deadline that messages in flight may have been given, in ms
	wasStretched bool  // deadlines had grown until then

	outage      bool
	recovered   bool // it has ended, and nothing that left since gave a sample yet
	outageSince int64
	probeAt     int64
	probeGap    int64
	recoveredAt int64 // when the last outage ended; what was due before is repaired with one copy
}

func (r *repairControl) init() {
	r.account, r.lastAck, r.recoveredAt = accountCap, math.MinInt64, math.MinInt64
}

// earn credits the bytes of a first copy.
func (r *repairControl) earn(budget, n int) {
	r.account = min(accountCap, r.account+int64(n)*int64(budget-100)/100)
}

func (r *repairControl) spend(n int) { r.account = max(-accountCap, r.account-int64(n)) }

// count notes whether a first copy met its deadline.
func (r *repairControl) count(missed bool) {
	sample := int64(0)
	if missed {
		sample = missScale
	}
	r.counted = min(r.counted+1, missWindow-missPrior)
	r.missed += (sample - r.missed) / int64(r.counted+missPrior)
}

// copies is how many copies of a message leave in its given round of repairs.
func (r *repairControl) copies(round uint8) uint8 {
	n := uint8(1)
	switch {
	case r.missed > threeFrom:
		n = 3
	case r.missed > twoCopiesFrom:
		n = 2
	}
	return min(n+min(round, maxCopies)-1, maxCopies)
}

// planFirst says when a message that just left for the first time is due.
func (e *Endpoint) planFirst(now int64, m *outMessage) int64 {
	m.stretched = e.repair.stretching()
	m.copies = 0
	if m.bulk {
		return e.bulkDeadline(now, 0)
	}
	if m.urgent && e.repair.missed > urgentFrom && (e.packets == nil || !e.congested()) {
		m.copies = 1
		return now + min(max(e.rtt.smoothed/8, 3*int64(time.Millisecond)), 10*int64(time.Millisecond))
	}
	if e.packets != nil {
		return e.afterPacketCopy(m)
	}
	return now + e.firstDeadline()
}

// firstDeadline is how long the first copy of a message may stay unacked. While no message is acked within it, it grows: the
// round trip may have grown beyond every deadline, and then nothing would ever tell.
func (e *Endpoint) firstDeadline() int64 {
	return stretch(e.rtt.timeout(), int(e.repair.missesInRow)-patience)
}

// stretching reports whether deadlines of first copies have grown.
func (r *repairControl) stretching() bool { return r.missesInRow > patience }

// nextDeadline is how long a repair may stay unacked.
func (e *Endpoint) nextDeadline(round uint8) int64 {
	return stretch(e.rtt.timeout(), int(round)-steadyRounds)
}

// stretch lengthens a wait by half, steps times, up to the longest wait that is allowed for it.
func stretch(wait int64, steps int) int64 {
	longest := max(longestWait, wait*3/2)
	for ; steps > 0 && wait < longest; steps-- {
		wait = min(longest, wait*3/2)
	}
	return wait
}

// learn takes what an ack tells about the path.
func (e *Endpoint) learn(now int64, m *outMessage) {
	r := &e.repair
	r.lastAck = now
	if m.round == 0 {
		r.count(false)
		e.inTime(now)
	}
	switch {
	case m.sends == 1, m.round == 0 && now-m.lastSent < e.rtt.min: // or too soon for the early duplicate
		e.cleanSample(now, now-m.firstSent)
	case m.round > 0:
		e.judgeRepair(now, m)
	}
	if r.outage {
		e.endOutage(now)
	}
}

// cleanSample takes the round trip of a first copy, and of no other (Karn's rule).
func (e *Endpoint) cleanSample(now, rtt int64) {
	if e.awaySince(now - rtt) {
		return
	}
	e.repair.longest = max(e.repair.longest, inMilliseconds(e.rtt.timeout()))
	if e.ofAnotherPath(now, rtt) {
		rtt = clampSample(rtt)
		e.rtt.takeMin(now, rtt)
		e.rtt.restart(rtt)
	} else {
		e.rtt.sample(now, rtt)
	}
	if e.repair.wasStretched {
		e.repair.wasStretched = false
		e.shrinkDeadlines(now)
	}
	e.hasten(now)
}

// ofAnotherPath reports whether a clean sample shows that the estimate is of another path. So does one above the deadline while that was stretched, and one
// far below the estimate if it is the first of what left since an outage: perhaps the peer was stopped, and then all that waited for it was acked late.
func (e *Endpoint) ofAnotherPath(now, rtt int64) bool {
	r := &e.repair
	first := r.recovered && now-rtt > r.recoveredAt
	if first {
		r.recovered = false
	}
	return r.wasStretched && rtt > e.rtt.timeout() || first && rtt < e.rtt.smoothed/2
}

func inMilliseconds(d int64) int32 { return int32(d / int64(time.Millisecond)) }

// hasten brings deadlines down that were given when round trips seemed much longer: what waits for a peer that was stopped comes late, and is a clean sample all the
// same. On the packet wire later packets tell what was lost.
func (e *Endpoint) hasten(now int64) {
	wait := inMilliseconds(e.rtt.timeout())
	if e.packets != nil || 2*wait >= e.repair.longest {
		return
	}
	e.repair.longest = wait
	q := &e.queue
	for i := range q.due.entries {
		entry := &q.due.entries[i]
		if m := &q.slots[entry.slot]; m.copies == 0 {
			entry.at = min(entry.at, max(now, e.afterCopy(now, m)))
		}
	}
	q.due.order(q.slots)
}

// inTime notes that a message was acked before its deadline: deadlines are long enough.
func (e *Endpoint) inTime(now int64) {
	e.repair.wasStretched = e.repair.wasStretched || e.repair.stretching()
	e.repair.missesInRow = 0
}

// shrinkDeadlines brings deadlines that were lengthened back to what is right now.
func (e *Endpoint) shrinkDeadlines(now int64) {
	q := &e.queue
	for i := range q.due.entries {
		m := &q.slots[q.due.entries[i].slot]
		if m.stretched && m.round == 0 {
			m.stretched = false
			q.due.entries[i].at = max(now, m.lastSent+e.firstDeadline())
		}
	}
	q.due.order(q.slots)
}

// judgeRepair tells a needless repair from a needed one: an ack that comes sooner after it than any round trip ever took belongs
// to an earlier copy. If that was the first copy it is a sample after all, and one that the estimate must not miss: it was late.
func (e *Endpoint) judgeRepair(now int64, m *outMessage) {
	if e.rtt.min == 0 || now-m.roundAt >= e.rtt.min*3/4 {
		e.rtt.repairWasNeeded(now)
		return
	}
	if m.round > 1 || m.firstSent <= e.repair.recoveredAt || e.repair.outage {
		return // it may answer a repair or a probe from before
	}
	e.count.SpuriousRepairs++
	e.rtt.repairWasNeedless(now, e.rtt.smoothed)
	if m.sends == 2 && !e.awaySince(m.firstSent) {
		e.rtt.sample(now, now-m.firstSent)
	}
}

// appendRepair appends a copy of the message that is due, if one is.
func (e *Endpoint) appendRepair(now int64, dst []byte) []byte {
	if e.repair.outage {
		return e.appendProbe(now, dst)
	}
	for q := &e.queue; q.due.next() <= now; {
		slot := q.due.entries[0].slot
		m := &q.slots[slot]
		if !e.affords(len(m.payload) + framing.ReliableHeader) {
			return dst
		}
		if m.copies > 0 {
			if out := e.appendCopy(now, dst, slot, m); len(out) > len(dst) {
				return out
			}
			continue
		}
		if e.startsOutage(now, m) {
			return e.appendProbe(now, dst)
		}
		return e.appendRound(now, dst, slot, m)
	}
	return dst
}

// appendRound begins a round of repairs of a message whose deadline passed.
func (e *Endpoint) appendRound(now int64, dst []byte, slot int32, m *outMessage) []byte {
	r := &e.repair
	first := m.round == 0
	m.round = min(m.round, math.MaxUint8-1) + 1
	m.roundAt = now
	if first {
		r.missesInRow++
	}
	if overdue := e.queue.due.next() <= r.recoveredAt; !overdue {
		m.copies = r.copies(m.round) - 1
		if first {
			r.count(true)
		}
	}
	dst = e.appendReliable(now, dst, m)
	r.spend(len(m.payload) + framing.ReliableHeader + datagramOverhead)
	e.count.Repairs++
	e.queue.due.move(e.queue.slots, slot, e.afterCopy(now, m))
	e.trace(TraceRepaired, m)
	return dst
}

// appendCopy appends a further copy, or leaves it out if the budget does not allow it.
func (e *Endpoint) appendCopy(now int64, dst []byte, slot int32, m *outMessage) []byte {
	r := &e.repair
	early := m.round == 0
	if !early && r.account <= 0 {
		m.copies = 0
	} else {
		m.copies--
		dst = e.appendReliable(now, dst, m)
		r.spend(len(m.payload) + framing.ReliableHeader + datagramOverhead)
		e.countCopy(early, m)
	}
	e.queue.due.move(e.queue.slots, slot, e.afterCopy(now, m))
	return dst
}

func (e *Endpoint) countCopy(early bool, m *outMessage) {
	if early {
		e.count.EarlyDuplicates++
		e.trace(TraceDuplicated, m)
		return
	}
	e.count.RepairCopies++
	e.trace(TraceCopied, m)
}

// afterCopy is when a message is due after one of its copies left.
func (e *Endpoint) afterCopy(now int64, m *outMessage) int64 {
	switch {
	case m.copies > 0:
		return now + copyGap
	case m.round == 0:
		return m.lastSent + e.firstDeadline()
	}
	return m.lastSent + e.nextDeadline(m.round)
}
