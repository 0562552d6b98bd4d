package reliable

import (
	"math/bits"
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	lossWindowPackets = 128
	fewestSilent      = 3 // packets without an ack in time that show that nothing gets through
	mostSilent        = 10
)

// pathEstimate is what acks tell about the path to the peer.
type pathEstimate struct {
	largest int64  // highest number that was acked, -1 if none
	delay   int64  // by which the peer delays three of four acks at most, lately
	paired  int32  // share of lost packets before which one was lost too, in 1/missScale
	waits   uint16 // since when round trips are long, in units of waitUnit, 0 if they are not
	full    bool   // they have been for so long that losses are those of a full path
	delays  uint8  // acks that went into delay, up to firstAcks
}

// truthful reports whether an Ack frame names only what was sent, as far as that is known.
func (s *sentPackets) truthful(f *packet.Ack) bool {
	largest := s.next - 1
	behind := int64(uint16(largest) - f.Largest)
	if behind >= 1<<15 || behind > largest {
		return false
	}
	largest -= behind
	for _, n := range s.skipped { // the highest first
		if n < 0 || f.Form != packet.Ranges && n < largest-64 {
			break // a bitmap does not reach as far down
		}
		if names(f, largest, n) {
			return false
		}
	}
	return true
}

// names reports whether an ack of the given largest packet names number.
func names(f *packet.Ack, largest, number int64) bool {
	below := largest - 1 - number
	switch {
	case below < -1:
		return false
	case f.Form != packet.Ranges:
		return below == -1 || below < 64 && f.Bitmap>>below&1 != 0
	}
	n := largest
	for run := range f.Runs.All() {
		n -= int64(run.Missing)
		if number > n {
			return false
		}
		if n -= int64(run.Received); number > n {
			return true
		}
	}
	return false
}

// takeAck handles an Ack frame, which is truthful. It tells how long ago the largest packet that it names left, less the time for which the
// peer has it.
func (e *Endpoint) takeAck(now int64, f *packet.Ack) (trip int64) {
	p := e.packets
	largest := p.sent.next - 1
	largest -= int64(uint16(largest) - f.Largest)
	if largest < p.sent.first {
		return never // too long ago to say anything
	}
	record := p.sent.at(largest)
	here := p.onThisPath(largest) && !e.awaySince(record.at)
	fresh := here && (record.state == packetOutstanding || record.state == packetLost)
	sample, at := here && record.state == packetOutstanding && f.Delay < packet.MaxDelay, record.at
	late := int64(0)
	if fresh {
		late = max(0, now-record.at-int64(f.Delay)*packet.DelayUnit-e.rtt.timeout())
	}
	if from := p.sent.undecided(); from == largest { // as a rule
		e.named(now, largest, f, late)
	} else {
		e.allNamed(now, largest, from, f, late)
	}
	if largest > p.path.largest {
		p.path.largest = largest
	}
	if sample {
		e.sampleRTT(now, now-at, int64(f.Delay)*packet.DelayUnit)
		e.noteQueue(now)
	}
	e.findLost(now)
	e.bulkHeard(now, sample && record.bulk)
	return max(0, now-at-int64(f.Delay)*packet.DelayUnit)
}

// allNamed takes the numbers that an ack names, from the largest down to from. late is of the largest.
func (e *Endpoint) allNamed(now, largest, from int64, f *packet.Ack, late int64) {
	for n := range acked(f, largest, from) {
		if n < e.packets.sent.first {
			break // the session is over
		}
		e.named(now, n, f, late)
		late = 0
	}
}

// named takes one number that an ack names.
func (e *Endpoint) named(now, number int64, f *packet.Ack, late int64) {
	p := e.packets
	if record := p.sent.at(number); record.first && record.state == packetOutstanding && f.Delay < packet.MaxDelay && p.onThisPath(number) && !e.awaySince(record.at) {
		p.path.delayed(now-record.at-e.rtt.smoothed, int64(f.Delay)*packet.DelayUnit)
	}
	e.packetAcked(now, number, late)
}

// acked iterates over the packet numbers that an ack names, from the largest down to from, which is at least 0.
func acked(f *packet.Ack, largest, from int64) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		if largest < from {
			return
		}
		if f.Form == packet.Ranges {
			n := largest
			for run := range f.Runs.All() {
				n -= int64(run.Missing)
				for range run.Received {
					if n < from || !yield(n) {
						return
					}
					n--
				}
			}
			return
		}
		if !yield(largest) {
			return
		}
		for bitmap := f.Bitmap & (1<<uint64(largest-from) - 1); bitmap != 0; bitmap &= bitmap - 1 {
			if !yield(largest - 1 - int64(bits.TrailingZeros64(bitmap))) {
				return
			}
		}
	}
}

// sampleRTT takes a round trip less the delay that the peer stated, which is never below what was possible before.
func (e *Endpoint) sampleRTT(now, rtt, delay int64) {
	if e.rtt.min > 0 && rtt-delay < e.rtt.min {
		delay = max(0, rtt-e.rtt.min)
	}
	e.rtt.sample(now, rtt-delay)
}

// packetAcked ends a packet. late is by how much its own ack took longer than a deadline.
func (e *Endpoint) packetAcked(now, number, late int64) {
	p := e.packets
	record := p.sent.at(number)
	switch record.state {
	case packetOutstanding:
		p.sent.decided(record, packetAcked)
		e.decide(number, false)
		if record.bulk {
			e.bulkDecided(record, false)
		}
	case packetLost:
		record.state = packetAcked
		e.count.SpuriousLosses++
		if record.bulk {
			e.bulkFound(now, record)
		}
	default:
		return
	}
	if record.credit {
		e.creditArrived(number)
	}
	if record.ticket {
		p.ticketArrived(number)
	}
	r := &e.repair
	r.lastAck = now
	if r.outage {
		e.endOutage(now)
	}
	for i := range record.refs {
		ref := p.sent.ref(record, i)
		if ref.slot < 0 {
			e.shardDecided(now, ref, true)
			continue
		}
		m := &e.queue.slots[ref.slot]
		if uint32(m.order) != ref.order || m.payload == nil {
			continue
		}
		if !e.queue.streamOf(m).mode.reliable() {
			e.lossyArrived(now, ref.slot)
			continue
		}
		if m.bunched > 0 {
			e.delivered(now, ref.slot)
			continue
		}
		if m.round > 0 {
			e.judge(now, m, number, late)
		}
		if m.whole == none && m.receipt == 0 {
			e.deliveredWhole(ref.slot)
			continue
		}
		whole := m.whole
		e.delivered(now, ref.slot)
		e.partAcked(now, whole, ref.order)
	}
	e.endIfDelivered(now)
}

// lossyArrived ends a lossy message, a fragment or a parity of one, whose packet was acked.
func (e *Endpoint) lossyArrived(now int64, slot int32) {
	if m := &e.queue.slots[slot]; m.parity {
		e.queue.wholes[m.whole].covered++
	}
	e.settle(now, slot, Delivered)
}

// judge tells needless repairs from needed ones: the ack names a packet from before the repair. The deadline was too short only if that
// packet's own ack came late; if it was lost, a longer deadline would not have helped.
func (e *Endpoint) judge(now int64, m *outMessage, number, late int64) {
	switch {
	case int32(uint32(number)-m.roundPacket) >= 0 && m.bulk:
	case int32(uint32(number)-m.roundPacket) >= 0:
		e.rtt.repairWasNeeded(now)
	default:
		e.count.SpuriousRepairs++
		if late > 0 && uint32(number) == m.judged && !m.bulk {
			e.rtt.repairWasNeedless(now, late+int64(time.Millisecond))
		}
	}
}

// decide counts the fate of a packet. Only those that took the path of now say something about it.
func (e *Endpoint) decide(number int64, lost bool) {
	p, r := e.packets, &e.repair
	sample := int64(0)
	if lost {
		sample = missScale
		e.countLost(p.sent.at(number).cohort)
	}
	if !p.onThisPath(number) {
		return
	}
	if lost {
		p.path.pair(p.sent.lostBefore(number))
	}
	r.counted = min(r.counted+1, lossWindowPackets-missPrior)
	r.missed += (sample - r.missed) / int64(r.counted+missPrior)
}

// findLost takes packets for lost of which no ack came though a later one was acked, and they are older than a round trip. Their messages are
// due at once.
func (e *Endpoint) findLost(now int64) {
	p := e.packets
	old := now - max(e.rtt.smoothed, e.rtt.latest)*9/8
	for n := p.sent.undecided(); n < p.path.largest; n++ {
		record := p.sent.at(n)
		if record.state != packetOutstanding {
			continue
		}
		if record.at > old {
			return
		}
		if record.bulk && record.at > old-p.bulk.reorder {
			continue
		}
		e.packetLost(now, n, record)
	}
}

func (e *Endpoint) packetLost(now, number int64, record *sentPacket) {
	e.decide(number, true)
	e.giveUpPacket(now, number, record)
}

// giveUpPacket is packetLost of a packet that may have arrived for all that is known.
func (e *Endpoint) giveUpPacket(now, number int64, record *sentPacket) {
	p, q := e.packets, &e.queue
	p.sent.decided(record, packetLost)
	if record.bulk {
		e.bulkDecided(record, true)
	}
	if record.credit {
		e.creditLost(func(told int64) bool { return told == number })
	}
	if record.ticket {
		p.ticketLost(now, number)
	}
	for i := range record.refs {
		ref := p.sent.ref(record, i)
		if ref.slot < 0 {
			e.shardDecided(now, ref, false)
			continue
		}
		if uint32(q.slots[ref.slot].order) != ref.order || q.slots[ref.slot].payload == nil {
			continue
		}
		e.disband(ref.slot)
		m := &q.slots[ref.slot]
		switch {
		case !q.streamOf(m).mode.reliable():
			e.settle(now, ref.slot, Lost)
		case m.bulk:
			if m.lastPacket == number {
				e.shelve(ref.slot)
			}
		case m.lastPacket == number && m.place != none && m.copies == 0 && q.due.entries[m.place].at > now:
			q.due.move(q.slots, ref.slot, now)
		}
	}
}

// silent reports whether several packets in a row should have been acked by now and were not.
func (e *Endpoint) silent(now int64) bool {
	s := &e.packets.sent
	due := now - e.rtt.smoothed - e.packets.path.delay
	count, enough := 0, e.silence()
	for n := s.next - 1; n >= s.first && e.packets.onThisPath(n) && count < enough; n-- {
		switch p := s.at(n); {
		case p.state == packetAcked:
			return false
		case p.state == packetOutstanding && p.at <= due, p.state == packetLost:
			count++
		}
	}
	return count >= enough
}

// silence is how many packets in a row are hardly ever lost by chance: fewer than one run in a thousand is that long.
func (e *Endpoint) silence() int {
	again := min(max(e.repair.missed*4/3+missScale/32, int64(e.packets.path.paired)), missScale)
	n := 1
	for share := e.repair.missed; share > missScale/1000 && n < mostSilent; n++ {
		share = share * again / missScale
	}
	return max(n, fewestSilent)
}

// pair notes whether a lost packet came right behind another one: then losses come in bursts.
func (p *pathEstimate) pair(both bool) {
	sample := int32(0)
	if both {
		sample = missScale
	}
	p.paired += (sample - p.paired) / 16
}

// cancelAwaited ends the lossy messages whose outcome was asked for and that are neither acked nor lost.
func (e *Endpoint) cancelAwaited(now int64) {
	s, q := &e.packets.sent, &e.queue
	for n := s.first; n < s.next; n++ {
		record := s.at(n)
		for i := range record.refs {
			ref := s.ref(record, i)
			if ref.slot < 0 {
				continue
			}
			if m := &q.slots[ref.slot]; uint32(m.order) == ref.order && m.payload != nil && !q.streamOf(m).mode.reliable() {
				e.settle(now, ref.slot, Cancelled)
			}
		}
	}
}
