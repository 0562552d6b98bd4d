package reliable

import "time"

const (
	congestedQueue = int64(30 * time.Millisecond) // above the least round trip, and twice what round trips vary by themselves
	waitUnit       = 24                           // binary places of nanoseconds: 17 ms
	congestedFor   = uint16(time.Second >> waitUnit)
)

// noteQueue notes since when round trips are so long that packets wait in a queue, after each sample.
func (e *Endpoint) noteQueue(now int64) {
	p, unit := &e.packets.path, uint16(now>>waitUnit)|1
	switch {
	case e.rtt.smoothed-e.rtt.min-2*e.rtt.variance <= congestedQueue:
		p.waits, p.full = 0, false
	case p.waits == 0:
		p.waits = unit
	case unit-p.waits >= congestedFor:
		p.full = true
	}
}

// congested reports whether losses are those of a path that is full, so that whatever is sent on suspicion makes them worse: round trips have
// been long for a second, or the controller of bulk has found that it causes them.
func (e *Endpoint) congested() bool {
	p := e.packets
	return p.path.full || p.bulk != nil && p.bulk.controller.Congested()
}
