package reliable

import (
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	clockEvery = int64(time.Second)
	clockIdle  = int64(10 * time.Second)
	clockDrift = 5000 // clocks go apart by at most one part in so many
	clockRange = int64(1) << 62
)

// remoteClock knows between which bounds the peer's clock is ahead of ours. A time that the peer sent is a lower bound when it comes in, as it
// was under way; and an upper bound is what it is ahead of the time at which a packet left that the peer had by then.
type remoteClock struct {
	told      int64 // when this side last sent its own
	low, high bound
}

// bound is one of the bounds and when it held. It gets weaker with time, because clocks drift.
type bound struct {
	ahead, at int64
	valid     bool
}

func (b bound) slack(now int64) int64 { return max(0, now-b.at) / clockDrift }

// clockDue reports whether the next packet tells the time: once a second, less often in heartbeats; together with an ack, as without one it is
// no upper bound.
func (e *Endpoint) clockDue(now int64) bool {
	every := clockEvery
	if e.heartbeatDue {
		every = clockIdle
	}
	return e.mayExchange() && now-e.packets.clock.told >= every && e.packets.received.highest >= 0
}

func (e *Endpoint) putClock(now int64) {
	if e.clockDue(now) && e.pool.builder.AppendClock(packet.Clock{Time: now}) {
		e.packets.clock.told = now
	}
}

// takeClock takes the peer's time. trip is how long ago a packet left that the peer got before that, never if that is not known.
func (e *Endpoint) takeClock(now, remote, trip int64) {
	if remote < -clockRange || remote > clockRange {
		return
	}
	c := &e.packets.clock
	low, high := bound{remote - now, now, true}, bound{remote - now + trip, now, trip != never}
	if c.low.valid && low.ahead-c.low.ahead < -c.low.slack(now) {
		low = c.low
	}
	if c.high.valid && (!high.valid || high.ahead-c.high.ahead > c.high.slack(now)) {
		high = c.high
	}
	if high.valid && high.ahead+high.slack(now) < low.ahead-low.slack(now) { // a clock was set
		low, high = bound{remote - now, now, true}, bound{remote - now + trip, now, trip != never}
	}
	c.low, c.high = low, high
}

// RemoteTime estimates the peer's clock at the time now of ours, in nanoseconds, and by how much it may be wrong, if neither clock is off by
// more than 100 parts in a million: at best half of the shortest round trip, as nothing tells how that divides into two ways. ok is false as
// long as too little is known.
func (e *Endpoint) RemoteTime(now int64) (remote int64, within time.Duration, ok bool) {
	if e.packets == nil || !e.packets.clock.high.valid {
		return 0, 0, false
	}
	c := &e.packets.clock
	low, high := c.low.ahead-c.low.slack(now), c.high.ahead+c.high.slack(now)
	half := max(0, high-low) / 2
	return now + low + half, time.Duration(half + 1), true
}
