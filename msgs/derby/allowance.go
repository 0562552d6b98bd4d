package derby

import (
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// What one player may have the host send to all others: more than a correct game wants, and less than fills the queue of somebody with a slow line,
// who would be expelled for it.
var (
	choices = msgs.Limit{Count: 20, Within: 5 * time.Second}  // SetBatter: each sends the whole roster
	relays  = msgs.Limit{Count: 240, Within: 2 * time.Second} // lines of the feed, and the messages of an at-bat
)

// allowance is a rate limit: when the next message of a player would be due if all came at the highest rate (generic cell rate algorithm). 0 is a full burst.
type allowance int64

// take reports whether one more message at time now, in nanoseconds, is within the limit, and only then counts it.
func (a *allowance) take(now int64, limit msgs.Limit) bool {
	each := int64(limit.Within) / int64(limit.Count)
	due := max(int64(*a), now)
	if due > now+int64(limit.Within) { // the clock has jumped back
		due = now
	} else if due > now+int64(limit.Within)-each {
		return false
	}
	*a = allowance(due + each)
	return true
}
