// Package rate limits how often something happens, in 8 bytes on an integer clock.
package rate

import (
	"math"
	"time"
)

// Bucket is the theoretical arrival time of the generic cell rate algorithm, in nanoseconds: each event moves it by what one event costs, and it may be so
// far ahead of the time of an event as a burst costs. The zero Bucket has its full burst from time 0 on.
type Bucket int64

// Full has its full burst at any time.
const Full Bucket = math.MinInt64

// Take reports whether one more event at time now is within count events at once and as many more in each period, and only then counts it. A clock that jumps
// back gives the full burst again.
func (b *Bucket) Take(now int64, count int, period time.Duration) bool {
	each := int64(period) / int64(count)
	ahead := max(int64(*b), now) - now
	if burst := each * int64(count); ahead > burst { // the clock has jumped back
		ahead = 0
	} else if ahead > burst-each {
		return false
	}
	*b = Bucket(now + ahead + each)
	return true
}
