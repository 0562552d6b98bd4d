package reliable

import "fmt"

// Channels is the number of channels of a connection.
const Channels = 64

// Class is how important the messages of a channel are. While a message of a more important class may be sent, none of the others is.
type Class int8

const (
	// ClassControl is for what everything else depends on.
	ClassControl Class = -2
	// ClassUrgent goes before the game.
	ClassUrgent Class = -1
	// ClassGame is what the messages of a game are, unless a channel says otherwise.
	ClassGame Class = 0
	// ClassBulk is for downloads. On the packet wire it is governed by what the path takes, and it leaves an eighth of the send queue free.
	ClassBulk Class = 1

	classes = 4

	// MaxWeight is the largest weight of a channel.
	MaxWeight = 100
)

// rank counts the classes from 0, the most important.
func (c Class) rank() int { return int(c - ClassControl) }

// Channel says how the messages of one channel compete with others.
type Channel struct {
	Class  Class
	Weight int // share among the channels of its class that have something to send, 1 to MaxWeight; 1
}

func (c *Config) channel(n uint8) (Class, int64) {
	if int(n) >= len(c.Channels) {
		return ClassGame, 1
	}
	return c.Channels[n].Class, int64(max(1, c.Channels[n].Weight))
}

func checkChannels(channels []Channel) error {
	if len(channels) > Channels {
		return fmt.Errorf("Channels has %d: there are %d", len(channels), Channels)
	}
	for i, c := range channels {
		switch {
		case c.Class < ClassControl || c.Class > ClassBulk:
			return fmt.Errorf("Channels[%d].Class is %d: use one of the constants ClassControl to ClassBulk", i, c.Class)
		case c.Weight < 0 || c.Weight > MaxWeight:
			return fmt.Errorf("Channels[%d].Weight is %d: it must be from 1 to %d, or 0 for 1", i, c.Weight, MaxWeight)
		}
	}
	return nil
}
