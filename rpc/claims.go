package rpc

import "errors"

// quarantine is how many places are released before one of them is used again, while others are left.
const quarantine = 4096

// ErrNoPlace is returned by Claim and ClaimBlock when all ids are used.
var ErrNoPlace = errors.New("no net ids are left: release objects, or clear the registry between levels")

// claims gives out the ids of space 0.
type claims struct {
	last     int              // the last place that was given out
	free     map[int][]*block // by size, those released longest ago first
	releases uint64           // of places
}

// block is ids that were claimed together. They are used again together.
type block struct {
	first, size int // places
	live        int // ids that were not released
	releasedAt  uint64
}

// released notes that one more id of b is over.
func (c *claims) released(b *block) {
	c.releases++
	if b.live--; b.live > 0 {
		return
	}
	b.releasedAt = c.releases
	if c.free == nil {
		c.free = map[int][]*block{}
	}
	c.free[b.size] = append(c.free[b.size], b)
}

// Claim gives an id that no object had, for one that is about to be bound. Only one side claims, the server as a rule, and tells the other.
func (o *Objects) Claim() (NetID, error) { return o.ClaimBlock(1) }

// ClaimBlock gives the first of n ids that follow one another: first, first.Add(1) and so on. They are released one by one.
func (o *Objects) ClaimBlock(n int) (NetID, error) {
	if n < 1 || n > maxPlace {
		return 0, errors.New("a block has 1 to 1048575 ids")
	}
	if b := o.claims.ripe(n, quarantine); b != nil {
		if id := o.take(b); id != 0 {
			return id, nil
		}
	}
	for o.claims.last+n <= maxPlace {
		b := &block{first: o.claims.last + 1, size: n}
		o.claims.last += n
		if id := o.take(b); id != 0 {
			return id, nil
		}
	}
	for b := o.claims.ripe(n, 0); b != nil; b = o.claims.ripe(n, 0) {
		if id := o.take(b); id != 0 {
			return id, nil
		}
	}
	return 0, ErrNoPlace
}

// ripe takes out the free block of a size that was released longest ago, if so many places were released after it.
func (c *claims) ripe(size int, after uint64) *block {
	list := c.free[size]
	if len(list) == 0 || c.releases-list[0].releasedAt < after {
		return nil
	}
	c.free[size] = list[1:]
	return list[0]
}

// take puts a block into the next generation of its places. It returns 0 if one of them has none left, or is bound without having been claimed; then nothing uses the block again.
func (o *Objects) take(b *block) NetID {
	generation := 0
	for i := range b.size {
		s := o.slotOf(netID(0, 0, b.first+i))
		if s != nil && s.used {
			generation = max(generation, int(s.generation)+1)
		}
		if s != nil && s.id != 0 {
			return 0
		}
	}
	if generation > maxGeneration {
		return 0
	}
	b.live = b.size
	for i := range b.size {
		s := o.makeSlot(netID(0, generation, b.first+i))
		*s = slot{generation: int16(generation), used: true, block: b}
	}
	return netID(0, generation, b.first)
}
