package reliable

import (
	"math"
	"time"
)

// gcra is a rate limit in bytes on an integer clock (the generic cell rate algorithm): 8 bytes of state. gcra{now} has its full burst.
type gcra struct {
	paid int64 // time until which what was let through is paid for
}

// limit is a rate with a burst. A rate of 0 is no limit.
type limit struct {
	perSecond int64 // bytes
	burst     int64 // bytes
}

func (l limit) cost(n int) int64 { return int64(n) * int64(time.Second) / l.perSecond }
func (l limit) credit() int64    { return l.burst * int64(time.Second) / l.perSecond }
func (l limit) unlimited() bool  { return l.perSecond == 0 }

// ready is the time from which on the next bytes may pass.
func (g *gcra) ready(l limit) int64 {
	if l.unlimited() {
		return math.MinInt64
	}
	return g.paid - l.credit()
}

// spend lets n bytes pass, allowed or not.
func (g *gcra) spend(now int64, l limit, n int) {
	if !l.unlimited() {
		g.paid = max(g.paid, now) + l.cost(n)
	}
}
