package transport

import (
	"context"
	"net/netip"
	"time"
)

// Delivery is what is promised about one message.
type Delivery uint8

const (
	// Unreliable messages may be lost or late. They never arrive twice, except on the base protocol, where a network that
	// duplicates a datagram duplicates the message.
	Unreliable Delivery = iota
	// Sequenced messages may be lost; one older than a message already delivered on its channel is dropped.
	Sequenced
	// ReliableUnordered messages arrive exactly once, as soon as they can.
	ReliableUnordered
	// ReliableOrdered messages arrive exactly once and in the order in which they were sent on their channel.
	ReliableOrdered
	// ReliableSequenced messages: the newest on its channel always arrives, older ones may be skipped.
	ReliableSequenced
)

// Reliable reports whether d promises arrival.
func (d Delivery) Reliable() bool { return d >= ReliableUnordered }

// String gives the name that the command line uses for d.
func (d Delivery) String() string {
	switch d {
	case Unreliable:
		return "unreliable"
	case Sequenced:
		return "sequenced"
	case ReliableUnordered:
		return "unordered"
	case ReliableOrdered:
		return "ordered"
	case ReliableSequenced:
		return "reliable-sequenced"
	}
	return "unknown delivery"
}

// SendOptions say how one message is to be sent. The zero value is an unreliable message on channel 0.
type SendOptions struct {
	// Delivery is the promise.
	Delivery Delivery

	// Channel is 0 to 63. Messages of different channels never wait for one another. Only channel 0 exists on the base protocol.
	Channel uint8

	// TTL, above 0, withdraws the message if it could not be sent within this time. In reliable modes it acts only before the
	// first transmission, so that no channel waits for what was withdrawn.
	TTL time.Duration

	// Urgent spends bytes for time: a reliable message is sent twice on links that lose packets, and an unreliable one overtakes the
	// others that wait.
	Urgent bool

	// ReplaceKey, if not 0, withdraws the messages of the same mode, channel and key that wait to be sent for the first time: they are out of date. Secure
	// protocol only.
	ReplaceKey uint64

	// Receipt, if not 0, asks for an Outcome event that carries the same number. The message counts against the send queue until
	// that event was read.
	Receipt uint64
}

// EventKind says what an Event is about.
type EventKind uint8

const (
	// Connected is the first event of every connection.
	Connected EventKind = iota + 1
	// Message carries one message from the peer in Payload.
	Message
	// Outcome tells what became of a message that was sent with a receipt.
	Outcome
	// Disconnected is the last event of a connection that was Connected. Err is a *DisconnectError.
	Disconnected
	// DialFailed is the only event of a game-loop dial that did not succeed. Err says why.
	DialFailed
)

// String gives the name of k.
func (k EventKind) String() string {
	switch k {
	case Connected:
		return "connected"
	case Message:
		return "message"
	case Outcome:
		return "outcome"
	case Disconnected:
		return "disconnected"
	case DialFailed:
		return "dial failed"
	}
	return "unknown event"
}

// Fate is what became of a message.
type Fate uint8

const (
	// Delivered: the peer's transport has it and will hand it to its application.
	Delivered Fate = iota + 1
	// Lost: an unreliable message is known or believed not to have arrived. On the base protocol unreliable messages
	// report Sent instead, because nothing acknowledges them.
	Lost
	// Expired: its time to live was over before it could be sent.
	Expired
	// Superseded: a newer message took its place: one of the same channel in ReliableSequenced mode, say.
	Superseded
	// Cancelled: the connection closed before the peer was known to have it.
	Cancelled
	// Sent: handed to the network, and nothing more can be known.
	Sent
)

// String gives the name of f.
func (f Fate) String() string {
	switch f {
	case Delivered:
		return "delivered"
	case Lost:
		return "lost"
	case Expired:
		return "expired"
	case Superseded:
		return "superseded"
	case Cancelled:
		return "cancelled"
	case Sent:
		return "sent"
	}
	return "unknown fate"
}

// Event is one thing that happened on a connection.
type Event struct {
	Kind EventKind
	Conn Conn // the connection that it happened on

	// Payload is the message, for Message events. Next and handlers lend it: it is valid until the next Poll, or until the handler
	// returns; Retain makes a copy that stays. Receive copies it into the caller's buffer instead.
	Payload  []byte
	Delivery Delivery
	Channel  uint8

	// At is when the datagram came in, in nanoseconds of the connection's clock.
	At int64

	// Receipt and Fate belong to Outcome events.
	Receipt uint64
	Fate    Fate

	// Err belongs to Disconnected and DialFailed.
	Err error
}

// Retain returns a copy of the payload that belongs to the caller.
func (e Event) Retain() []byte { return append([]byte{}, e.Payload...) }

// Kicker is a Conn that can send its peer away with a reason; those of udp and loopback can. The connection ends at once, as by Abort,
// with the cause Kicked. This side's *DisconnectError has code and text. The peer's has the cause ClosedByPeer; the base protocol cannot
// carry code and text to it, so send a message first if players are to know why.
type Kicker interface {
	Conn
	Kick(code uint16, text string)
}

// Conn is one connection to one peer. See the package comment for who may call what from where.
type Conn interface {
	// ID names the peer among those of its host: 1 and up. At a client it is the id that the host gave, 0 before it is connected.
	ID() uint32

	// LocalAddr and RemoteAddr are addresses in unmapped form. They are zero on loopback.
	LocalAddr() netip.AddrPort
	RemoteAddr() netip.AddrPort

	// Local reports whether both ends are in one process, with no network between them.
	Local() bool

	// MaxPayload is the largest message that Send takes in the given mode, in bytes. It never shrinks.
	MaxPayload(Delivery) int

	// Supports reports whether Send takes messages of this mode on this channel.
	Supports(d Delivery, channel uint8) bool

	// Send copies payload and queues it. It never blocks and either takes the whole message or returns an error and takes nothing:
	// ErrNotConnected, *TooLargeError, ErrQueueFull, ErrNotOnBase, a *DisconnectError once the connection is closed, or an error that
	// names the bad option.
	Send(payload []byte, o SendOptions) error

	// Sendable reports how many more bytes of messages the send queue takes; 0 if it is full or the connection is not connected.
	Sendable() int

	// Poll, Next and Flush drive the connection in a game loop. Poll reads what the network holds and runs the timers, Next
	// returns the next event, Flush sends what is queued. In the background style they do nothing and Next reports false.
	Poll()
	Next() (Event, bool)
	Flush()

	// Receive blocks until the next Message or Outcome event, in the background style only. The payload is copied into buf[:0],
	// which grows if needed; it belongs to the caller. Once the connection is closed and everything received was read it returns a
	// *DisconnectError. If ctx ends first it returns the context's error. In a game loop it returns ErrGameLoop.
	Receive(ctx context.Context, buf []byte) (Event, error)

	// Close ends the connection gracefully: what Send accepted is delivered first, for at most the linger time. In the background
	// style it blocks until that is done and returns an *UndeliveredError if something was not acknowledged; in a game loop it
	// returns at once, and the Disconnected event tells the same. It may be called any number of times, from anywhere.
	Close() error

	// Abort ends the connection at once. What the peer has not acknowledged is lost.
	Abort()

	// Err is nil while the connection is open or being made, and says why it ended afterwards.
	Err() error
}
