package reliable

import (
	"slices"
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	maxSets     = 16
	maxSetBytes = 4 << 20
	setLife     = int64(10 * time.Second)
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

	parts []part // as they came: nothing is taken for what a fragment claims
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
func (e *Endpoint) fragment(now int64, f *packet.Unreliable, mode Mode) (whole received, complete bool) {
	p, id, payload := e.packets, f.Message, f.Payload
	set := p.set(id)
	if set == nil {
		if len(p.sets) == maxSets {
			e.dropSet(p.oldestSet())
		}
		p.sets = append(p.sets, fragmentSet{id: id, count: f.Count, mode: mode, channel: f.Channel})
		set = &p.sets[len(p.sets)-1]
	}
	if set.count != f.Count || set.channel != f.Channel || set.mode != mode || set.seen[f.Index/64]>>(f.Index%64)&1 != 0 {
		return received{}, false
	}
	for p.setBytes()+len(payload) > maxSetBytes && len(p.sets) > 1 {
		e.dropSet(p.oldestSet())
		if set = p.set(id); set == nil {
			return received{}, false
		}
	}
	set.seen[f.Index/64] |= 1 << (f.Index % 64)
	set.parts = append(set.parts, part{f.Index, e.pool.copyOf(payload)})
	set.bytes += len(payload)
	set.at = now
	if len(set.parts) < int(set.count) {
		return received{}, false
	}
	return e.join(set), true
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

func (p *packetWire) setBytes() int {
	n := 0
	for i := range p.sets {
		n += p.sets[i].bytes
	}
	return n
}

func (e *Endpoint) join(set *fragmentSet) received {
	whole := received{payload: e.pool.get(set.bytes)[:0], at: set.at, mode: set.mode, channel: set.channel}
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
	p.sets[i] = p.sets[len(p.sets)-1]
	p.sets[len(p.sets)-1] = fragmentSet{}
	p.sets = p.sets[:len(p.sets)-1]
}

// expireSets ends lossy messages of which nothing came for a while.
func (e *Endpoint) expireSets(now int64) {
	for i := len(e.packets.sets) - 1; i >= 0; i-- {
		if now-e.packets.sets[i].at >= setLife {
			e.dropSet(i)
			e.stats.SetsExpired++
		}
	}
}
