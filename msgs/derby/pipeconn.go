package derby

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"

	"github.com/gannet-net/gannet/transport"
)

// PipeConn makes a connection of a Pipe, for a game loop: Poll, Next until it reports false, Flush. The messages are those of Catalogue: a pipe does not tell in which mode a
// message was sent, so it is taken for that of its type. It takes the modes that Catalogue needs, ReliableOrdered and Unreliable on channel 0, and no receipts. It belongs to one goroutine.
type PipeConn struct {
	pipe  Pipe
	clock func() int64
	id    uint8
	state pipeState
	why   error // of the end
}

type pipeState uint8

const (
	pipeDialling  pipeState = iota // the host's first message has not come
	pipeCancelled                  // and this side did not wait for it
	pipeConnected                  // the Connected event was not read
	pipeOpen
	pipeEnded // the last event was not read
	pipeOver
)

// DialPipe is a client's end. Its id is known with the Connected event. Clock gives the time of events in nanoseconds.
func DialPipe(p Pipe, clock func() int64) *PipeConn { return &PipeConn{pipe: p, clock: clock} }

// AcceptPipe is a host's end, and tells the client its id, which is 1 to 255 and no other peer's.
func AcceptPipe(p Pipe, id uint8, clock func() int64) (*PipeConn, error) {
	if id == 0 {
		return nil, errors.New("derby: AcceptPipe: the id 0 is that of the host: give 1 to 255")
	}
	if err := p.Send([]byte{pipeHello, id}); err != nil {
		return nil, fmt.Errorf("derby: AcceptPipe: %w", err)
	}
	return &PipeConn{pipe: p, clock: clock, id: id, state: pipeConnected}, nil
}

// ID is the number that the host gave, 0 before the client knows it.
func (c *PipeConn) ID() uint32 { return uint32(c.id) }

// LocalAddr is the zero address: what a pipe runs over is its own affair.
func (c *PipeConn) LocalAddr() netip.AddrPort { return netip.AddrPort{} }

// RemoteAddr is the zero address.
func (c *PipeConn) RemoteAddr() netip.AddrPort { return netip.AddrPort{} }

// Local is false.
func (c *PipeConn) Local() bool { return false }

// MaxPayload is that of the pipe, in the modes that it takes.
func (c *PipeConn) MaxPayload(d transport.Delivery) int {
	if !c.Supports(d, 0) {
		return 0
	}
	return c.pipe.MaxMessage()
}

// Supports reports whether it is one of the modes that Catalogue needs, on channel 0.
func (c *PipeConn) Supports(d transport.Delivery, channel uint8) bool {
	return channel == 0 && (d == transport.ReliableOrdered || d == transport.Unreliable)
}

// Sendable is the largest integer while the connection stands, as a pipe does not say how much it takes, and 0 otherwise.
func (c *PipeConn) Sendable() int {
	if c.state != pipeOpen && c.state != pipeConnected {
		return 0
	}
	return math.MaxInt
}

// Send gives a message to the pipe. An unreliable one travels as well as all others.
func (c *PipeConn) Send(payload []byte, o transport.SendOptions) error {
	switch {
	case c.state == pipeDialling:
		return transport.ErrNotConnected
	case c.why != nil:
		return c.why
	case !c.Supports(o.Delivery, o.Channel):
		return fmt.Errorf("derby: a pipe does not carry delivery %v on channel %d", o.Delivery, o.Channel)
	case o.Receipt != 0:
		return errors.New("derby: a pipe does not tell what became of a message: send without a receipt")
	case len(payload) > c.pipe.MaxMessage():
		return &transport.TooLargeError{Size: len(payload), Limit: c.pipe.MaxMessage()}
	}
	return c.pipe.Send(payload)
}

// Poll does nothing: Next reads from the pipe.
func (c *PipeConn) Poll() {}

// Flush does nothing: Send has given all to the pipe.
func (c *PipeConn) Flush() {}

// Next returns what happened next. A payload belongs to the caller.
func (c *PipeConn) Next() (transport.Event, bool) {
	switch c.state {
	case pipeDialling:
		return c.dialling()
	case pipeCancelled:
		return c.failed(c.why)
	case pipeConnected:
		c.state = pipeOpen
		return c.event(transport.Connected), true
	case pipeOpen:
		return c.open()
	case pipeEnded:
		c.state = pipeOver
		return c.last(transport.Disconnected, c.why)
	}
	return transport.Event{}, false
}

// dialling takes the first message of the host.
func (c *PipeConn) dialling() (transport.Event, bool) {
	b, ok := c.pipe.Next()
	if !ok {
		if err := c.pipe.Err(); err != nil {
			return c.failed(err)
		}
		return transport.Event{}, false
	}
	if c.id, ok = parsePipeHello(b); !ok {
		_ = c.pipe.Close()
		return c.failed(errPipeHello)
	}
	c.state = pipeOpen
	return c.event(transport.Connected), true
}

func (c *PipeConn) failed(why error) (transport.Event, bool) {
	c.state, c.why = pipeOver, why
	return c.last(transport.DialFailed, why)
}

func (c *PipeConn) open() (transport.Event, bool) {
	if b, ok := c.pipe.Next(); ok {
		ev := c.event(transport.Message)
		ev.Payload, ev.Delivery = b, deliveryOf(b)
		return ev, true
	}
	err := c.pipe.Err()
	if err == nil {
		return transport.Event{}, false
	}
	end := &transport.DisconnectError{Cause: transport.ClosedByPeer}
	if !errors.Is(err, io.EOF) {
		end.Cause, end.Err = transport.SocketFailed, err
	}
	c.state, c.why = pipeOver, end
	return c.last(transport.Disconnected, end)
}

func (c *PipeConn) event(kind transport.EventKind) transport.Event {
	return transport.Event{Kind: kind, Conn: c, At: c.clock()}
}

func (c *PipeConn) last(kind transport.EventKind, why error) (transport.Event, bool) {
	ev := c.event(kind)
	ev.Err = why
	return ev, true
}

// deliveryOf is the mode of the message that b is. What is none is for the router to drop.
func deliveryOf(b []byte) transport.Delivery {
	if len(b) > 0 {
		for i := range Catalogue.Entries {
			if e := &Catalogue.Entries[i]; e.ID == uint16(b[0]) {
				return e.Delivery
			}
		}
	}
	return transport.ReliableOrdered
}

// Receive returns transport.ErrGameLoop.
func (c *PipeConn) Receive(context.Context, []byte) (transport.Event, error) {
	return transport.Event{}, transport.ErrGameLoop
}

// Close ends the pipe, which still delivers what was sent.
func (c *PipeConn) Close() error { return c.end(transport.ClosedLocally, 0, "") }

// Abort does the same as Close.
func (c *PipeConn) Abort() { _ = c.end(transport.ClosedLocally, 0, "") }

// Kick does the same as Close, with another cause at this side. A pipe cannot carry code and text to the peer.
func (c *PipeConn) Kick(code uint16, text string) { _ = c.end(transport.Kicked, code, text) }

func (c *PipeConn) end(cause transport.Cause, code uint16, text string) error {
	if c.why != nil {
		return nil
	}
	c.why = &transport.DisconnectError{Cause: cause, Code: code, Text: text}
	switch c.state {
	case pipeDialling:
		c.state = pipeCancelled
	case pipeOpen:
		c.state = pipeEnded
	case pipeConnected:
		c.state = pipeOver // no Connected event was read, so there is none about the end
	}
	return c.pipe.Close()
}

// Err is nil while the connection is open or being made, and says why it ended afterwards.
func (c *PipeConn) Err() error { return c.why }
