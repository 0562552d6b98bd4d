package reliable

import (
	"github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/internal/erasure"
)

const (
	fewestSharded   = 3 // fragments of a message that gets parities
	mostSharded     = 8 // reliable messages with parities that are not delivered (PROTOCOL.md 11)
	shardedFrom     = missScale / 8
	paritySigmas    = 4  // standard deviations of losses that parities cover; the estimate of losses is of few packets
	unheardParities = 16 // in a row without an ack: the peer does not take them
)

// paritiesOf is how many parities go with a message of so many fragments: as many as cover nearly all losses of the first flight, if the
// budget has room for them. Those of a message are paid by the message itself and not by the account, as it cannot save up for them.
func (e *Endpoint) paritiesOf(m *outMessage, reliable bool, count int) int {
	p := e.packets
	if p == nil || m.bulk || count < fewestSharded || count > packet.MaxSharded || e.congested() || p.unheard >= unheardParities {
		return 0
	}
	losses := int64(count) * e.repair.missed
	if e.repair.missed < parityFrom || reliable && (losses <= shardedFrom || p.sharded >= mostSharded) {
		return 0
	}
	wanted := (losses + paritySigmas*root(losses*missScale) + missScale - 1) / missScale
	return min(int(wanted), count*(e.cfg.Budget-100)/100, count-1, packet.MaxParities)
}

// putShard puts a parity of a message in fragments into the packet. All its fragments were sent before.
func (e *Endpoint) putShard(from *list, l *load) bool {
	p, q := e.packets, &e.queue
	slot := from.head
	m := &q.slots[slot]
	s, w := q.streamOf(m), &q.wholes[m.whole]
	f := packet.Parity{
		Count: uint8(w.count), Index: uint8(m.index), Last: uint16(len(w.payload) - int((w.count-1)*w.size)), Bytes: e.shard(w, int(m.index)),
	}
	reliable := s.mode.reliable()
	if reliable {
		f.Stream, f.Seq = s.name, uint16(w.seq)
	} else {
		f.Lossy, f.Channel, f.Message = true, s.channel, w.id
		if f.Sequenced = s.mode == Sequenced; f.Sequenced {
			f.Seq = uint16(w.seq)
		}
	}
	if !e.pool.builder.AppendParity(f) {
		return false
	}
	q.leave(from)
	p.rebuilds().sent++
	l.asks, l.sharded = true, true
	switch {
	case reliable:
		p.sent.holdShard(m.whole, w.order)
		e.settle(e.now, slot, Delivered)
	case m.receipt == 0:
		e.settle(e.now, slot, Sent)
	default:
		p.sent.hold(slot, m.order)
	}
	return true
}

// shard computes a parity of a message. It is valid until the next.
func (e *Endpoint) shard(w *whole, index int) []byte {
	b := e.pool.shard[:w.size]
	clear(b)
	for j := range int(w.count) {
		from := j * int(w.size)
		erasure.Add(b, index, w.payload[from:min(from+int(w.size), len(w.payload))], j)
	}
	return b
}

// holdShard notes that the packet opened last holds a parity of a reliable message. Its slot is free by then, so the message is named.
func (s *sentPackets) holdShard(whole int32, order uint32) { s.hold(^whole, uint64(order)) }

// shardDecided takes that a packet with a parity of a reliable message was acked or lost.
func (e *Endpoint) shardDecided(now int64, ref messageRef, acked bool) {
	p := e.packets
	if !acked {
		p.unheard = min(p.unheard+1, unheardParities)
		return
	}
	p.unheard = 0
	if w := &e.queue.wholes[^ref.slot]; w.order == ref.order && w.parities > 0 {
		w.covered++
		e.deliverCovered(now, ^ref.slot)
	}
}

// partAcked takes that a fragment of a reliable message was acked; the message may be settled by now.
func (e *Endpoint) partAcked(now int64, whole int32, order uint32) {
	if whole == none {
		return
	}
	if w := &e.queue.wholes[whole]; w.order == order && w.parities > 0 {
		w.acked++
		e.deliverCovered(now, whole)
	}
}

// deliverCovered ends a reliable message of which so many fragments and parities are acked that the peer has all of it.
func (e *Endpoint) deliverCovered(now int64, i int32) {
	q := &e.queue
	w := q.wholes[i]
	if int32(w.acked)+int32(w.covered) < w.count {
		return
	}
	s := &q.streams[w.stream]
	e.withdraw(now, &s.waiting, Delivered, func(m *outMessage) bool { return m.whole == i && m.parity })
	for seq := w.seq; seq != w.seq+w.count; seq++ {
		if seqAfter(seq, s.oldest) < 0 {
			continue
		}
		if slot := s.at(seq); slot != none {
			e.delivered(now, slot)
		}
	}
}

// root is the integer part of the square root.
func root(n int64) int64 {
	x := n
	for y := (n + 1) / 2; y < x; y = (x + n/x) / 2 {
		x = y
	}
	return x
}
