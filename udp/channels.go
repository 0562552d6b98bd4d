package udp

import (
	"time"

	"github.com/gannet-net/gannet/reliable"
)

// Channel says how the messages of one channel compete with those of others.
type Channel = reliable.Channel

// The classes of channels, from the most important. While a message of a more important class may be sent, none of the others is.
const (
	ClassControl = reliable.ClassControl // what everything else depends on
	ClassUrgent  = reliable.ClassUrgent
	ClassGame    = reliable.ClassGame // what the messages of a game are, unless Config.Channels says otherwise
	ClassBulk    = reliable.ClassBulk // downloads: as fast as the path takes them without a queue that the game would notice, docs/bulk.md
)

// SendBudget is how many bytes a second the path to the peer takes, as far as that is known, headers included; at most Config.SendCeiling. Only what
// was sent on channels of ClassBulk finds that out: before, it is the ceiling, and 0 if there is none.
func (c *Conn) SendBudget() int64 {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	return c.ep.SendBudget()
}

// RemoteTime estimates what Config.Clock of the peer shows when ours shows now, in nanoseconds, and by how much that may be wrong: at best half of the
// shortest round trip. It reports false while too little is known, and always on the base protocol.
func (c *Conn) RemoteTime(now int64) (remote int64, within time.Duration, ok bool) {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	return c.ep.RemoteTime(now)
}
