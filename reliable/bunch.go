package reliable

import "github.com/gannet-net/gannet/framing/packet"

// In a backlog of small messages most are alike: reliable, without options, sent at one time, one behind the other. A bunch is several such in one slot, as
// they will stand in a packet. A bunch that waits gives packets as many from its front as have room, and those of one packet are a bunch in flight,
// until the packet is acked. Wherever messages are looked at one by one, they are taken out of their bunch first; then all is as if they had
// never been in one.

const (
	bunchFrom = 8       // messages that wait: there is no backlog before
	bunchSize = 127     // bytes; of larger ones few have room in a packet, and each has one byte of length up to that
	bunchRoom = 2 << 10 // bytes of a bunch that waits,
	fewRoom   = 1 << 8  // and of one that may stay short: it is moved as it grows
)

// messages is how many messages are in the slot.
func (m *outMessage) messages() int { return max(1, int(m.bunched)) }

// bunchBytes is how many bytes of payload the messages of a bunch have.
func (m *outMessage) bunchBytes() int { return len(m.payload) - int(m.bunched)*packet.BunchedSize(0) }

// frontSize is how many bytes of payload the first message of a slot has.
func (q *sendQueue) frontSize(slot int32) int {
	m := &q.slots[slot]
	if m.bunched == 0 {
		return len(m.payload)
	}
	payload, _ := packet.Unbunch(m.payload)
	return len(payload)
}

// joinsBunch reports whether a message of n bytes that is sent now may be bunched with what was sent before it.
func (e *Endpoint) joinsBunch(now int64, stream int32, n int, o *SendOptions) bool {
	q := &e.queue
	s := &q.streams[stream]
	if s.waiting.head == none || q.waiting[1] < bunchFrom || n > bunchSize || e.packets == nil || e.pool.slow {
		return false
	}
	if o.TTL > 0 || o.ReplaceKey != 0 || o.Receipt != 0 || o.Urgent || o.Mode != ReliableOrdered && o.Mode != ReliableUnordered {
		return false
	}
	tail := &q.slots[s.waiting.tail]
	return tail.queued == now && tail.whole == none && tail.order+uint64(tail.messages()) == q.order
}

// joinBunch puts a message into the bunch that its stream ends with, or into a new one.
func (e *Endpoint) joinBunch(now int64, stream int32, payload []byte) {
	q := &e.queue
	m := e.bunchFor(now, stream, packet.BunchedSize(len(payload)))
	m.payload = packet.AppendBunched(m.payload, payload)
	m.bunched++
	q.order++
	q.waiting[1]++
}

// bunchFor is the bunch that its stream ends with if it has room for n bytes, else a new one. What comes behind a full bunch fills another, as a rule.
func (e *Endpoint) bunchFor(now int64, stream int32, n int) *outMessage {
	m := &e.queue.slots[e.queue.streams[stream].waiting.tail]
	switch {
	case m.bunched == 0:
		return e.newBunch(now, stream, fewRoom)
	case len(m.payload)+n <= cap(m.payload):
		return m
	case cap(m.payload) >= bunchRoom:
		return e.newBunch(now, stream, bunchRoom)
	}
	grown := append(e.pool.get(2 * cap(m.payload))[:0], m.payload...)
	e.pool.put(m.payload)
	m.payload = grown
	return m
}

// newBunch is an empty bunch at the end of a stream.
func (e *Endpoint) newBunch(now int64, stream int32, room int) *outMessage {
	q := &e.queue
	s, slot := &q.streams[stream], q.take()
	m := &q.slots[slot]
	*m = outMessage{
		payload: e.pool.get(room)[:0], order: q.order, queued: now, expires: never, stream: int16(stream), whole: none, place: none,
		first: true, last: true, bulk: e.bulky(s),
	}
	q.append(&s.waiting, slot)
	return m
}

// takeOut gives the first message of a list a slot of its own.
func (e *Endpoint) takeOut(l *list) {
	q, from := &e.queue, l.head
	if q.slots[from].bunched == 0 {
		return
	}
	slot := q.take()
	m, bunch := &q.slots[slot], &q.slots[from]
	payload, others := packet.Unbunch(bunch.payload)
	*m = *bunch
	m.payload, m.bunched, m.next = e.pool.copyOf(payload), 0, from
	l.head = slot
	if len(others) > 0 {
		bunch.shrink(1, others)
		return
	}
	if m.next = bunch.next; l.tail == from {
		l.tail = slot
	}
	e.pool.put(bunch.payload)
	bunch.payload = nil
	q.give(from)
}

// shrink takes n messages off the front of a bunch that waits. What is left has its bytes and is not empty.
func (m *outMessage) shrink(n int, left []byte) {
	m.order += uint64(n)
	m.bunched -= uint16(n)
	m.payload = m.payload[:copy(m.payload, left)]
}

// cut takes the front of a bunch that waits into a bunch of its own.
func (e *Endpoint) cut(from int32, front packet.Bunched) (slot int32, m *outMessage) {
	q := &e.queue
	slot = q.take()
	m, bunch := &q.slots[slot], &q.slots[from]
	*m = *bunch
	m.payload, m.bunched = e.pool.copyOf(bunch.payload[:front.Size]), uint16(front.Messages)
	bunch.shrink(front.Messages, bunch.payload[front.Size:])
	return slot, m
}

// turnBunch notes that all messages of a bunch had their turn, and returns when the last, of lastSize bytes, had it.
func (s *stream) turnBunch(m *outMessage, lastSize int) (last int64) {
	if s.weight == 1 { // then the sum is that of all
		s.turn += s.cost(m.bunchBytes() + int(m.bunched) - 1)
		return s.turn - s.cost(lastSize)
	}
	for others := m.payload; len(others) > 0; {
		var payload []byte
		payload, others = packet.Unbunch(others)
		last = s.turn
		s.turn += s.cost(len(payload))
	}
	return last
}

// flyBunch gives each message of a bunch the next sequence, and notes that the packet opened last holds them.
func (e *Endpoint) flyBunch(s *stream, slot int32) {
	q := &e.queue
	m := &q.slots[slot]
	m.seq = s.next
	for int(seqAfter(s.next, s.oldest))+int(m.bunched) > len(s.inFlight) {
		s.grow()
	}
	for i := range uint32(m.bunched) {
		s.inFlight[(uint32(m.seq)+i)&s.mask()] = slot
		e.packets.sent.hold(slot, m.order+uint64(i))
	}
	s.next += int32(m.bunched)
	s.unacked += int(m.bunched)
	q.bunches++
}

// landBunch takes a bunch out of the flight.
func (q *sendQueue) landBunch(m *outMessage) {
	s := q.streamOf(m)
	for i := range int32(m.bunched) {
		s.land(m.seq + i)
	}
	q.inFlight -= int(m.bunched)
	q.bunches--
}

// settleBunch ends all messages of a bunch, which does not wait and is not in flight any more.
func (e *Endpoint) settleBunch(slot int32, fate Fate) {
	q := &e.queue
	m := &q.slots[slot]
	n := int(m.bunched)
	if fate == Delivered {
		e.count.MessagesAcked += uint64(n)
		for i := range int32(n) {
			q.streamOf(m).arrived(m.seq + i)
		}
	}
	q.unsettled -= n
	q.held[1].messages -= n
	q.held[1].bytes -= m.bunchBytes()
	e.pool.put(m.payload)
	m.payload = nil
	q.give(slot)
}

// disband gives each message of a bunch in flight a slot of its own, the first that of the bunch.
func (e *Endpoint) disband(slot int32) {
	q, sent := &e.queue, &e.packets.sent
	bunch := q.slots[slot]
	if bunch.bunched == 0 {
		return
	}
	refs, at, s := sent.refsOf(bunch.lastPacket, messageRef{slot, uint32(bunch.order)}), q.due.entries[bunch.place].at, q.streamOf(&bunch)
	for i, others := int32(0), bunch.payload; len(others) > 0; i++ {
		var payload []byte
		payload, others = packet.Unbunch(others)
		to := slot
		if i > 0 {
			to = q.take()
		}
		m := &q.slots[to]
		*m = bunch
		m.payload, m.bunched = e.pool.copyOf(payload), 0
		m.order += uint64(i)
		m.seq += i
		s.inFlight[uint32(m.seq)&s.mask()] = to
		*sent.refAt(refs + uint32(i)) = messageRef{to, uint32(m.order)}
		if i > 0 {
			q.due.add(q.slots, to, at)
		}
	}
	e.pool.put(bunch.payload)
	q.bunches--
}

// disbandAll disbands all bunches in flight.
func (e *Endpoint) disbandAll() {
	q := &e.queue
	for i := 0; q.bunches > 0; i++ { // what disband adds stands behind, or above what was looked at
		e.disband(q.due.entries[i].slot)
	}
}
