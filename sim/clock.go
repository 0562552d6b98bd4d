package sim

import (
	"fmt"
	"math/bits"
	"time"
)

const million = 1_000_000

// clock is a node's own clock: a straight line through (net, local) with the slope rate / 1e6. The zero value is not
// ready: rate 0 is a clock that stands.
type clock struct {
	net, local int64
	rate       int64
}

// at gives the local time at network time t, which is not before net.
func (c *clock) at(t int64) int64 {
	if c.rate == million {
		return c.local + (t - c.net)
	}
	hi, lo := bits.Mul64(uint64(t-c.net), uint64(c.rate))
	elapsed, _ := bits.Div64(hi, lo, million)
	return c.local + int64(elapsed)
}

// when gives the first network time at which the clock shows local or more; never, if it does not come to that.
func (c *clock) when(local int64) int64 {
	wait := local - c.local
	switch {
	case local <= c.local:
		return c.net
	case local == never || wait < 0 || c.rate == 0:
		return never
	case c.rate == million:
		return later(c.net, wait)
	}
	hi, lo := bits.Mul64(uint64(wait), million)
	lo, carry := bits.Add64(lo, uint64(c.rate-1), 0)
	if hi += carry; hi >= uint64(c.rate) {
		return never
	}
	elapsed, _ := bits.Div64(hi, lo, uint64(c.rate))
	if elapsed > uint64(never) {
		return never
	}
	return later(c.net, int64(elapsed))
}

// later adds a wait to a time, never beyond never.
func later(t, wait int64) int64 {
	if wait > never-t {
		return never
	}
	return t + wait
}

// turn makes the clock go on from now, where it is, with another rate.
func (c *clock) turn(now, rate int64) { c.local, c.net, c.rate = c.at(now), now, rate }

// Clock gives the time that the node's own monotonic clock shows, in nanoseconds. It starts at the network's time and
// differs from it after SetDrift, JumpClock and Suspend.
func (n *Node) Clock() int64 { return n.clock.at(n.nw.now) }

// SetDrift makes the node's clock run fast by ppm parts in a million from now on, or slow if ppm is negative.
// -1,000,000 stops it. It panics below that and above 900,000.
func (n *Node) SetDrift(ppm int64) {
	if ppm < -million || ppm > 900_000 {
		panic(fmt.Sprintf("sim: drift of %d ppm", ppm))
	}
	n.rate = million + ppm
	if n.asleep == 0 {
		n.clock.turn(n.nw.now, n.rate)
	}
	n.rearm()
	n.note("drift", fmt.Sprint(ppm, " ppm"))
}

// JumpClock sets the node's clock forward by d, or back if d is negative.
func (n *Node) JumpClock(d time.Duration) {
	n.clock.turn(n.nw.now, n.clock.rate)
	n.clock.local += int64(d)
	n.rearm()
	n.note("clock jumps", d.String())
}
