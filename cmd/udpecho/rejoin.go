package main

import (
	"context"
	"errors"
	"time"

	"github.com/gannet-net/gannet/transport"
)

const (
	// rejoinTimeout is how long one address is dialled before the next one with -rejoin, since the host may be at another one by now.
	rejoinTimeout = 3 * time.Second
	// rejoinPause is the time between rounds over the addresses: a host that refuses does so at once.
	rejoinPause = 200 * time.Millisecond
)

// dialTimeout is how long one address is dialled.
func (c *echoClient) dialTimeout() time.Duration {
	if c.rejoin {
		return min(c.timeout, rejoinTimeout)
	}
	return c.timeout
}

// lost reports whether the connection ended in a way after which -rejoin dials again, and notes what became of it.
func (c *echoClient) lost() bool {
	var end *transport.DisconnectError
	if !c.rejoin || !errors.As(c.conn.Err(), &end) {
		return false
	}
	switch end.Cause {
	case transport.TimedOut, transport.Forgotten, transport.ClosedByPeer, transport.SocketFailed:
	default:
		return false
	}
	_ = c.conn.Close() // returns when its socket is closed
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.endSession(c.first, c.next)
	c.first = c.next
	c.ends = append(c.ends, end.Cause.String())
	return true
}

// dialAgain dials all addresses, one after the other, until one answers or the patience is over.
func (c *echoClient) dialAgain(ctx context.Context) error {
	for giveUp := c.now() + int64(c.timeout); ; {
		err := c.dialAll(ctx)
		if err == nil || ctx.Err() != nil || c.now() >= giveUp {
			c.mu.Lock()
			c.waitingSince = c.now()
			c.mu.Unlock()
			return err
		}
		pause(ctx, rejoinPause)
	}
}

// tellEvery tells people, or the program that started this one, how far it is, until stop is called.
func (c *echoClient) tellEvery(con console) (stop func()) {
	if c.every == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for pause(ctx, c.every) {
			c.tell(con)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (c *echoClient) tell(con console) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.ledger
	con.notef("%.1f s: sent %d, echoed %d, told of %d, lost connections %d", float64(c.now())/1e9, l.sent, l.delivered, l.told, len(c.ends))
}
