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
	payload []byte
	receipt uint64
	order   uint64 // position among everything that was ever queued
	queued  int64  // when Send took it
	expires int64  // withdraw it if it was not sent by then

	firstSent, lastSent int64
	roundAt             int64 // when the current round of repairs began
	seq                 int32
	next                int32 // next slot of the list that it is in
	place               int32 // in the due heap
	round               uint8 // how often its deadline has passed
	copies              uint8 // further copies of this round to send
	sends               uint8 // transmissions, saturating
	reliable            bool
	urgent              bool
	stretched           bool // its deadline was lengthened because no clean sample came
}

// list is a first-in first-out list of slots, linked through outMessage.next.
type list struct{ head, tail int32 }

// held is what messages of one kind take of the queue.
type held struct{ messages, bytes int }

// kindOf indexes sendQueue.held.
func kindOf(reliable bool) int {
	if reliable {
		return 1
	}
	return 0
}

// sendQueue holds the messages of one endpoint: those that wait for their first transmission in lists, reliable ones that were
// sent in a ring by sequence and in a heap by what is due next.
type sendQueue struct {
	slots []outMessage
	free  int32 // first free slot

	reliableWaiting, lossyWaiting, urgentWaiting list

	inFlight     []int32 // slot by sequence; none if acked. Length is a power of two
	oldest, next int32   // oldest unacked sequence, next to be given
	unacked      int
	everAcked    uint64 // sequences behind oldest, to know what was never sent
	due          dueHeap

	held         [2]held // what counts against the budgets: of unreliable and of reliable messages
	waitingCount int
	reliableWait int
	order        uint64
	nextExpiry   int64
}

func (q *sendQueue) init(first int32) {
	empty := list{none, none}
	q.free = none
	q.reliableWaiting, q.lossyWaiting, q.urgentWaiting = empty, empty, empty
	q.oldest, q.next = first, first
	q.nextExpiry = never
}

// reliable is the number of reliable messages that are not acknowledged.
func (q *sendQueue) reliable() int { return q.unacked + q.reliableWait }

func (q *sendQueue) empty() bool { return q.unacked == 0 && q.waitingCount == 0 }

// age is how long ago the oldest message was queued that is not settled.
func (q *sendQueue) age(now int64) int64 {
	oldest := now
	for _, l := range [...]list{q.urgentWaiting, q.lossyWaiting, q.reliableWaiting} {
		if l.head != none {
			oldest = min(oldest, q.slots[l.head].queued)
		}
	}
	if q.unacked > 0 {
		oldest = min(oldest, q.slots[q.inFlight[uint32(q.oldest)&q.mask()]].queued)
	}
	return now - oldest
}

// Send copies payload and queues it for the next PollDatagram.
func (e *Endpoint) Send(now int64, payload []byte, o SendOptions) error {
	now = e.advance(now)
	limit, err := payloadLimit(o)
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
	reliable := o.Mode == ReliableOrdered
	if len(payload) > e.room(reliable) {
		e.expire(now)
		if len(payload) > e.room(reliable) {
			return ErrQueueFull
		}
	}
	e.enqueue(now, payload, o)
	return nil
}

func payloadLimit(o SendOptions) (int, error) {
	switch {
	case o.Channel != 0:
		return 0, ErrNotOnBase
	case o.Mode == Unreliable:
		return framing.MaxUnreliable, nil
	case o.Mode == ReliableOrdered:
		return framing.MaxReliable, nil
	}
	return 0, ErrNotOnBase
}

// Sendable is how many more bytes of reliable messages Send takes, 0 if none.
func (e *Endpoint) Sendable() int {
	if e.state != StateConnected {
		return 0
	}
	return max(0, e.room(true))
}

// room is how many more bytes of one kind the queue takes, -1 if not even an empty message. Unreliable messages have a quarter of
// the budget for themselves, so that a backlog of reliable ones does not silence them.
func (e *Endpoint) room(reliable bool) int {
	h := e.queue.held[kindOf(reliable)]
	messages, bytes := e.cfg.SendQueueMessages, e.cfg.SendQueueBytes
	if !reliable {
		messages, bytes = max(1, messages/4), max(framing.MaxDatagram, bytes/4)
	}
	if h.messages >= messages {
		return -1
	}
	return bytes - h.bytes
}

func (e *Endpoint) enqueue(now int64, payload []byte, o SendOptions) {
	q := &e.queue
	slot := q.take()
	m := &q.slots[slot]
	*m = outMessage{
		payload: e.pool.copyOf(payload), receipt: o.Receipt, order: q.order, queued: now, expires: expiry(now, o.TTL), next: none, place: none,
		reliable: o.Mode == ReliableOrdered, urgent: o.Urgent,
	}
	q.nextExpiry = min(q.nextExpiry, m.expires)
	q.order++
	q.held[kindOf(m.reliable)].messages++
	q.held[kindOf(m.reliable)].bytes += len(payload)
	q.waitingCount++
	switch {
	case m.reliable:
		q.reliableWait++
		q.append(&q.reliableWaiting, slot)
	case o.Urgent:
		q.append(&q.urgentWaiting, slot)
	default:
		q.append(&q.lossyWaiting, slot)
	}
	e.stats.MessagesQueued++
}

// expiry is when a message with this time to live is withdrawn.
func expiry(now int64, ttl time.Duration) int64 {
	if at := now + int64(ttl); ttl > 0 && at > now {
		return at
	}
	return never
}

// appendMessage appends the first transmission of the next waiting message.
func (e *Endpoint) appendMessage(now int64, dst []byte) []byte {
	q := &e.queue
	if q.urgentWaiting.head != none {
		return e.appendUnreliable(now, dst, &q.urgentWaiting)
	}
	lossy, reliable := q.lossyWaiting.head, q.reliableWaiting.head
	if !q.windowOpen() {
		reliable = none
	}
	switch {
	case lossy == none && reliable == none:
		return dst
	case lossy == none, reliable != none && q.slots[reliable].order < q.slots[lossy].order:
		return e.appendFirstCopy(now, dst)
	}
	return e.appendUnreliable(now, dst, &q.lossyWaiting)
}

// windowOpen reports whether one more reliable message may be in flight (PROTOCOL.md 4.4).
func (q *sendQueue) windowOpen() bool {
	return q.unacked < MaxInFlight && seqAfter(q.next, q.oldest) < Window
}

func (e *Endpoint) appendUnreliable(now int64, dst []byte, from *list) []byte {
	q := &e.queue
	m := &q.slots[from.head]
	if !e.affords(len(m.payload) + framing.UnreliableHeader) {
		return dst
	}
	dst = framing.AppendUnreliable(dst, m.payload)
	e.countFirst(len(m.payload), framing.UnreliableHeader)
	q.waitingCount--
	e.settle(now, q.pop(from), Sent)
	e.endIfDelivered(now)
	return dst
}

func (e *Endpoint) appendFirstCopy(now int64, dst []byte) []byte {
	q := &e.queue
	m := &q.slots[q.reliableWaiting.head]
	if !e.affords(len(m.payload) + framing.ReliableHeader) {
		return dst
	}
	slot := q.pop(&q.reliableWaiting)
	q.waitingCount--
	q.reliableWait--
	q.fly(slot)
	m.firstSent, m.roundAt = now, now
	dst = e.appendReliable(now, dst, m)
	e.countFirst(len(m.payload), framing.ReliableHeader)
	q.due.add(q.slots, slot, e.planFirst(now, m))
	e.trace(TraceSent, m)
	return dst
}

func (e *Endpoint) appendReliable(now int64, dst []byte, m *outMessage) []byte {
	m.lastSent = now
	if m.sends < math.MaxUint8 {
		m.sends++
	}
	return framing.AppendReliable(dst, m.seq, m.payload)
}

func (e *Endpoint) countFirst(payload, header int) {
	e.repair.earn(e.cfg.Budget, payload+header+datagramOverhead)
	e.stats.MessagesSent++
	e.stats.PayloadSent += uint64(payload)
}

// handleAck ends the message that an Ack names (PROTOCOL.md 4.3).
func (e *Endpoint) handleAck(now int64, seq int32) framing.Drop {
	q := &e.queue
	slot, drop := q.find(seq)
	if drop != framing.Accepted {
		return drop
	}
	m := &q.slots[slot]
	e.learn(now, m)
	q.land(slot)
	e.stats.MessagesAcked++
	e.trace(TraceAcked, m)
	e.settle(now, slot, Delivered)
	e.endIfDelivered(now)
	return framing.Accepted
}

// find returns the slot of a sequence in flight.
func (q *sendQueue) find(seq int32) (int32, framing.Drop) {
	ahead := seqAfter(seq, q.oldest)
	switch {
	case ahead >= seqAfter(q.next, q.oldest):
		return none, framing.DropAckUnsent
	case ahead < 0 && uint64(-ahead) > q.everAcked:
		return none, framing.DropAckUnsent
	case ahead < 0:
		return none, framing.DropAckAgain
	}
	if slot := q.inFlight[uint32(seq)&q.mask()]; slot != none {
		return slot, framing.Accepted
	}
	return none, framing.DropAckAgain
}

func (q *sendQueue) mask() uint32 { return uint32(len(q.inFlight) - 1) }

// fly gives the message in slot the next sequence.
func (q *sendQueue) fly(slot int32) {
	if int(seqAfter(q.next, q.oldest)) == len(q.inFlight) {
		q.growFlight()
	}
	q.slots[slot].seq = q.next
	q.inFlight[uint32(q.next)&q.mask()] = slot
	q.next++
	q.unacked++
}

func (q *sendQueue) growFlight() {
	grown := make([]int32, max(16, 2*len(q.inFlight)))
	mask := uint32(len(grown) - 1)
	for seq := q.oldest; seq != q.next; seq++ {
		grown[uint32(seq)&mask] = q.inFlight[uint32(seq)&q.mask()]
	}
	q.inFlight = grown
}

// land takes a message that was acked out of the flight.
func (q *sendQueue) land(slot int32) {
	q.due.remove(q.slots, slot)
	q.inFlight[uint32(q.slots[slot].seq)&q.mask()] = none
	q.unacked--
	for q.oldest != q.next && q.inFlight[uint32(q.oldest)&q.mask()] == none {
		q.oldest++
		q.everAcked++
	}
}

// settle ends a message: its buffer is free, and its fate is reported if someone asked. With a receipt it counts against the queue
// until the report was read, so that unread reports are bounded.
func (e *Endpoint) settle(now int64, slot int32, fate Fate) {
	q := &e.queue
	m := &q.slots[slot]
	h := &q.held[kindOf(m.reliable)]
	h.bytes -= len(m.payload)
	e.pool.put(m.payload)
	m.payload = nil
	if m.receipt != 0 {
		e.unread.outcomes.push(outcome{m.receipt, fate, m.reliable, now, e.unread.stamp()})
	} else {
		h.messages--
	}
	q.give(slot)
}

// expire withdraws waiting messages whose time to live is over.
func (e *Endpoint) expire(now int64) {
	q := &e.queue
	if now < q.nextExpiry {
		return
	}
	q.nextExpiry = never
	for _, l := range [...]*list{&q.urgentWaiting, &q.lossyWaiting, &q.reliableWaiting} {
		e.expireList(now, l)
	}
	e.endIfDelivered(now)
}

func (e *Endpoint) expireList(now int64, l *list) {
	q := &e.queue
	kept := list{none, none}
	for l.head != none {
		slot := q.pop(l)
		m := &q.slots[slot]
		if m.expires == never || now < m.expires {
			q.nextExpiry = min(q.nextExpiry, m.expires)
			q.append(&kept, slot)
			continue
		}
		q.waitingCount--
		if m.reliable {
			q.reliableWait--
		}
		e.stats.MessagesExpired++
		e.settle(now, slot, Expired)
	}
	*l = kept
}

// cancelQueue reports every message that is left as cancelled.
func (e *Endpoint) cancelQueue(now int64) {
	q := &e.queue
	for seq := q.oldest; seq != q.next; seq++ {
		if slot := q.inFlight[uint32(seq)&q.mask()]; slot != none {
			e.settle(now, slot, Cancelled)
		}
	}
	for _, l := range [...]*list{&q.urgentWaiting, &q.lossyWaiting, &q.reliableWaiting} {
		for l.head != none {
			e.settle(now, q.pop(l), Cancelled)
		}
	}
	q.oldest, q.unacked, q.waitingCount, q.reliableWait = q.next, 0, 0, 0
	q.due.entries = nil
	q.inFlight = nil
}

// take returns a free slot.
func (q *sendQueue) take() int32 {
	if q.free == none {
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
