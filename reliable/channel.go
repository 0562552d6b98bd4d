package reliable

// Channels is the number of channels of a connection.
const Channels = 64

// Class is how important the messages of a channel are. While a message of a more important class may be sent, none of the others is.
type Class uint8

const (
	// ClassControl is for what everything else depends on.
	ClassControl Class = iota
	// ClassUrgent goes before the game.
	ClassUrgent
	// ClassGame is what the messages of a game are, unless a channel says otherwise.
	ClassGame
	// ClassBulk is for downloads. On the packet wire it is governed by what the path takes, and it leaves an eighth of the send queue free.
	ClassBulk

	classes = 4
)

// Channel says how the messages of one channel compete with others.
type Channel struct {
	Class  Class
	Weight int // share among the channels of its class that have something to send, 1 to 100; 1
}

func (c *Config) channel(n uint8) (Class, int64) {
	if int(n) >= len(c.Channels) {
		return ClassGame, 1
	}
	return c.Channels[n].Class, int64(max(1, c.Channels[n].Weight))
}
