package reliable

import "github.com/gannet-net/gannet/framing/packet"

// Nearly every packet of a game that runs well is an Ack, if one is owed, and the messages of this tick, each sent for the first time; of a download it is one
// fragment. appendUsual
// appends such a packet without asking for each message what is the same for all, and without asking at all for what cannot be due. It is
// there for speed alone, and does what the rest of appendPacket would do, to the bit.
//
// It appends a packet if usualStream finds nothing in the way, and has no effect otherwise.
func (e *Endpoint) appendUsual(now int64, dst []byte) (datagram []byte, ok bool) {
	s := e.usualStream(now)
	if s == nil {
		return dst, false
	}
	if !s.mode.reliable() {
		return e.appendUsualLossy(now, dst, s), true
	}
	e.queue.resume(s)
	p, bulk := e.packets, s.class == ClassBulk
	number := p.sent.next
	record := p.sent.begin(now, e.cohort)
	record.state, record.reliable, record.first = packetOutstanding, !bulk, !bulk
	if !bulk {
		p.sent.outstanding++
		p.tick.pass(now)
	}
	e.beginUsual(now)
	if e.queue.slots[s.waiting.head].whole != none {
		e.putPart(now, number, s)
	} else {
		e.putWaiting(now, number, s)
	}
	start := len(dst)
	dst = p.sealer.Seal(dst, e.pool.builder.Bytes(), number)
	if bulk {
		e.bulkLeft(now, number, len(dst)-start)
	} else {
		e.repair.earn(e.cfg.Budget, len(dst)-start+datagramOverhead)
	}
	p.sent.forget(now - 2*e.rtt.timeout())
	return dst, true
}

// beginUsual begins the packet, with an Ack if one is owed.
func (e *Endpoint) beginUsual(now int64) {
	p, b := e.packets, &e.pool.builder
	b.Reset(e.pool.packet[:0], packet.MaxPacket)
	if p.answer.owed {
		delay := min((now-p.received.at)/packet.DelayUnit, packet.MaxDelay)
		b.AppendUsualAck(uint16(p.received.highest), uint8(delay), uint32(p.received.below()))
		e.ackLeaves(now, false)
	}
}

// usualStream holds all that appendUsual assumes, and is the stream in which everything waits that waits, nil if something is not as usual: the
// session stands and nothing looks on; messages of one stream wait and may leave, which are not sequenced, and are whole or begin with a fragment that leaves alone; few packets are lost, so that none is
// repaired now or carried again; and of what is not a message nothing is due but an Ack with a bitmap of 32.
func (e *Endpoint) usualStream(now int64) *stream {
	p, q := e.packets, &e.queue
	switch {
	case e.state != StateConnected, e.pool.slow, e.cfg.Trace != nil,
		q.waiting[0]+q.waiting[1] == 0, q.urgent.head != none, now < e.sending.ready(e.sendLimit), now < 0,
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
	switch {
	case len(q.spare) < len(q.wholes) && !e.usualPart(only):
		return nil
	case only.mode == Unreliable && only.class != ClassBulk:
		return only
	case !only.mode.reliable(), only.mode == ReliableSequenced, !e.open(only):
		return nil
	case only.class == ClassBulk && !e.usualBulk(only), only.class != ClassBulk && q.inFlight >= e.flightCap():
		return nil
	}
	return only
}

// usualPart reports whether what waits in s begins with a fragment that leaves alone: no parities are about, and what is behind it has no room. While
// messages in fragments are about, others are not looked at.
func (e *Endpoint) usualPart(s *stream) bool {
	q := &e.queue
	m := &q.slots[s.waiting.head]
	if m.whole == none || !s.mode.reliable() || e.packets.sharded > 0 {
		return false
	}
	return m.next == none || len(m.payload)+q.frontSize(m.next) > packet.MaxPacket
}

// usualBulk reports whether bulk may leave now, with nothing to send again, and its first message has room behind an Ack if one is owed.
func (e *Endpoint) usualBulk(s *stream) bool {
	b, room := e.packets.bulk, bulkRoom
	if e.packets.answer.owed {
		room -= packet.UsualAckSize
	}
	if b == nil || b.again.len() > 0 || b.full() || e.queue.frontSize(s.waiting.head) > room {
		return false
	}
	return e.now >= b.paced.ready(b.limit(e.sendLimit))
}

// leaving is a packet with first copies of messages of one stream.
type leaving struct {
	*stream
	now, number, due int64
	stretched        bool
	messages, credit int   // that may still leave
	count, bytes     int   // that have left
	before           int64 // turn of the stream before the last of them
}

// putWaiting puts first copies of the messages that wait in s into the packet, as many as there is room and credit for. The first has both.
func (e *Endpoint) putWaiting(now, number int64, s *stream) {
	p, q, most := e.packets, &e.queue, packet.MaxFrames-1
	if s.class == ClassBulk {
		most = packet.MaxFrames
	}
	l := leaving{stream: s, now: now, number: number, due: e.usualDue(now, s), stretched: e.repair.stretching()}
	l.messages, l.credit = e.allowance(s)
	l.messages = min(l.messages, most-e.pool.builder.Frames())
	for more := true; more; {
		if q.slots[s.waiting.head].bunched > 0 {
			more = e.putBunch(&l)
		} else {
			more = e.putWhole(&l)
		}
	}
	q.turn[s.class.rank()] = max(q.turn[s.class.rank()], l.before)
	q.waiting[1] -= l.count
	q.inFlight += l.count
	s.sent += uint32(l.bytes)
	p.credit.sent += uint32(l.bytes)
	e.count.MessagesSent += uint64(l.count)
	e.count.PayloadSent += uint64(l.bytes)
}

// putWhole puts the message at the front, and reports whether the next may have room too.
func (e *Endpoint) putWhole(l *leaving) (more bool) {
	q, slot := &e.queue, l.waiting.head
	m := &q.slots[slot]
	n, behind := len(m.payload), -1
	if m.next != none && l.messages > 1 {
		if behind = q.frontSize(m.next); n+behind > l.credit {
			behind = -1
		}
	}
	ok, more := e.pool.builder.AppendWhole(l.name, uint16(l.next), m.payload, behind)
	if !ok {
		return false
	}
	l.waiting.head = m.next
	e.packets.sent.hold(slot, m.order)
	l.fly(m, slot)
	l.left(m)
	l.before = l.turn
	l.turn += l.cost(n)
	l.book(1, n)
	q.due.add(q.slots, slot, l.due)
	return more
}

// putBunch puts as many messages of the bunch at the front as there is room for, and reports whether what is behind it may have room too.
func (e *Endpoint) putBunch(l *leaving) (more bool) {
	q, slot := &e.queue, l.waiting.head
	m := &q.slots[slot]
	front := e.pool.builder.AppendBunch(l.name, uint16(l.next), m.payload, l.messages, l.credit)
	switch front.Messages {
	case 0:
		return false
	case int(m.bunched):
		l.waiting.head, more = m.next, m.next != none
	default:
		slot, m = e.cut(slot, front)
	}
	e.flyBunch(l.stream, slot)
	l.left(m)
	l.before = l.turnBunch(m, front.Last)
	l.book(front.Messages, front.Payload)
	q.due.add(q.slots, slot, l.due)
	return more && l.messages > 0 && q.frontSize(l.waiting.head) <= l.credit
}

// left notes that what is in the slot has left.
func (l *leaving) left(m *outMessage) {
	m.lastSent, m.firstSent, m.roundAt, m.lastPacket, m.stretched = l.now, l.now, l.now, l.number, l.stretched
	m.sends = 1
}

// book counts messages that have left, the last of which has so many bytes.
func (l *leaving) book(messages, bytes int) {
	l.messages -= messages
	l.credit -= bytes
	l.count += messages
	l.bytes += bytes
}

// usualDue is when a message is due that leaves for the first time.
func (e *Endpoint) usualDue(now int64, s *stream) int64 {
	if s.class == ClassBulk {
		return e.bulkDeadline(now, 0)
	}
	return now + e.rtt.timeout() + e.packets.path.delay
}

// putPart puts the first copy of the fragment that waits in s into the packet, in which it has room, and which the peer has credit for.
func (e *Endpoint) putPart(now, number int64, s *stream) {
	q := &e.queue
	slot := s.waiting.head
	m := &q.slots[slot]
	e.pool.builder.AppendReliable(q.frame(m, s.next))
	m.lastSent, m.firstSent, m.roundAt, m.lastPacket, m.stretched = now, now, now, number, e.repair.stretching()
	m.sends = 1
	e.packets.sent.hold(slot, m.order)
	s.waiting.head = m.next
	q.waiting[1]--
	q.turned(s, len(m.payload))
	s.fly(m, slot)
	q.inFlight++
	e.spendCredit(s, m)
	e.countMessage(m)
	q.due.add(q.slots, slot, e.usualDue(now, s))
}
