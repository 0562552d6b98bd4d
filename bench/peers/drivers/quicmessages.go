package drivers

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
	quicgo "github.com/quic-go/quic-go"
)

// quicMessages is a connection with a stream for each message, so that no message waits for another one.
type quicMessages struct {
	quicBase
	buffers sync.Pool // of received messages

	mu     sync.Mutex
	next   *quicgo.SendStream // which Await has opened
	making []byte             // the message that is being sent, after its lane
}

func newQUICMessages(base quicBase) *quicMessages {
	c := &quicMessages{quicBase: base}
	c.buffers.New = func() any {
		b := make([]byte, base.setup.Message+2) // for the lane, and for one byte that does not come, so that the end is read
		return &b
	}
	return c
}

func (c *quicMessages) greet() error { return nil }
func (c *quicMessages) meet() error  { return nil }

func (c *quicMessages) Send(lane int, payload []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stream, err := c.stream()
	if err != nil {
		return err
	}
	if c.urgent(lane) != c.urgent(0) {
		stream.SetPriority(c.urgent(lane), true)
	}
	c.making = append(append(c.making[:0], byte(lane)), payload...)
	if _, err := stream.Write(c.making); err != nil {
		return err
	}
	return stream.Close()
}

// stream gives a new stream, if the host allows for one now.
func (c *quicMessages) stream() (*quicgo.SendStream, error) {
	if opened := c.next; opened != nil {
		c.next = nil
		return opened, nil
	}
	stream, err := c.conn.OpenUniStream()
	if _, full := errors.AsType[*quicgo.StreamLimitReachedError](err); full {
		return nil, peer.ErrFull
	}
	return stream, err
}

func (c *quicMessages) Flush() {}

// Await opens the stream of the next message, as soon as the host allows for one.
func (c *quicMessages) Await() {
	soon, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	stream, err := c.conn.OpenUniStreamSync(soon)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = stream
}

func (c *quicMessages) Close() { c.close() }

// read has a goroutine for each stream, for a later message may be complete before.
func (c *quicMessages) read(receive peer.Receive) {
	receive = oneByOne(receive)
	var all sync.WaitGroup
	defer all.Wait()
	for {
		stream, err := c.conn.AcceptUniStream(context.Background())
		if err != nil {
			return
		}
		all.Go(func() { c.readMessage(stream, receive) })
	}
}

func (c *quicMessages) readMessage(stream *quicgo.ReceiveStream, receive peer.Receive) {
	buffer := c.buffers.Get().(*[]byte)
	defer c.buffers.Put(buffer)
	n, err := io.ReadFull(stream, *buffer)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		receive(int((*buffer)[0]), (*buffer)[1:n])
		return
	}
	stream.CancelRead(0)
}
