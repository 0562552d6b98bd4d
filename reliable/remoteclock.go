package reliable

import (
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	clockEvery  = int64(time.Second)
	clockWindow = int64(30 * time.Second) // how long an observation counts: clocks drift
)

// remoteClock estimates the peer's clock from the times that it sends. The one that was least delayed says most.
type remoteClock struct {
	told       int64 // when this side last sent its own
	best, next observation
}

// observation is how far the peer's clock was ahead of ours when a time of it came in; its way here makes it too small.
type observation struct {
	ahead, at int64
	valid     bool
}

// putClock adds this side's clock to packets that leave anyway, once a second.
func (e *Endpoint) putClock(now int64) {
	c := &e.packets.clock
	if !e.mayExchange() || now-c.told < clockEvery || !e.heartbeatDue && e.nextWaiting() == nil {
		return
	}
	if e.packets.builder.AppendClock(packet.Clock{Time: now}) {
		c.told = now
	}
}

func (e *Endpoint) takeClock(now, remote int64) {
	c := &e.packets.clock
	o := observation{remote - now, now, true}
	switch {
	case !c.best.valid || o.ahead >= c.best.ahead || now-c.best.at > 2*clockWindow:
		c.best, c.next = o, o
	case now-c.best.at > clockWindow:
		c.best, c.next = c.next, o
	case o.ahead >= c.next.ahead || now-c.next.at > clockWindow/2:
		c.next = o
	}
}

// RemoteTime estimates the peer's clock at the time now of ours, in nanoseconds, and by how much it may be wrong: half of the shortest
// round trip, as nothing tells how it divides into two ways. ok is false as long as the peer has not told its time.
func (e *Endpoint) RemoteTime(now int64) (remote int64, within time.Duration, ok bool) {
	if e.packets == nil || !e.packets.clock.best.valid || !e.rtt.sampled {
		return 0, 0, false
	}
	return now + e.packets.clock.best.ahead + e.rtt.min/2, time.Duration(e.rtt.min / 2), true
}
