package loopback

import (
	"errors"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/transport"
)

// Limits of messages and settings (design: the same as those of udp's secure protocol).
const (
	maxReliable = 1 << 20
	maxLossy    = 64 << 10
	channels    = 64

	firstID = 251 // clients of package udp have 1 to 250

	defaultQueueMessages = 4096
	defaultQueueBytes    = 2 << 20
	hardQueueMessages    = 1 << 16
	hardQueueBytes       = 64 << 20
)

// Config says how a pipe works. The zero value is ready: both ends in the background, read with Receive.
type Config struct {
	// Driving and Handler are those of both ends. A handler is called with every event of an end, from before Pipe returns until the
	// Disconnected event, on one goroutine for each end: with both ends' events it may run twice at a time. It needs Driving to be
	// Background, and Receive is not available then.
	Driving transport.Driving
	Handler func(transport.Event)

	// Host, if not nil, takes the place of Driving and Handler for the host end.
	Host *End

	// ID is what ID reports at both ends; 0 stands for 251, the first that no client over UDP has. A host with several local players gives
	// each another, from 251 up.
	ID uint32

	// QueueMessages (1 to 65,536) and QueueBytes (1 MiB to 64 MiB of payload) limit in each direction what was sent and
	// not yet read; messages with a receipt count until their outcome was read as well. 0 stands for 4,096 and 2 MiB.
	QueueMessages, QueueBytes int

	// Clock gives the time of events in nanoseconds. It is called by Send, Close, Abort and Kick on their goroutine. Nil stands for the
	// time since Pipe was called.
	Clock func() int64

	// Poison overwrites each payload as soon as the time for which it was lent is over, so that code that kept one is
	// found out.
	Poison bool
}

// End says how one end of a pipe is driven.
type End struct {
	Driving transport.Driving
	Handler func(transport.Event)
}

func (c Config) withDefaults() Config {
	if c.Host == nil {
		c.Host = &End{c.Driving, c.Handler}
	}
	if c.ID == 0 {
		c.ID = firstID
	}
	if c.QueueMessages == 0 {
		c.QueueMessages = defaultQueueMessages
	}
	if c.QueueBytes == 0 {
		c.QueueBytes = defaultQueueBytes
	}
	if c.Clock == nil {
		start := time.Now()
		c.Clock = func() int64 { return int64(time.Since(start)) }
	}
	return c
}

// check expects the defaults to be filled in.
func (c Config) check() error {
	if c.QueueMessages < 1 || c.QueueMessages > hardQueueMessages {
		return fmt.Errorf("loopback: QueueMessages is %d and must be 1 to %d", c.QueueMessages, hardQueueMessages)
	}
	if c.QueueBytes < maxReliable || c.QueueBytes > hardQueueBytes {
		return fmt.Errorf("loopback: QueueBytes is %d and must be %d to %d", c.QueueBytes, maxReliable, hardQueueBytes)
	}
	return errors.Join(End{c.Driving, c.Handler}.check(), c.Host.check())
}

func (e End) check() error {
	switch e.Driving {
	case transport.Background:
		return nil
	case transport.GameLoop:
		if e.Handler != nil {
			return errors.New("loopback: a Handler is called in the background, so Driving cannot be GameLoop")
		}
		return nil
	}
	return fmt.Errorf("loopback: Driving %d does not exist", e.Driving)
}
