package derby

import (
	"time"

	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/msgs"
)

// What one player may have the host send to all others: more than a correct game wants, and less than fills the queue of somebody with a slow line,
// who would be expelled for it.
var (
	choices = msgs.Limit{Count: 20, Within: 5 * time.Second}  // SetBatter: each sends the whole roster
	relays  = msgs.Limit{Count: 240, Within: 2 * time.Second} // lines of the feed, and the messages of an at-bat
)

// allowance is what is left of a limit for one player.
type allowance struct{ rate.Bucket }

// take reports whether one more message at time now, in nanoseconds, is within the limit, and only then counts it.
func (a *allowance) take(now int64, limit msgs.Limit) bool {
	return a.Take(now, limit.Count, limit.Within)
}
