package reliable

import (
	"bytes"
	"slices"

	"github.com/gannet-net/gannet/framing/packet"
)

// flat is a send queue message by message, in whatever slots they are, in bunches or by themselves.
type flat struct {
	queue     sendQueue // without what follows
	streams   []stream
	waiting   [][]outMessage // of each stream, and what overtakes
	flight    [][]outMessage // of each stream, by sequence; one with no payload has been acked
	due       []int64        // of those in flight, by age
	remembers [][]uint32     // orders of the messages of each packet that is remembered
	again     []uint32       // orders of bulk that has to leave again
	spared    int            // buffers of the pool that bunches make needless
}

func flatten(e *Endpoint) (f flat) {
	q := &e.queue
	f.queue = *q
	f.queue.slots, f.queue.free, f.queue.streams, f.queue.urgent, f.queue.due, f.queue.bunches = nil, none, nil, list{}, dueHeap{}, 0
	f.streams = slices.Clone(q.streams)
	for i := range f.streams {
		s := &f.streams[i]
		f.waiting = append(f.waiting, f.listed(q, s.waiting))
		f.flight = append(f.flight, f.flown(q, s))
		s.waiting, s.inFlight = list{}, nil
	}
	f.waiting = append(f.waiting, f.listed(q, q.urgent))
	entries := slices.Clone(q.due.entries)
	slices.SortFunc(entries, func(a, b dueEntry) int { return int(int32(a.rank - b.rank)) })
	for _, d := range entries {
		for range q.slots[d.slot].messages() {
			f.due = append(f.due, d.at)
		}
	}
	f.remember(e)
	return f
}

func (f *flat) listed(q *sendQueue, l list) (all []outMessage) {
	for slot := l.head; slot != none; slot = q.slots[slot].next {
		all = append(all, f.apart(q.slots[slot])...)
	}
	return all
}

func (f *flat) flown(q *sendQueue, s *stream) (all []outMessage) {
	for seq := s.oldest; s.mode.reliable() && seq != s.next; seq++ {
		slot := s.inFlight[uint32(seq)&s.mask()]
		switch {
		case slot < 0:
			all = append(all, outMessage{next: slot})
		case q.slots[slot].seq == seq:
			all = append(all, f.apart(q.slots[slot])...)
		case q.slots[slot].bunched == 0:
			all = append(all, outMessage{next: 1}) // which cannot be
		}
	}
	return all
}

// apart is the messages of a slot as if each had its own.
func (f *flat) apart(m outMessage) (all []outMessage) {
	m.next, m.place = 0, 0
	if m.bunched == 0 {
		m.payload = bytes.Clone(m.payload)
		return []outMessage{m}
	}
	others := m.payload
	m.payload, m.bunched = nil, 0
	for f.spared--; len(others) > 0; m.order++ {
		var payload []byte
		payload, others = packet.Unbunch(others)
		one := m
		one.payload = append([]byte{}, payload...)
		if len(payload) > 0 {
			f.spared++
		}
		all = append(all, one)
		if m.sends > 0 {
			m.seq++
		}
	}
	return all
}

func (f *flat) remember(e *Endpoint) {
	for n := e.packets.sent.first; n < e.packets.sent.next; n++ {
		var orders []uint32
		for i := range e.packets.sent.at(n).refs {
			orders = append(orders, e.packets.sent.ref(e.packets.sent.at(n), i).order)
		}
		f.remembers = append(f.remembers, orders)
	}
	if b := e.packets.bulk; b != nil {
		for i := range b.again.count {
			f.again = append(f.again, b.again.items[(b.again.head+i)&b.again.mask()].order)
		}
	}
}
