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
	return b.Spend(now, each, each*int64(count))
}

// Spend is Take for an event that costs so many nanoseconds, where burst is what may be spent at once. What costs more than that is never within it.
func (b *Bucket) Spend(now, cost, burst int64) bool {
	ahead := max(int64(*b), now) - now
	if ahead > burst { // the clock has jumped back
		ahead = 0
	}
	if ahead > burst-cost {
		return false
	}
	*b = Bucket(now + ahead + cost)
	return true
}

// Charge counts an event whose cost is known only afterwards, up to all of burst.
func (b *Bucket) Charge(now, cost, burst int64) {
	ahead := max(int64(*b), now) - now
	if ahead > burst {
		ahead = 0
	}
	*b = Bucket(now + min(ahead+cost, burst))
}

// Spent reports whether nothing of burst is left at time now.
func (b *Bucket) Spent(now, burst int64) bool { return max(int64(*b), now)-now == burst }
