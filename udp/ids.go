package udp

import (
	"iter"

	"github.com/gannet-net/gannet/framing"
)

// peerIDs gives out peer ids, least recently freed first. That order alone keeps the rest of 3 s that PROTOCOL.md 3.3 asks for: an id
// that still rests is reached only when every other free one was freed later. Ids up to 250 are apart, since the base protocol has no others.
type peerIDs struct {
	small, large idRange
	reserved     map[uint32]bool // of attached connections
	given        uint64          // how many were given back
}

// idRange is the free ids of a range. Those that were never taken cost no memory.
type idRange struct {
	next, last uint16          // never taken, but for those that are early
	early      map[uint16]bool // taken before it was their turn
	freed      fifo[freedID]
}

// freedID is an id and, above its 16 bits, how many were given back before it.
type freedID uint64

func freed(id uint16, order uint64) freedID { return freedID(order<<16 | uint64(id)) }
func (f freedID) id() uint16                { return uint16(f) }
func (f freedID) order() uint64             { return uint64(f >> 16) }

func newPeerIDs(highest int) peerIDs {
	return peerIDs{
		small:    idRange{next: 1, last: framing.MaxPeerID},
		large:    idRange{next: framing.MaxPeerID + 1, last: uint16(highest)},
		reserved: make(map[uint32]bool),
	}
}

func (r *idRange) free() int {
	for r.early[r.next] {
		delete(r.early, r.next)
		r.next++
	}
	return int(r.last) + 1 - int(r.next) - len(r.early) + r.freed.len()
}

// order tells when the id was given back that is next, 0 if it was never taken. free must have told that there is one.
func (r *idRange) order() uint64 {
	if r.next <= r.last {
		return 0
	}
	return r.freed.at(0).order()
}

// take takes the next id, 0 if none is free.
func (r *idRange) take() uint16 {
	if r.free() > 0 && r.next <= r.last {
		r.next++
		return r.next - 1
	}
	f, _ := r.freed.pop()
	return f.id()
}

// takeThis takes one id, if it is free.
func (r *idRange) takeThis(id uint16) bool {
	if id >= r.next && id <= r.last && !r.early[id] {
		if r.early == nil {
			r.early = make(map[uint16]bool)
		}
		r.early[id] = true
		return true
	}
	return r.freed.remove(func(f freedID) bool { return f.id() == id })
}

// takeSmall takes an id of the base protocol, 0 if none is free.
func (p *peerIDs) takeSmall() uint16 { return p.small.take() }

// take takes any id, 0 if none is free.
func (p *peerIDs) take() uint16 {
	for range len(p.reserved) + 1 {
		from := &p.small
		if from.free() == 0 || p.large.free() > 0 && p.large.order() < from.order() {
			from = &p.large
		}
		id := from.take()
		if !p.reserved[uint32(id)] {
			return id
		}
		p.give(id)
	}
	return 0
}

// reserve keeps an id from being given out, and reports false if one of the peers has it.
func (p *peerIDs) reserve(id uint32, peers iter.Seq[*Conn]) bool {
	for c := range peers {
		if c.id.Load() == id {
			return false
		}
	}
	p.reserved[id] = true
	return true
}

// takeThis takes one id, if it is free.
func (p *peerIDs) takeThis(id uint16) bool {
	return id != 0 && !p.reserved[uint32(id)] && p.rangeOf(id).takeThis(id)
}

func (p *peerIDs) give(id uint16) {
	p.given++
	p.rangeOf(id).freed.push(freed(id, p.given))
}

func (p *peerIDs) rangeOf(id uint16) *idRange {
	if id > framing.MaxPeerID {
		return &p.large
	}
	return &p.small
}
