package reliable

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// appendUsualLossy is appendUsual of the messages that wait in s, which are not reliable.
func (e *Endpoint) appendUsualLossy(now int64, dst []byte, s *stream) []byte {
	p := e.packets
	number := p.sent.next
	p.sent.begin(now, e.cohort).state = packetOutstanding
	e.beginUsual(now)
	e.putWaitingLossy(now, s)
	start := len(dst)
	dst = p.sealer.Seal(dst, e.pool.builder.Bytes(), number)
	e.repair.earn(e.cfg.Budget, len(dst)-start+datagramOverhead)
	p.sent.forget(now - 2*e.rtt.timeout())
	return dst
}

// putWaitingLossy puts the messages that wait in s into the packet, as many as there is room for.
func (e *Endpoint) putWaitingLossy(now int64, s *stream) {
	q, b := &e.queue, &e.pool.builder
	count, bytes, before := b.Frames(), 0, s.turn
	sent := 0
	for slot, more := s.waiting.head, true; more; sent++ {
		m := &q.slots[slot]
		n, next, behind := len(m.payload), m.next, -1
		if next != none && count+sent+1 < packet.MaxFrames-1 {
			behind = len(q.slots[next].payload)
		}
		_, more = b.AppendLossy(s.channel, m.payload, behind)
		s.waiting.head, bytes, before = next, bytes+n, s.turn
		s.turn += s.cost(n)
		if m.receipt == 0 {
			e.settle(now, slot, Sent)
		} else {
			e.packets.sent.hold(slot, m.order)
		}
		slot = next
	}
	q.turn[s.class.rank()] = max(q.turn[s.class.rank()], before)
	q.waiting[0] -= sent
	e.count.MessagesSent += uint64(sent)
	e.count.PayloadSent += uint64(bytes)
}

// takeUsualLossy is takeUsual of a packet with messages that are neither reliable nor sequenced.
func (e *Endpoint) takeUsualLossy(now int64, plain []byte, number int64) bool {
	var u packet.UsualLossy
	switch {
	case e.pool.slow, e.state != StateConnected, e.cfg.Trace != nil, !u.Read(plain):
		return false
	case u.HasAck && !e.packets.sent.truthful(&u.Ack):
		return false
	}
	e.packets.came(now, number)
	e.hear(now)
	if u.HasAck {
		e.takeAck(now, &u.Ack)
	}
	for range u.Messages {
		channel, payload := u.Next()
		if m := (message{payload: e.pool.copyOf(payload), at: now, channel: channel}); e.unread.makeRoom(e, len(payload)) {
			e.unread.pushLossy(m)
		} else {
			e.countDrop(framing.DropUnread)
			e.pool.put(m.payload)
		}
	}
	e.owe(now, false)
	return true
}
