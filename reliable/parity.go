package reliable

import "github.com/gannet-net/gannet/framing/packet"

const (
	parityMost = 3                // messages that an Xor covers
	paritySize = 128              // bytes; larger messages are not covered, nor kept for an Xor that comes
	parityFrom = missScale / 1000 // share of lost packets from which on an Xor pays
	parityTo   = missScale / 10   // and up to which: beyond, most Xors are lost, or their messages are

	// What the account has to have for an Xor of two messages and for one of three, so that they leave enough for the copies of repairs.
	pairAccount   = 1300
	tripleAccount = 1000
)

// putParity lets a packet with new messages carry the parity of those before, where copies of them would not fit the budget. It repairs a loss
// one to three ticks later instead of a round trip later.
func (e *Endpoint) putParity(l *load) {
	if !e.parityPays() || !e.parityFits(l) {
		return
	}
	e.disbandAll()
	for i := range e.queue.streams {
		if s := &e.queue.streams[i]; (s.mode == ReliableOrdered || s.mode == ReliableUnordered) && s.class != ClassBulk {
			e.putXor(s, l)
		}
	}
}

// parityPays reports whether an Xor comes before a repair, and mostly finds one message missing at most.
func (e *Endpoint) parityPays() bool {
	lost, period := e.repair.missed, e.packets.tick.period
	return !e.congested() && lost >= parityFrom && lost <= parityTo && !e.bursty() && period > 0 && 2*period < e.rtt.timeout()
}

// parityFits reports whether the budget has room for Xors of three messages and for the copies of repairs.
func (e *Endpoint) parityFits(l *load) bool {
	base := int64(l.first + packet.SealOverhead + datagramOverhead + packet.MaxReliableHeader)
	repairs := e.repair.missed * int64(e.packetCopies(1)) * base / missScale
	return int64(l.first+packet.XorHeader+1)/parityMost+repairs <= int64(e.cfg.Budget-100)*base/100
}

// putXor puts the parity of the newest messages of a stream that no Xor covered into the packet, if there are enough for what the account has.
func (e *Endpoint) putXor(s *stream, l *load) {
	account := e.repair.account - int64(l.again)
	first, n := e.queue.uncovered(s, l.number)
	if n < 2 || account <= tripleAccount || n < parityMost && account <= pairAccount {
		return
	}
	f, before := e.xorOf(s, first, n), e.pool.builder.Len()
	if len(f.Parity) == 0 || !e.pool.builder.AppendXor(f) {
		return
	}
	l.again += e.pool.builder.Len() - before
	s.covered = first + n
	e.count.XorsSent++
	for seq := first; seq != s.covered; seq++ {
		e.trace(TraceCovered, &e.queue.slots[s.at(seq)])
	}
}

// uncovered finds the newest messages of a stream that an Xor in the packet of the given number can cover: whole and small, in flight, and each sent
// once, in a packet of its own before that one. The others would be lost together, or are known to have come or to be missing.
func (q *sendQueue) uncovered(s *stream, number int64) (first, n int32) {
	first = s.next
	for after := number; n < parityMost && seqAfter(first, s.covered) > 0 && seqAfter(first, s.oldest) > 0; first-- {
		slot := s.at(first - 1)
		if slot == none {
			break
		}
		m := &q.slots[slot]
		if m.lastPacket == number && n == 0 {
			continue // it has just been put
		}
		if m.lastPacket >= after || m.round > 0 || m.whole != none || len(m.payload) > paritySize {
			break
		}
		after = m.lastPacket
		n++
	}
	return first, n
}

// xorOf is the Xor of n messages in flight. Its parity is valid until the next is made.
func (e *Endpoint) xorOf(s *stream, first, n int32) packet.Xor {
	p := parity{bytes: e.pool.parity[:0]}
	for seq := first; seq != first+n; seq++ {
		p.add(e.queue.slots[s.at(seq)].payload)
	}
	return packet.Xor{Stream: wireStream(s.mode, s.channel), Seq: uint16(first), Count: uint8(n), Lengths: p.lengths, Parity: p.bytes}
}

// parity is the XOR of messages: of their lengths, and of their bytes as if zeros stood behind the shorter ones.
type parity struct {
	lengths uint8
	bytes   []byte
}

// add folds a message in, or takes it out again.
func (p *parity) add(message []byte) {
	p.lengths ^= uint8(len(message))
	common := min(len(p.bytes), len(message))
	for i, b := range message[:common] {
		p.bytes[i] ^= b
	}
	p.bytes = append(p.bytes, message[common:]...)
}
