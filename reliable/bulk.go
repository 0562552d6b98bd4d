package reliable

import (
	"time"

	"github.com/gannet-net/gannet/internal/congestion"
)

// mostBulkPackets bounds the packets with bulk on their way, so that the records of packets never run out for the game.
const mostBulkPackets = maxSentPackets * 3 / 4

// reorderLife is for how long a path is taken to reorder after it did.
const reorderLife = int64(10 * time.Second)

// bulkControl governs what is of ClassBulk (PROTOCOL.md 15): bulk leaves when nothing else may, as fast as a controller allows, and what was lost
// of it before what is new. Nothing else waits for it. It is made when bulk is first sent.
type bulkControl struct {
	controller congestion.Controller
	paced      gcra
	inFlight   int // bytes on their way, headers included
	packets    int
	again      ring[messageRef] // messages that have to leave again; those that were acked since are passed over

	reorder   int64 // by how much later than a round trip packets of this path come, that seem lost
	reorderAt int64 // when that was changed last

	rested bool // there was nothing to send, or no window, since bulk left last: the pacer has nothing to make up for

	acked, lost, found int  // bytes since the controller was told last
	hungry             bool // more would have left since then if the window had allowed it
}

func (e *Endpoint) newBulkControl() *bulkControl {
	b := &bulkControl{controller: congestion.NewDelay(), paced: gcra{e.now}, rested: true}
	if e.cfg.Background {
		b.controller = congestion.NewBackground()
	}
	return b
}

// bulkAt is when bulk may leave if nothing else does, never if there is none or acks have to come first.
func (e *Endpoint) bulkAt() int64 {
	p := e.packets
	idle := e.repair.outage || e.bulkAgain() == none && e.nextBulk() == nil
	if p.bulk == nil {
		if idle {
			return never
		}
		p.bulk = e.newBulkControl()
	}
	b := p.bulk
	if idle || b.full() {
		b.rested = true
		b.hungry = b.hungry || !idle
		return never
	}
	return max(e.now, b.paced.ready(b.limit(e.sendLimit)))
}

// full reports whether as much is on its way as may be.
func (b *bulkControl) full() bool {
	return int64(b.inFlight) >= b.controller.Window() || b.packets >= mostBulkPackets
}

// limit is how bulk is paced: packet by packet, and a little below the ceiling so that the game has room.
func (b *bulkControl) limit(ceiling limit) limit {
	rate := max(1, b.controller.Rate())
	if !ceiling.unlimited() {
		rate = min(rate, ceiling.perSecond-ceiling.perSecond/16)
	}
	return limit{perSecond: rate}
}

// putBulk puts bulk into the packet: what has to leave again, then what is new.
func (e *Endpoint) putBulk(now int64, l *load) {
	l.bulk = true
	for slot := e.bulkAgain(); slot != none; slot = e.bulkAgain() {
		if !e.putBulkAgain(now, slot, l) {
			return
		}
	}
	for from := e.nextBulk(); from != nil && e.putFirst(now, from, l); {
		from = e.nextBulk()
	}
}

func (e *Endpoint) putBulkAgain(now int64, slot int32, l *load) bool {
	m := &e.queue.slots[slot]
	last := m.lastPacket
	if !e.putAgain(now, slot, l) {
		return false
	}
	e.packets.bulk.again.drop()
	m.round = min(m.round, 254) + 1
	m.roundAt, m.roundPacket, m.judged = now, uint32(l.number), uint32(last)
	e.count.Repairs++
	e.queue.due.move(e.queue.slots, slot, e.bulkDeadline(now, m.round))
	e.trace(TraceRepaired, m)
	return true
}

// bulkDeadline is when a copy that leaves now is taken for lost if no ack tells sooner. Acks of later packets do, so it is late.
func (e *Endpoint) bulkDeadline(now int64, round uint8) int64 {
	return now + 2*(e.nextDeadline(round)+e.packets.path.delay)
}

// bulkAgain is the message that has to leave again first, none if there is none. It is the front of the ring.
func (e *Endpoint) bulkAgain() int32 {
	b, q := e.packets.bulk, &e.queue
	if b == nil {
		return none
	}
	for ; b.again.len() > 0; b.again.drop() {
		ref := b.again.front()
		if m := &q.slots[ref.slot]; uint32(m.order) == ref.order && m.payload != nil && q.shelved(m) {
			return ref.slot
		}
	}
	return none
}

// shelved reports whether a message in flight waits to leave again.
func (q *sendQueue) shelved(m *outMessage) bool {
	return m.place != none && q.due.entries[m.place].at == never
}

// shelve lets a message of bulk wait for its turn to leave again.
func (e *Endpoint) shelve(slot int32) {
	q := &e.queue
	if m := &q.slots[slot]; !q.shelved(m) {
		q.due.move(q.slots, slot, never)
		e.packets.bulk.again.push(messageRef{slot, uint32(m.order)})
	}
}

// bulkOverdue takes it that a message of bulk has to leave again because no ack told anything about its packet. It reports whether that shows
// that nothing gets through any more.
func (e *Endpoint) bulkOverdue(now int64, slot int32) (outage bool) {
	m, p := &e.queue.slots[slot], e.packets
	if e.startsOutage(now, m) {
		return true
	}
	if record := p.sent.at(m.lastPacket); m.lastPacket >= p.sent.first && record.state == packetOutstanding {
		e.packetLost(now, m.lastPacket, record)
	}
	e.shelve(slot)
	return false
}

// bulkLeft books a packet with bulk.
func (e *Endpoint) bulkLeft(now, number int64, datagram int) {
	b, size := e.packets.bulk, datagram+datagramOverhead
	record := e.packets.sent.at(number)
	record.bulk, record.size = true, uint16(size)
	b.inFlight += size
	b.packets++
	late := pacingSlack
	if b.rested {
		late, b.rested = 0, false
	}
	b.paced.spend(now-late, b.limit(e.sendLimit), size)
}

// bulkDecided books that a packet with bulk was acked or lost.
func (e *Endpoint) bulkDecided(record *sentPacket, lost bool) {
	b, size := e.packets.bulk, int(record.size)
	b.inFlight -= size
	b.packets--
	if lost {
		b.lost += size
	} else {
		b.acked += size
	}
}

// bulkFound takes that a packet that was taken for lost has come: from now on packets may come later before they are, by an eighth of a round
// trip more in each, up to one. It is forgotten in steps.
func (e *Endpoint) bulkFound(now int64, record *sentPacket) {
	b := e.packets.bulk
	b.found += int(record.size)
	if now-b.reorderAt > e.rtt.smoothed {
		b.reorder, b.reorderAt = min(b.reorder+e.rtt.smoothed/8, e.rtt.smoothed), now
	}
}

// bulkHeard tells the controller what an ack told. sampled tells that it gave a round trip of a packet with bulk: those of others are shorter,
// because they are smaller.
func (e *Endpoint) bulkHeard(now int64, sampled bool) {
	b := e.packets.bulk
	if b == nil || b.acked+b.lost+b.found == 0 {
		return
	}
	f := congestion.Feedback{Acked: b.acked, Lost: b.lost, Found: b.found, Hungry: b.hungry}
	if now-b.reorderAt > reorderLife {
		b.reorder, b.reorderAt = b.reorder/2, now
	}
	if sampled {
		f.RTT = e.rtt.latest
	}
	b.controller.Acked(now, f)
	b.acked, b.lost, b.found, b.hungry = 0, 0, 0, false
}

// SendBudget is how many bytes a second the path takes, as far as that is known, headers included: what bulk may send at this time, at most the
// send ceiling. It is the ceiling before bulk was sent, and 0 if there is neither.
func (e *Endpoint) SendBudget() int64 {
	if e.packets == nil || e.packets.bulk == nil {
		return e.sendLimit.perSecond
	}
	return e.packets.bulk.limit(e.sendLimit).perSecond
}
