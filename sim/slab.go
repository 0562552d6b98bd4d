package sim

import "net/netip"

// datagram is one datagram from Write to TryRead. Its place is used again for another, buffer included.
type datagram struct {
	link   *link
	sender *Socket // nil if the source was forged
	nat    *NAT    // the box that the destination belongs to, nil if it is a node's own

	source, destination netip.AddrPort
	payload             []byte
	payloadHash         uint64
	flowHash            uint64 // of source and destination

	number uint64 // position in the order of sending on its link, from 1
	offset int64  // what jitter adds to the delay

	// Decided when it was sent, carried out once it is through the bottleneck.
	lost   Drop
	marks  marks
	copied bool // a second one is to follow
	held   bool // by Reorder
	isCopy bool

	next int32 // in a queue or in the list of free slots
}

// slab holds the datagrams in pages, so that a pointer to one stays good while others are added. Slots count from 1; 0
// is none.
type slab struct {
	pages []*[pageSize]datagram
	free  int32
	used  int
}

const pageSize = 128

func (s *slab) at(slot int32) *datagram {
	i := uint32(slot - 1)
	return &s.pages[i/pageSize][i%pageSize]
}

// take gives a slot whose datagram is empty but for the buffer that it kept.
func (s *slab) take() (int32, *datagram) {
	if s.free == 0 {
		s.addPage()
	}
	slot := s.free
	d := s.at(slot)
	s.free = d.next
	s.used++
	*d = datagram{payload: d.payload[:0]}
	return slot, d
}

func (s *slab) give(slot int32) {
	d := s.at(slot)
	d.next = s.free
	s.free = slot
	s.used--
}

func (s *slab) addPage() {
	first := int32(len(s.pages) * pageSize)
	s.pages = append(s.pages, new([pageSize]datagram))
	for i := int32(pageSize); i > 0; i-- {
		s.at(first + i).next = s.free
		s.free = first + i
	}
}

// fifo is a queue of slots, linked through the datagrams themselves.
type fifo struct {
	first, last int32
	length      int
}

func (q *fifo) push(s *slab, slot int32) {
	s.at(slot).next = 0
	if q.first == 0 {
		q.first = slot
	} else {
		s.at(q.last).next = slot
	}
	q.last = slot
	q.length++
}

// pop gives 0 if the queue is empty.
func (q *fifo) pop(s *slab) int32 {
	slot := q.first
	if slot == 0 {
		return 0
	}
	q.first = s.at(slot).next
	q.length--
	return slot
}
