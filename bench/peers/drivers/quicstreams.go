package drivers

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gannet-net/gannet/bench/peers/peer"
	quicgo "github.com/quic-go/quic-go"
)

// quicStreams is a connection with a stream for each reliable lane. Unreliable messages are datagrams, which begin with their lane.
type quicStreams struct {
	quicBase
	streams []*quicgo.Stream // of the reliable lanes, in order
	held    *held            // of the host; nil at a client
	writers []frames
	full    atomic.Int32 // the lane that had no room
}

// greet opens the streams. The host hears of one when something is said on it.
func (c *quicStreams) greet() error {
	return c.each(func() (*quicgo.Stream, error) { return c.conn.OpenStream() }, func(w frames) error { return w.Send(ownLane, nil) })
}

func (c *quicStreams) meet() error {
	return c.each(func() (*quicgo.Stream, error) { return c.conn.AcceptStream(context.Background()) }, func(frames) error { return nil })
}

// each opens the stream of each reliable lane.
func (c *quicStreams) each(open func() (*quicgo.Stream, error), opened func(frames) error) error {
	for lane, promise := range c.setup.Lanes {
		if promise != peer.Reliable {
			continue
		}
		stream, err := open()
		if err != nil {
			return err
		}
		stream.SetPriority(c.urgent(lane), true)
		c.streams = append(c.streams, stream)
		c.writers[lane] = newFrames(stream, c.setup, c.held)
		if err := opened(c.writers[lane]); err != nil {
			return err
		}
	}
	return nil
}

func (c *quicStreams) Send(lane int, payload []byte) error {
	if c.setup.Lanes[lane] == peer.Unreliable {
		return c.conn.SendDatagram(append(append(make([]byte, 0, 1200), byte(lane)), payload...))
	}
	err := c.writers[lane].Send(lane, payload)
	if err == peer.ErrFull {
		c.full.Store(int32(lane))
	}
	return err
}

func (c *quicStreams) Flush() {}
func (c *quicStreams) Await() { c.writers[c.full.Load()].Await() }

func (c *quicStreams) Close() {
	for _, w := range c.writers {
		if w != nil {
			w.Close()
		}
	}
	c.close()
}

func (c *quicStreams) read(receive peer.Receive) {
	if len(c.setup.Lanes) > 1 {
		receive = oneByOne(receive)
	}
	var all sync.WaitGroup
	for _, stream := range c.streams {
		all.Go(func() { c.readStream(stream, receive) })
	}
	if len(c.streams) < len(c.setup.Lanes) {
		c.readDatagrams(receive)
	}
	all.Wait()
}

func (c *quicStreams) readStream(stream *quicgo.Stream, receive peer.Receive) {
	_ = peer.ReadFrames(stream, c.setup, func(lane int, payload []byte) {
		if lane != ownLane {
			receive(lane, payload)
		}
	})
}

func (c *quicStreams) readDatagrams(receive peer.Receive) {
	for {
		datagram, err := c.conn.ReceiveDatagram(context.Background())
		if err != nil {
			return
		}
		if len(datagram) > 0 {
			receive(int(datagram[0]), datagram[1:])
		}
	}
}
