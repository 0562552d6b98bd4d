package reliable

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// skipEvery: one packet number of the next so many is left out, so that a peer that acks what it never got is found out (PROTOCOL.md 14).
const skipEvery = 256

// packetWire is what an endpoint knows beyond the base protocol when it speaks packets.
type packetWire struct {
	sealer Sealer
	seed   [32]byte // of the numbers that are left out

	sent   sentPackets
	skipAt int64
	path   pathEstimate

	received receivedPackets
	answer   answer

	streams   []receiveStream
	sharded   uint8 // reliable messages with parities that are not settled
	unheard   uint8 // parities in a row that were not acked
	repeated  int32 // key of the last reliable message that came again
	sequenced []lossyChannel
	sets      []fragmentSet
	credit    creditState
	recent    *recent      // nil unless Xors come
	aside     *aside       // nil while it is empty
	rebuilder *rebuilder   // nil unless parities of fragments come
	bulk      *bulkControl // nil before bulk is sent

	tick  tickEstimate
	clock remoteClock
}

func newPacketWire(c *Config) *packetWire {
	p := &packetWire{
		sealer: c.Sealer,
		seed:   c.Seed,
		path:   pathEstimate{largest: -1},
		answer: answer{at: never, repeatAt: never, sentAt: math.MinInt64 / 2},
		clock:  remoteClock{told: math.MinInt64 / 2},
	}
	if c.Pool.packet == nil {
		c.Pool.packet = make([]byte, 0, packet.MaxPacket)
	}
	if c.AckOnTick {
		p.path.delay = ackTick // until the peer's first ack: it is taken to do as this side does
	}
	p.received.init()
	p.credit.init()
	p.skipAt = p.nextSkip(0)
	p.sent.skipped = [...]int64{-1, -1, -1, -1}
	return p
}

// appendPacket appends the next datagram of the packet wire, or nothing.
func (e *Endpoint) appendPacket(now int64, dst []byte) []byte {
	if out, ok := e.appendUsual(now, dst); ok {
		return out
	}
	p := e.packets
	var from *list
	bulk := false
	data := e.mayExchange() && now >= e.sending.ready(e.sendLimit) && now >= e.crowdedUntil()
	if data {
		from = e.nextWaiting()
		data = from != nil || e.repairDue(now)
		bulk = !data && e.bulkAt() <= now
	}
	if !data && !bulk && !e.controlDue(now) {
		return dst
	}
	if p.sent.next == p.skipAt {
		e.leaveOutNumber(now)
	}
	number := p.sent.next
	p.sent.begin(now, e.cohort)
	e.pool.builder.Reset(e.pool.packet[:0], packet.MaxPacket)
	load := load{number: number}
	e.putControl(now, &load)
	if data {
		if e.repair.outage || e.queue.due.next() <= now {
			e.putRepairs(now, &load)
		}
		e.putMessages(now, from, &load)
		e.putPiggyback(now, &load)
	}
	if bulk {
		e.putBulk(now, &load)
	}
	switch {
	case e.pool.builder.Frames() > 0:
	case e.heartbeatDue:
		e.pool.builder.AppendHeartbeat()
	default:
		p.sent.undo()
		return dst
	}
	if load.asks || p.sent.at(number).credit {
		p.sent.await(load.reliable && !load.bulk)
		p.sent.at(number).first = load.reliable && load.ticked
	}
	e.repeating = load.again > 0 && !load.ticked && !load.bulk
	start := len(dst)
	dst = p.sealer.Seal(dst, e.pool.builder.Bytes(), number)
	e.account(&load, len(dst)-start)
	if load.bulk && load.asks {
		e.bulkLeft(now, number, len(dst)-start)
	}
	e.makeRoomForPackets(now)
	p.sent.forget(now - 2*e.rtt.timeout())
	e.endIfDelivered(now)
	return dst
}

// leaveOutNumber leaves out a packet number and chooses the next such.
func (e *Endpoint) leaveOutNumber(now int64) {
	p := e.packets
	p.sent.skip(now, e.cohort)
	p.skipAt = p.nextSkip(p.sent.next)
}

// nextSkip is the number above from that is left out next. Only who knows the seed can tell.
func (p *packetWire) nextSkip(from int64) int64 { return from + 1 + int64(p.draw(from))%skipEvery }

// draw is the random number of the seed for n, which is a packet number, or negative for something else.
func (p *packetWire) draw(n int64) uint32 {
	var in [40]byte
	copy(in[:], p.seed[:])
	binary.LittleEndian.PutUint64(in[32:], uint64(n))
	hash := sha256.Sum256(in[:])
	return binary.LittleEndian.Uint32(hash[:])
}

// drawSalt is the n of draw for the salt of windows.
const drawSalt = -1

// load is what a packet under construction holds.
type load struct {
	number int64
	first  int // payload bytes of messages that are sent for the first time
	again  int // frame bytes of copies of messages
	ticked bool

	asks, reliable bool // for an ack; it holds reliable messages
	bulk           bool // it holds bulk, if anything
	sharded        bool // it holds a part of a message with parities
}

// account books the bytes of a packet: first copies earn, with the packet around them; copies spend.
func (e *Endpoint) account(l *load, datagram int) {
	total := datagram + datagramOverhead
	switch {
	case l.bulk, l.sharded: // neither earns for others nor spends of what they earned
	case l.first > 0 || l.ticked:
		e.repair.earn(e.cfg.Budget, total-l.again)
		e.repair.spend(l.again)
	case l.again > 0:
		e.repair.spend(total)
	}
}

// makeRoomForPackets gives up the oldest packet if as many are remembered as can be. It counts as lost only if its ack is overdue: to send more than that before
// it reads, or over a path that holds more, says nothing of the path.
func (e *Endpoint) makeRoomForPackets(now int64) {
	s := &e.packets.sent
	oldest := s.full()
	switch {
	case oldest == nil:
	case now >= e.overdueAt(oldest):
		e.packetLost(now, s.first, oldest)
	case !oldest.reliable, s.next-s.first >= 2*maxSentPackets-1:
		e.giveUpPacket(now, s.first, oldest)
	}
}

// overdueAt is when the ack of a packet should have come.
func (e *Endpoint) overdueAt(p *sentPacket) int64 {
	return p.at + e.rtt.timeout() + e.packets.path.delay
}

// crowdedUntil is until when no more messages leave because an ack that is not overdue would come to a packet that is forgotten.
func (e *Endpoint) crowdedUntil() int64 {
	if oldest := e.packets.sent.full(); oldest != nil && oldest.reliable {
		return e.overdueAt(oldest)
	}
	return math.MinInt64
}

// mayExchange reports whether messages flow.
func (e *Endpoint) mayExchange() bool { return e.state == StateConnected || e.state == StateClosing }

// flightLeft bounds the reliable messages in flight by what packets may be outstanding.
func (e *Endpoint) flightLeft() int {
	if e.packets.sent.outstanding >= MaxInFlight {
		return 0
	}
	return math.MaxInt
}

// controlDue reports whether a packet has to leave although no message asks for it.
func (e *Endpoint) controlDue(now int64) bool {
	if e.state == StateClosed {
		return e.goodbyes > 0 && now >= e.goodbyeAt
	}
	return e.packets.answer.due(now) || now >= e.creditDue() || now >= e.asideDue() || e.heartbeatDue
}

// putControl puts what is not a message into the packet, the ack first.
func (e *Endpoint) putControl(now int64, l *load) {
	e.putAck(now)
	if e.state == StateClosed {
		e.goodbyes--
		e.goodbyeAt = now + disconnectGap
		e.pool.builder.AppendDisconnect(packet.Disconnect{Code: e.code, Text: e.text})
		return
	}
	e.putAside(now, l)
	e.putCredit(l.number)
	e.putClock(now)
}

// putMessages puts first copies of waiting messages into the packet, as many as there is room for.
func (e *Endpoint) putMessages(now int64, from *list, l *load) {
	for ; from != nil && e.putFirst(now, from, l); from = e.nextWaiting() {
		if e.pool.builder.Frames() >= packet.MaxFrames-1 {
			return
		}
	}
}

func (e *Endpoint) putFirst(now int64, from *list, l *load) bool {
	q := &e.queue
	slot := from.head
	m := &q.slots[slot]
	s := q.streamOf(m)
	switch {
	case m.parity:
		return e.putShard(from, l)
	case !s.mode.reliable():
		return e.putLossy(now, from, l)
	}
	if !e.put(now, slot, s.next, l) {
		return false
	}
	q.leave(from)
	s.fly(m, slot)
	q.inFlight++
	e.spendCredit(s, m)
	m.firstSent, m.roundAt = now, now
	l.first += len(m.payload)
	l.sharded = l.sharded || m.whole != none && q.wholes[m.whole].parities > 0
	if !m.bulk {
		e.ticked(now, l)
	}
	e.countMessage(m)
	q.due.add(q.slots, slot, e.planFirst(now, m))
	e.trace(TraceSent, m)
	if s.mode == ReliableSequenced && m.first {
		e.giveUpOlder(now, m)
	}
	return true
}

// countMessage counts a first transmission.
func (e *Endpoint) countMessage(m *outMessage) {
	if m.first {
		e.count.MessagesSent++
	}
	e.count.PayloadSent += uint64(len(m.payload))
}

// put puts one copy of a reliable message into the packet if it has room.
func (e *Endpoint) put(now int64, slot, seq int32, l *load) bool {
	q := &e.queue
	m := &q.slots[slot]
	if !e.pool.builder.AppendReliable(q.frame(m, seq)) {
		return false
	}
	m.lastSent, m.lastPacket = now, l.number
	if m.sends < math.MaxUint8 {
		m.sends++
	}
	e.packets.sent.hold(slot, m.order)
	l.asks, l.reliable = true, true
	return true
}

// putAgain puts a further copy of a message into the packet if it has room.
func (e *Endpoint) putAgain(now int64, slot int32, l *load) bool {
	before := e.pool.builder.Len()
	if !e.put(now, slot, e.queue.slots[slot].seq, l) {
		return false
	}
	l.again += e.pool.builder.Len() - before
	return true
}

// frame is the frame of a reliable message.
func (q *sendQueue) frame(m *outMessage, seq int32) packet.Reliable {
	return packet.Reliable{Stream: q.streamOf(m).name, Seq: uint16(seq), First: m.first, Last: m.last, Payload: m.payload}
}

func wireStream(m Mode, channel uint8) packet.Stream {
	return packet.StreamOf(channel, [...]packet.Mode{
		ReliableUnordered: packet.Unordered, ReliableOrdered: packet.Ordered, ReliableSequenced: packet.Sequenced,
	}[m])
}

func modeOf(s packet.Stream) Mode {
	return [...]Mode{packet.Ordered: ReliableOrdered, packet.Unordered: ReliableUnordered, packet.Sequenced: ReliableSequenced}[s.Mode()]
}

// putLossy puts a lossy message, or a fragment of one, into the packet. It is settled at once, or when the fate of the packet is known if
// someone asked for its outcome.
func (e *Endpoint) putLossy(now int64, from *list, l *load) bool {
	p, q := e.packets, &e.queue
	slot := from.head
	m := &q.slots[slot]
	s := q.streamOf(m)
	f := packet.Unreliable{Channel: s.channel, Payload: m.payload}
	if s.mode == Sequenced {
		f.Sequenced, f.Seq = true, uint16(s.next)
	}
	if m.whole != none {
		w := &q.wholes[m.whole]
		f.Message, f.Index, f.Count = w.id, m.index, uint16(w.count)
		if w.begun && f.Sequenced {
			f.Seq = uint16(w.seq)
		}
	}
	if !e.pool.builder.AppendUnreliable(f) {
		return false
	}
	q.leave(from)
	if s.mode == Sequenced && !q.begun(m) {
		s.next++
		e.passOvertaken(now, m)
	}
	if m.whole != none {
		q.wholes[m.whole].begun, q.wholes[m.whole].seq = true, int32(f.Seq)
		l.sharded = l.sharded || q.wholes[m.whole].parities > 0
	}
	l.first += len(m.payload)
	l.ticked, l.asks = true, true
	e.countMessage(m)
	if m.receipt == 0 {
		e.settle(now, slot, Sent)
	} else {
		p.sent.hold(slot, m.order)
	}
	return true
}

// passOvertaken withdraws the older messages of a sequenced stream that still wait, because an urgent one overtook them: they would be
// taken for newer.
func (e *Endpoint) passOvertaken(now int64, m *outMessage) {
	if m.urgent {
		order := m.order
		e.withdraw(now, &e.queue.streamOf(m).waiting, Superseded, func(old *outMessage) bool {
			return old.order < order && !e.queue.begun(old)
		})
	}
}

// giveUpOlder ends the older messages of a sequenced stream: the newest is what counts.
func (e *Endpoint) giveUpOlder(now int64, newest *outMessage) {
	q := &e.queue
	stream, seq := newest.stream, newest.seq
	s := &q.streams[stream]
	for old := s.oldest; seqAfter(seq, old) > 0; old++ {
		if slot := s.at(old); slot != none {
			q.land(&q.slots[slot], slot)
			e.settle(now, slot, Superseded)
		}
	}
}

// payloadLimitOnPackets is the largest message of a mode on the packet wire.
func payloadLimitOnPackets(o *SendOptions) (int, error) {
	switch {
	case o.Channel >= Channels || o.Mode >= modes:
		return 0, ErrNotOnBase
	case o.Mode.reliable():
		return MaxReliableMessage, nil
	}
	return MaxLossyMessage, nil
}

const (
	// MaxReliableMessage is the largest message of a reliable mode on the packet wire.
	MaxReliableMessage = 1 << 20
	// MaxLossyMessage is the largest message of a lossy mode on the packet wire.
	MaxLossyMessage = 64 << 10

	// fragmentRoom is what a packet has for a fragment beside an ack and the largest headers.
	fragmentRoom = packet.MaxPacket - packet.MaxUnreliableHeader - 12 - packet.ClockSize
	// bulkRoom is what a packet has for a fragment alone. What else a packet may hold is rare enough where bulk is sent to have its own.
	bulkRoom = packet.MaxPacket - packet.MaxReliableHeader
)

// handleSealed handles a datagram of the packet wire.
func (e *Endpoint) handleSealed(now int64, d []byte) framing.Drop {
	p := e.packets
	switch {
	case len(d) == 0:
		return framing.DropEmpty
	case len(d) > framing.MaxDatagram:
		return framing.DropOversize
	}
	plain, number, drop := p.sealer.Open(e.pool.packet[:0], d, p.received.highest)
	switch {
	case drop != framing.Accepted:
		return drop
	case p.received.has(number):
		return framing.DropDuplicate
	case now < e.receiving.ready(e.receiveLimit):
		return framing.DropRate
	}
	e.receiving.spend(now, e.receiveLimit, len(d)+datagramOverhead)
	if e.takeUsual(now, plain, number) {
		return framing.Accepted
	}
	frames, fault := e.pool.read(plain)
	news, drop := false, framing.DropProtocol
	if fault == packet.Valid {
		news, drop = e.inspect(frames)
	}
	switch {
	case drop == framing.DropProtocol && e.state != StateClosed:
		e.end(now, ProtocolError, "")
		return drop
	case drop != framing.Accepted:
		return drop
	}
	return e.takePacket(now, frames, number, news)
}
