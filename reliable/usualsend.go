package reliable

import "github.com/gannet-net/gannet/framing/packet"

// Nearly every packet of a game that runs well is an Ack, if one is owed, and the messages of this tick, each sent for the first time. appendUsual
// appends such a packet without asking for each message what is the same for all, and without asking at all for what cannot be due. It is
// there for speed alone, and does what the rest of appendPacket would do, to the bit.
//
// It appends a packet if usualStream finds nothing in the way, and has no effect otherwise.
func (e *Endpoint) appendUsual(now int64, dst []byte) (datagram []byte, ok bool) {
	s := e.usualStream(now)
	if s == nil {
		return dst, false
	}
	p, b := e.packets, &e.pool.builder
	number := p.sent.next
	record := p.sent.begin(now)
	record.state, record.reliable, record.first = packetOutstanding, true, true
	p.sent.outstanding++
	b.Reset(e.pool.packet[:0], packet.MaxPacket)
	if a := &p.answer; a.owed {
		delay := min((now-p.received.at)/packet.DelayUnit, packet.MaxDelay)
		b.AppendUsualAck(uint16(p.received.highest), uint8(delay), uint32(p.received.below()))
		e.ackLeaves(now, false)
	}
	e.putWaiting(now, number, s)
	start := len(dst)
	dst = p.sealer.Seal(dst, b.Bytes(), number)
	e.repair.earn(e.cfg.Budget, len(dst)-start+datagramOverhead)
	p.sent.forget(now - 2*e.rtt.timeout())
	return dst, true
}

// usualStream holds all that appendUsual assumes, and is the stream in which everything waits that waits, nil if something is not as usual: the
// session stands and nothing looks on; whole reliable messages of one stream wait and may leave; few packets are lost, so that none is
// repaired now or carried again; and of what is not a message nothing is due but an Ack with a bitmap of 32.
func (e *Endpoint) usualStream(now int64) *stream {
	p, q := e.packets, &e.queue
	switch {
	case e.state != StateConnected, e.pool.slow, e.cfg.Trace != nil,
		q.waiting[1] == 0, q.waiting[0] > 0, len(q.spare) < len(q.wholes), now < e.sending.ready(e.sendLimit), now < 0,
		q.due.next() <= now, e.repair.outage, e.repair.missed >= parityFrom,
		p.sent.next == p.skipAt, p.sent.next-p.sent.first >= maxSentPackets-2,
		p.credit.tell, p.credit.unacked, p.answer.since > ackMore, now >= p.answer.repeatAt, now >= e.asideDue(), e.heartbeatDue, e.clockDue(now):
		return nil
	}
	var only *stream
	for i := range q.streams {
		if s := &q.streams[i]; s.waiting.head != none {
			if only != nil {
				return nil
			}
			only = s
		}
	}
	if only.mode == ReliableSequenced || only.class == ClassBulk || q.inFlight >= e.flightCap() || !e.open(only) {
		return nil
	}
	return only
}

// putWaiting puts first copies of the messages that wait in s into the packet, as many as there is room and credit for. The first has both.
func (e *Endpoint) putWaiting(now, number int64, s *stream) {
	p, q, b := e.packets, &e.queue, &e.pool.builder
	e.packets.tick.pass(now)
	due, stretched := now+e.rtt.timeout()+p.path.delay, e.repair.stretching()
	for {
		slot := s.waiting.head
		m := &q.slots[slot]
		if !b.AppendWhole(s.name, uint16(s.next), m.payload) {
			return
		}
		n := len(m.payload)
		m.lastSent, m.firstSent, m.roundAt, m.lastPacket, m.stretched = now, now, now, number, stretched
		m.sends = 1
		p.sent.hold(slot, m.order)
		q.pop(&s.waiting)
		q.waiting[1]--
		q.turned(s, n)
		s.fly(m, slot)
		q.inFlight++
		s.sent += uint32(n)
		p.credit.sent += uint32(n)
		e.count.MessagesSent++
		e.count.PayloadSent += uint64(n)
		q.due.add(q.slots, slot, due)
		if q.waiting[1] == 0 || !e.open(s) || b.Frames() >= packet.MaxFrames-1 {
			return
		}
	}
}
