package reliable

import (
	"math"
	"time"

	"github.com/gannet-net/gannet/framing"
)

// none marks the end of a list of slots.
const none = int32(-1)

// outMessage is one message that Send accepted, until its fate is known.
type outMessage struct {
	payload []byte // the whole message, or its part if it is a fragment
	receipt uint64
	key     uint64 // replace key, 0 none
	order   uint64 // position among everything that was ever queued
	queued  int64  // when Send took it
	expires int64  // withdraw it if it was not sent by then

	firstSent, lastSent int64
	roundAt             int64  // when the current round of repairs began
	lastPacket          int64  // packet that held the last copy, piggybacked ones aside
	roundPacket         uint32 // low bits of the packet that held the first copy of the round
	judged              uint32 // and of the one that the round before was judged by
	seq                 int32
	next                int32 // next slot of the list that it is in
	place               int32 // in the due heap
	round               uint8 // how often its deadline has passed
	copies              uint8 // further copies of this round to send
	sends               uint8 // transmissions, saturating
	carried             uint8 // copies that packets with newer messages carried
	whole               int32 // index in sendQueue.wholes of the message that it is a fragment of, else none
	index               uint16
	stream              int16  // index in sendQueue.streams
	bunched             uint16 // messages of the bunch that it is, 0 if it is none; see bunch.go
	first, last         bool   // fragment of it
	urgent              bool
	bulk                bool // of ClassBulk, on the packet wire
	parity              bool // not a fragment, but a parity of them
	stretched           bool // its deadline was lengthened because no clean sample came
}

// held is what messages of one kind take of the queue.
type held struct{ messages, bytes int }

// kindOf indexes sendQueue.held.
func kindOf(reliable bool) int {
	if reliable {
		return 1
	}
	return 0
}

// sendQueue holds the messages of one endpoint: those that wait for their first transmission in their streams, reliable ones that were
// sent in a heap by what is due next.
type sendQueue struct {
	slots []outMessage
	free  int32 // first free slot

	streams []stream
	urgent  list    // lossy messages that overtake
	wholes  []whole // messages in fragments
	spare   []int32 // free entries of wholes

	nextWhole uint16 // id of the next lossy message in fragments
	bunches   int32  // in flight
	due       dueHeap

	held       [2]held // what counts against the budgets: of unreliable and of reliable messages
	waiting    [2]int  // never sent
	inFlight   int     // reliable, sent and not acked; fragments count one by one
	unsettled  int     // reliable messages whose fate is not known
	order      uint64
	turn       [classes]int64 // see stream.turn
	nextExpiry int64
}

func (q *sendQueue) init() {
	q.free = none
	q.urgent = list{none, none}
	q.nextExpiry = never
}

// stream finds the stream of a channel and mode, or makes it.
func (q *sendQueue) stream(c *Config, mode Mode, channel uint8) int32 {
	for i := range q.streams {
		if q.streams[i].mode == mode && q.streams[i].channel == channel {
			return int32(i)
		}
	}
	class, weight := c.channel(channel)
	q.streams = append(q.streams, stream{
		mode: mode, channel: channel, name: wireStream(mode, channel), class: class, weight: weight,
		waiting: list{none, none}, oldest: c.FirstSend, next: c.FirstSend, covered: c.FirstSend,
		limitSeq: c.FirstSend + Window, limit: streamWindow,
	})
	return int32(len(q.streams) - 1)
}

func (q *sendQueue) streamOf(m *outMessage) *stream { return &q.streams[m.stream] }

func (q *sendQueue) kindOf(m *outMessage) int { return kindOf(q.streamOf(m).mode.reliable()) }

func (q *sendQueue) empty() bool { return q.inFlight+q.waiting[0]+q.waiting[1] == 0 }

// age is how long ago the oldest message was queued that is not settled.
func (q *sendQueue) age(now int64) int64 {
	oldest := now
	if q.urgent.head != none {
		oldest = min(oldest, q.slots[q.urgent.head].queued)
	}
	for i := range q.streams {
		if head := q.streams[i].waiting.head; head != none {
			oldest = min(oldest, q.slots[head].queued)
		}
	}
	if m := q.oldestInFlight(); m != nil {
		oldest = min(oldest, m.queued)
	}
	return now - oldest
}

// oldestInFlight is the message in flight that was queued first, nil if none is.
func (q *sendQueue) oldestInFlight() *outMessage {
	var oldest *outMessage
	for _, entry := range q.due.entries {
		if m := &q.slots[entry.slot]; oldest == nil || m.older(oldest) {
			oldest = m
		}
	}
	return oldest
}

// Send copies payload and queues it for the next PollDatagram.
func (e *Endpoint) Send(now int64, payload []byte, o SendOptions) error {
	return e.SendAs(now, payload, &o)
}

// SendAs is Send with options that it reads and does not keep: they are too many for registers, and a copy of them takes longer than the rest of a short message.
func (e *Endpoint) SendAs(now int64, payload []byte, o *SendOptions) error {
	now = e.advance(now)
	limit, err := e.payloadLimit(o)
	switch {
	case err != nil:
		return err
	case e.state == StateConnecting:
		return ErrNotConnected
	case e.state != StateConnected:
		return ErrClosed
	case len(payload) > limit:
		return &TooLargeError{len(payload), limit}
	}
	bulk := e.isBulk(o.Channel)
	if len(payload) > e.room(o.Mode.reliable(), bulk) {
		e.expire(now)
		if len(payload) > e.room(o.Mode.reliable(), bulk) {
			return ErrQueueFull
		}
	}
	e.enqueue(now, payload, o, bulk)
	return nil
}

// Sendable is how many more bytes of reliable messages Send takes, 0 if none. Of ClassBulk it takes less, see Channel.
func (e *Endpoint) Sendable() int {
	if e.state != StateConnected {
		return 0
	}
	return max(0, e.room(true, false))
}

// room is how many more bytes of one kind the queue takes, -1 if not even an empty message. Unreliable messages have a quarter of
// the budget for themselves, so that a backlog of reliable ones does not silence them, and bulk leaves an eighth to the others for the same
// reason.
func (e *Endpoint) room(reliable, bulk bool) int {
	h := e.queue.held[kindOf(reliable)]
	messages, bytes := e.cfg.SendQueueMessages, e.cfg.SendQueueBytes
	if !reliable {
		messages, bytes = max(1, messages/4), max(framing.MaxDatagram, bytes/4)
	}
	if bulk {
		messages, bytes = max(1, messages-messages/8), max(framing.MaxDatagram, bytes-bytes/8)
	}
	if h.messages >= messages {
		return -1
	}
	return bytes - h.bytes
}

func (e *Endpoint) enqueue(now int64, payload []byte, o *SendOptions, bulk bool) {
	q := &e.queue
	stream, kind := q.stream(e.cfg, o.Mode, o.Channel), kindOf(o.Mode.reliable())
	q.held[kind].messages++
	q.held[kind].bytes += len(payload)
	q.unsettled += kind
	e.count.MessagesQueued++
	if o.ReplaceKey != 0 {
		e.supersede(now, stream, o.ReplaceKey)
	}
	if e.joinsBunch(now, stream, len(payload), o) {
		e.joinBunch(now, stream, payload)
		return
	}
	slot := q.take()
	m := &q.slots[slot] // filled in its place: a copy of so much costs more than all the rest
	*m = outMessage{}
	m.payload, m.receipt, m.key = e.pool.copyOf(payload), o.Receipt, o.ReplaceKey
	m.order, m.queued, m.expires = q.order, now, expiry(now, o.TTL)
	m.stream, m.whole, m.next, m.place = int16(stream), none, none, none
	m.first, m.last, m.urgent = true, true, o.Urgent
	m.bulk = bulk
	q.order++
	q.nextExpiry = min(q.nextExpiry, m.expires)
	if part := e.fragmentSize(m, kind == 1); len(payload) > part {
		e.split(slot, m, kind == 1, part)
		return
	}
	q.wait(slot)
}

// split queues a message as fragments of at most part bytes, with parities of them if that is worth it: then they have one size.
func (e *Endpoint) split(slot int32, m *outMessage, reliable bool, part int) {
	n := len(m.payload)
	parities := e.paritiesOf(m, reliable, (n+part-1)/part)
	if parities > 0 {
		part = evenPart(n, part)
		if reliable {
			e.packets.sharded++
		}
	}
	e.queue.split(slot, part, parities)
}

// expiry is when a message with this time to live is withdrawn.
func expiry(now int64, ttl time.Duration) int64 {
	if at := now + int64(ttl); ttl > 0 && at > now {
		return at
	}
	return never
}

// wait puts a message, or a fragment of one, into the list that it waits in.
func (q *sendQueue) wait(slot int32) {
	m := &q.slots[slot]
	s := q.streamOf(m)
	kind := kindOf(s.mode.reliable())
	q.waiting[kind]++
	switch {
	case m.urgent && kind == 0:
		q.append(&q.urgent, slot)
	case s.waiting.head == none:
		s.turn = max(s.turn, q.turn[s.class.rank()])
		fallthrough
	default:
		q.append(&s.waiting, slot)
	}
}

// nextWaiting is the list whose head is to be sent next: what overtakes, then the most important class, and in it the stream whose turn
// it is. It is nil if nothing may be sent.
func (e *Endpoint) nextWaiting() *list {
	q := &e.queue
	if q.urgent.head != none {
		return &q.urgent
	}
	if q.waiting[0]+q.waiting[1] == 0 {
		return nil
	}
	return e.nextStream(false, e.flightCap())
}

// nextBulk is the list of bulk whose head is to be sent next, nil if nothing may be sent.
func (e *Endpoint) nextBulk() *list {
	if q := &e.queue; q.waiting[0]+q.waiting[1] == 0 {
		return nil
	}
	return e.nextStream(true, math.MaxInt)
}

// nextStream is what waits in the stream whose turn it is, among those of bulk or among the others.
func (e *Endpoint) nextStream(bulk bool, flight int) *list {
	q := &e.queue
	var best *stream
	for i := range q.streams {
		s := &q.streams[i]
		if s.waiting.head == none || e.bulky(s) != bulk {
			continue
		}
		if s.mode.reliable() && (q.inFlight >= flight || !e.open(s)) {
			s.held = true
			continue
		}
		q.resume(s)
		if best == nil || q.before(s, best) {
			best = s
		}
	}
	if best == nil {
		return nil
	}
	e.takeOut(&best.waiting)
	return &best.waiting
}

// resume lets a stream go on that had its turn and might not send: what it might have sent meanwhile is no debt of the others.
func (q *sendQueue) resume(s *stream) {
	if s.held {
		s.held, s.turn = false, max(s.turn, q.turn[s.class.rank()])
	}
}

// bulky reports whether a controller governs what a stream sends.
func (e *Endpoint) bulky(s *stream) bool { return s.class == ClassBulk && e.packets != nil }

// isBulk reports the same of a channel.
func (e *Endpoint) isBulk(channel uint8) bool {
	class, _ := e.cfg.channel(channel)
	return class == ClassBulk && e.packets != nil
}

// open reports whether the next message of a reliable stream may leave (PROTOCOL.md 4.4, 13).
func (e *Endpoint) open(s *stream) bool {
	if e.packets == nil {
		return seqAfter(s.next, s.oldest) < Window
	}
	return seqAfter(s.next, s.oldest) < wideWindow && e.hasCredit(s)
}

func (q *sendQueue) before(a, b *stream) bool {
	if a.class != b.class {
		return a.class < b.class
	}
	if a.turn != b.turn {
		return a.turn < b.turn
	}
	return q.slots[a.waiting.head].order < q.slots[b.waiting.head].order
}

// leave takes the head of a list because it is sent for the first time.
func (q *sendQueue) leave(from *list) int32 {
	slot := q.pop(from)
	m := &q.slots[slot]
	s := q.streamOf(m)
	q.waiting[q.kindOf(m)]--
	if from != &q.urgent {
		q.turned(s, len(m.payload))
	}
	return slot
}

// turned notes that n bytes of a stream had their turn.
func (q *sendQueue) turned(s *stream, n int) {
	q.turn[s.class.rank()] = max(q.turn[s.class.rank()], s.turn)
	s.turn += s.cost(n)
}

func (e *Endpoint) countFirst(payload, header int) {
	e.repair.earn(e.cfg.Budget, payload+header+datagramOverhead)
	e.count.MessagesSent++
	e.count.PayloadSent += uint64(payload)
}

// delivered ends a message in flight that the peer has.
func (e *Endpoint) delivered(now int64, slot int32) {
	q := &e.queue
	m := &q.slots[slot]
	q.land(m, slot)
	e.trace(TraceAcked, m)
	e.settle(now, slot, Delivered)
}

// undelivered is how many reliable messages do not reach the peer's application if nothing more arrives, as far as that is known: those whose ack
// did not come may have arrived all the same.
func (q *sendQueue) undelivered() int {
	n := q.unsettled
	for i := range q.streams {
		n += q.streams[i].keptBack()
	}
	return n
}

// deliveredWhole is delivered of a whole message whose fate nobody asked for, as most are.
func (e *Endpoint) deliveredWhole(slot int32) {
	q := &e.queue
	m := &q.slots[slot]
	q.land(m, slot)
	e.trace(TraceAcked, m)
	e.count.MessagesAcked++
	q.unsettled--
	q.held[1].messages--
	q.held[1].bytes -= len(m.payload)
	e.pool.put(m.payload)
	m.payload = nil
	q.streamOf(m).arrived(m.seq)
	q.give(slot)
}

// land takes a message out of the flight.
func (q *sendQueue) land(m *outMessage, slot int32) {
	q.due.remove(q.slots, slot)
	if m.bunched > 0 {
		q.landBunch(m)
		return
	}
	q.streamOf(m).land(m.seq)
	q.inFlight--
}

// settle ends a message, or a fragment of one. When the whole message is settled its buffer is free, and its fate is reported if someone
// asked. With a receipt it counts against the queue until the report was read, so that unread reports are bounded.
func (e *Endpoint) settle(now int64, slot int32, fate Fate) {
	q := &e.queue
	m := &q.slots[slot]
	if m.bunched > 0 {
		e.settleBunch(slot, fate)
		return
	}
	payload, kind := m.payload, q.kindOf(m)
	receipt, whole, parity, s, last := m.receipt, m.whole, m.parity, q.streamOf(m), m.seq
	m.payload = nil
	q.give(slot)
	if whole != none {
		w := &q.wholes[whole]
		switch {
		case parity && fate == Lost:
			fate = Delivered // no fragment is lost by that
		case fate == Lost && w.parities > 0:
			w.lost++
		}
		w.fate = worse(w.fate, fate)
		if w.parts--; w.parts > 0 {
			return
		}
		payload, fate = w.payload, w.fate
		if fate == Lost && w.lost > 0 && w.lost <= w.covered {
			fate = Delivered // the peer has rebuilt what was lost
		}
		if w.parities > 0 && kind == 1 {
			e.packets.sharded--
		}
		if w.begun && s.mode == ReliableSequenced {
			e.packets.credit.sequenced -= len(payload)
		}
		last = w.seq + w.count - 1
		q.giveWhole(whole)
	}
	if kind == 1 && fate == Delivered {
		e.count.MessagesAcked++
		s.arrived(last)
	}
	q.unsettled -= kind
	q.held[kind].bytes -= len(payload)
	e.pool.put(payload)
	if receipt != 0 {
		e.unread.outcomes.push(outcome{receipt, fate, kind == 1, now, e.unread.stamp()})
	} else {
		q.held[kind].messages--
	}
}

// expire withdraws waiting messages whose time to live is over.
func (e *Endpoint) expire(now int64) {
	q := &e.queue
	if now < q.nextExpiry {
		return
	}
	q.nextExpiry = never
	e.withdraw(now, &q.urgent, Expired, func(m *outMessage) bool { return e.expired(now, m) })
	for i := range q.streams {
		e.withdraw(now, &q.streams[i].waiting, Expired, func(m *outMessage) bool { return e.expired(now, m) })
	}
	e.endIfDelivered(now)
}

// expired reports whether a message that waits is to be withdrawn, and notes when that will be otherwise. A message that was begun is
// sent to its end.
func (e *Endpoint) expired(now int64, m *outMessage) bool {
	if m.expires == never || e.queue.begun(m) {
		return false
	}
	if now < m.expires {
		e.queue.nextExpiry = min(e.queue.nextExpiry, m.expires)
		return false
	}
	if m.first {
		e.count.MessagesExpired++
	}
	return true
}

// supersede withdraws the waiting messages of a stream that have the replace key of a newer one.
func (e *Endpoint) supersede(now int64, stream int32, key uint64) {
	q := &e.queue
	same := func(m *outMessage) bool { return int32(m.stream) == stream && m.key == key && !q.begun(m) }
	e.withdraw(now, &q.urgent, Superseded, same)
	e.withdraw(now, &q.streams[stream].waiting, Superseded, same)
}

// withdraw takes messages that were never sent out of a list.
func (e *Endpoint) withdraw(now int64, l *list, fate Fate, which func(*outMessage) bool) {
	q := &e.queue
	kept := list{none, none}
	for l.head != none {
		slot := q.pop(l)
		m := &q.slots[slot]
		if !which(m) {
			q.append(&kept, slot)
			continue
		}
		q.waiting[q.kindOf(m)] -= m.messages()
		e.settle(now, slot, fate)
	}
	*l = kept
}

// cancelQueue reports every message that is left as cancelled.
func (e *Endpoint) cancelQueue(now int64) {
	q := &e.queue
	for len(q.due.entries) > 0 {
		slot := q.due.entries[0].slot
		q.land(&q.slots[slot], slot)
		e.settle(now, slot, Cancelled)
	}
	if e.packets != nil {
		e.cancelAwaited(now)
	}
	all := func(*outMessage) bool { return true }
	e.withdraw(now, &q.urgent, Cancelled, all)
	for i := range q.streams {
		e.withdraw(now, &q.streams[i].waiting, Cancelled, all)
	}
}

// take returns a free slot.
func (q *sendQueue) take() int32 {
	if q.free == none {
		if n := len(q.slots); n == cap(q.slots) { // by a quarter: slots are large, and most endpoints need few
			q.slots = append(make([]outMessage, 0, n+max(4, n/4)), q.slots...)
		}
		q.slots = append(q.slots, outMessage{})
		return int32(len(q.slots) - 1)
	}
	slot := q.free
	q.free = q.slots[slot].next
	return slot
}

func (q *sendQueue) give(slot int32) {
	q.slots[slot].next = q.free
	q.free = slot
}

func (q *sendQueue) append(l *list, slot int32) {
	q.slots[slot].next = none
	if l.head == none {
		l.head = slot
	} else {
		q.slots[l.tail].next = slot
	}
	l.tail = slot
}

func (q *sendQueue) pop(l *list) int32 {
	slot := l.head
	l.head = q.slots[slot].next
	return slot
}
