package reliable

import "github.com/gannet-net/gannet/framing"

// startsOutage reports whether a message whose deadline passes again shows that nothing gets through any more: not one ack came since
// its last round began. Then copies are a waste, and a steady probe finds the end of the outage soonest (PROTOCOL.md 8).
func (e *Endpoint) startsOutage(now int64, m *outMessage) bool {
	r := &e.repair
	if m.round == 0 || r.lastAck >= m.roundAt || e.packets != nil && !e.silent(now) {
		return false
	}
	r.outage, r.outageSince = true, now
	r.probeAt, r.probeGap = now, max(e.rtt.timeout()/2, probeFloor)
	e.count.Outages++
	if e.packets != nil && e.packets.bulk != nil {
		e.packets.bulk.controller.Silence()
	}
	e.trace(TraceOutage, m)
	return true
}

// appendProbe sends the oldest unacked message when the next probe is due.
func (e *Endpoint) appendProbe(now int64, dst []byte) []byte {
	r, q := &e.repair, &e.queue
	m := q.oldestInFlight()
	if now < r.probeAt || m == nil {
		return dst
	}
	if !e.affords(len(m.payload) + framing.ReliableHeader) {
		return dst
	}
	e.scheduleProbe(now)
	m.round = max(m.round, 1)
	dst = e.appendReliable(now, dst, m)
	r.spend(len(m.payload) + framing.ReliableHeader + datagramOverhead)
	e.count.Probes++
	e.trace(TraceProbed, m)
	return dst
}

// scheduleProbe says when the next probe leaves: at a steady short interval first, then ever later.
func (e *Endpoint) scheduleProbe(now int64) {
	r := &e.repair
	if now-r.outageSince >= probeSteady {
		r.probeGap = min(2*r.probeGap, max(probeCeiling, e.rtt.timeout()/2))
	}
	r.probeAt = now + r.probeGap
}

// endOutage sends everything that is overdue again at once, one copy each, as the first ack after an outage asks for it.
func (e *Endpoint) endOutage(now int64) {
	e.repair.outage, e.repair.recovered, e.repair.recoveredAt = false, true, now
	q := &e.queue
	for _, entry := range q.due.entries {
		m := &q.slots[entry.slot]
		m.copies = 0
		if m.round > 0 {
			m.round, m.roundAt = 1, now
		}
	}
	e.traceState(TraceRecovered)
}
