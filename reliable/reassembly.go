package reliable

import (
	"slices"
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	maxSets   = 16 // of at most MaxLossyMessage each, so that 1 MiB bounds them all
	setLife   = int64(10 * time.Second)
	keptParts = 96 // room for so many is kept for the next set: enough for 64 KiB in fragments of full size
)

// lossyChannel is the newest sequence that was delivered on a channel in Sequenced mode.
type lossyChannel struct {
	channel uint8
	newest  uint16
}

// fresh reports whether a sequenced lossy message is newer than all that were delivered on its channel, and notes it if so.
func (p *packetWire) fresh(channel uint8, seq uint16) bool {
	for i := range p.sequenced {
		if c := &p.sequenced[i]; c.channel == channel {
			if int16(seq-c.newest) <= 0 {
				return false
			}
			c.newest = seq
			return true
		}
	}
	p.sequenced = append(p.sequenced, lossyChannel{channel, seq})
	return true
}

// fragmentSet is a lossy message of which some fragments came.
type fragmentSet struct {
	id      uint16
	count   uint16
	mode    Mode
	channel uint8
	seq     uint16 // if sequenced
	size    int    // bytes of each fragment but the last, 0 while none came
	last    int    // bytes of the last, 0 while no parity told

	parts []part // as they came, parities with count added to their index: nothing is taken for what a fragment claims
	seen  [packet.MaxCount / 64]uint64
	bytes int
	at    int64 // when the last new fragment came
}

// part is one fragment.
type part struct {
	index   uint16
	payload []byte
}

// fragment takes one fragment of a lossy message and gives the message if it is complete.
func (e *Endpoint) fragment(now int64, f *packet.Unreliable, mode Mode) (whole message, complete bool) {
	payload := f.Payload
	set := e.lossySet(now, fragmentSet{id: f.Message, count: f.Count, mode: mode, channel: f.Channel, seq: f.Seq, at: now})
	if set == nil || !set.fits(f, mode) {
		return message{}, false
	}
	set.at = now
	set.seen[f.Index/64] |= 1 << (f.Index % 64)
	set.parts = append(set.parts, part{f.Index, e.pool.copyOf(payload)})
	set.bytes += len(payload)
	if len(set.parts) < int(set.count) {
		return message{}, false
	}
	return e.join(set), true
}

// lossySet is the set of a message, which is begun as given if there is none; nil if the message was complete before.
func (e *Endpoint) lossySet(now int64, begun fragmentSet) *fragmentSet {
	p := e.packets
	if set := p.set(begun.id); set != nil {
		return set
	}
	if p.rebuilder.hasEnded(begun.id) {
		return nil
	}
	if len(p.sets) == maxSets {
		e.endSet(p.oldestSet())
	}
	p.addSet(begun)
	return p.set(begun.id)
}

// fits reports whether a fragment is one of the set that did not come yet, and notes the size of those before the last.
func (s *fragmentSet) fits(f *packet.Unreliable, mode Mode) bool {
	n, last := len(f.Payload), f.Index == s.count-1
	switch {
	case s.count != f.Count || s.channel != f.Channel || s.mode != mode || s.seq != f.Seq:
		return false
	case s.seen[f.Index/64]>>(f.Index%64)&1 != 0:
		return false
	case s.size > 0 && (n > s.size || n < s.size && !last):
		return false
	case s.bytes+n > MaxLossyMessage, last && s.last > 0 && n != s.last:
		return false
	}
	if !last && s.size == 0 {
		if len(s.parts) > 0 && len(s.parts[0].payload) > n {
			return false // the last came before
		}
		s.size = n
	}
	return true
}

// addSet begins a set, with the room for parts of one that ended.
func (p *packetWire) addSet(s fragmentSet) {
	if n := len(p.sets); n < cap(p.sets) {
		s.parts = p.sets[:n+1][n].parts
	}
	p.sets = append(p.sets, s)
}

// endSet ends a lossy message that will not become complete.
func (e *Endpoint) endSet(i int) {
	e.count.SetsExpired++
	e.dropSet(i)
}

func (p *packetWire) set(id uint16) *fragmentSet {
	for i := range p.sets {
		if p.sets[i].id == id {
			return &p.sets[i]
		}
	}
	return nil
}

func (p *packetWire) oldestSet() int {
	oldest := 0
	for i := range p.sets {
		if p.sets[i].at < p.sets[oldest].at {
			oldest = i
		}
	}
	return oldest
}

func (e *Endpoint) join(set *fragmentSet) message {
	e.mend(set)
	e.packets.rebuilds().end(set.id)
	whole := message{payload: e.pool.get(set.bytes)[:0], at: set.at, mode: set.mode, channel: set.channel}
	slices.SortFunc(set.parts, func(a, b part) int { return int(a.index) - int(b.index) })
	for _, part := range set.parts {
		whole.payload = append(whole.payload, part.payload...)
	}
	for i := range e.packets.sets {
		if e.packets.sets[i].id == set.id {
			e.dropSet(i)
			break
		}
	}
	return whole
}

func (e *Endpoint) dropSet(i int) {
	p := e.packets
	for _, part := range p.sets[i].parts {
		e.pool.put(part.payload)
	}
	parts := p.sets[i].parts
	last := len(p.sets) - 1
	p.sets[i] = p.sets[last]
	p.sets[last] = fragmentSet{}
	if cap(parts) <= keptParts {
		clear(parts)
		p.sets[last].parts = parts[:0]
	}
	p.sets = p.sets[:last]
}

// expireSets ends lossy messages of which nothing came for a while.
func (e *Endpoint) expireSets(now int64) {
	for i := len(e.packets.sets) - 1; i >= 0; i-- {
		if now-e.packets.sets[i].at >= setLife {
			e.endSet(i)
		}
	}
}
