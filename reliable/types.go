package reliable

import (
	"errors"
	"fmt"
	"time"
)

// Mode is what is promised about one message. The values are those of transport.Delivery.
type Mode uint8

const (
	// Unreliable messages may be lost.
	Unreliable Mode = iota
	// Sequenced messages may be lost; one older than a message already delivered on its channel is dropped.
	Sequenced
	// ReliableUnordered messages arrive exactly once, as soon as they can.
	ReliableUnordered
	// ReliableOrdered messages arrive exactly once, in the order of Send on their channel.
	ReliableOrdered
	// ReliableSequenced messages: the newest on its channel always arrives, older ones may be skipped.
	ReliableSequenced

	modes = 5
)

func (m Mode) reliable() bool { return m >= ReliableUnordered }

// SendOptions say how one message is to be sent.
type SendOptions struct {
	Mode    Mode
	Channel uint8
	TTL     time.Duration // above 0: withdraw the message if it was not sent for the first time by then
	Urgent  bool          // reliable: an early second copy on links that lose; unreliable: overtakes others
	// ReplaceKey, not 0, withdraws messages of the same channel, mode and key that were not sent yet.
	ReplaceKey uint64
	Receipt    uint64 // not 0: report its fate in an Outcome event with this number
}

var (
	// ErrNotConnected is returned by Send while the client waits for its Accept.
	ErrNotConnected = errors.New("reliable: not connected yet")
	// ErrClosed is returned by Send once the endpoint is closing or closed.
	ErrClosed = errors.New("reliable: closed")
	// ErrQueueFull is returned by Send when the budget of the send queue is used up.
	ErrQueueFull = errors.New("reliable: send queue full")
	// ErrNotOnBase is returned by Send for modes and channels that the base protocol does not have.
	ErrNotOnBase = errors.New("reliable: not on the base protocol")
)

// TooLargeError is returned by Send for a message that no datagram can hold.
type TooLargeError struct{ Size, Limit int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("reliable: message of %d bytes is above the limit of %d", e.Size, e.Limit)
}

// EventKind says what an Event is about.
type EventKind uint8

const (
	// EventConnected comes first, once.
	EventConnected EventKind = iota + 1
	// EventMessage carries one message of the peer.
	EventMessage
	// EventOutcome tells the fate of a message that asked for it.
	EventOutcome
	// EventDisconnected comes last, once, if EventConnected came.
	EventDisconnected
	// EventDialFailed is the only event of a client that was never connected.
	EventDialFailed
)

// Fate is what became of a message. The values are those of transport.Fate.
type Fate uint8

const (
	Delivered  Fate = 1 // acknowledged
	Lost       Fate = 2 // lossy, and the packet that held it was lost
	Expired    Fate = 3 // its time to live was over before its first transmission
	Superseded Fate = 4 // a newer message took its place
	Cancelled  Fate = 5 // the session ended before it was acknowledged or sent
	Sent       Fate = 6 // unreliable and handed out; nothing more can be known
)

// Cause is why a session ended.
type Cause uint8

const (
	ClosedLocally Cause = iota + 1 // Close or Abort
	ClosedByPeer                   // the peer's Disconnect
	Kicked                         // Kick
	TimedOut                       // the peer fell silent, or a dial got no answer
	Refused                        // the host answered Refuse
	SocketFailed                   // Fail
	ProtocolError                  // the peer broke PROTOCOL.md on the packet wire
)

// Event is one thing that happened. Fields that do not belong to its Kind are zero.
type Event struct {
	Kind    EventKind
	Mode    Mode   // Message
	Channel uint8  // Message
	Payload []byte // Message: belongs to the caller until Recycle
	At      int64  // when it came in

	Receipt uint64 // Outcome
	Fate    Fate   // Outcome

	Cause       Cause  // Disconnected, DialFailed
	Reason      string // DialFailed by Refused: the host's text; Disconnected by the peer on the packet wire: its text. Safe to show
	Code        uint16 // Disconnected by the peer on the packet wire: its code
	Undelivered int    // Disconnected: reliable messages that were accepted and not acknowledged, and ordered ones behind those
}

// TraceKind names a traced decision.
type TraceKind uint8

const (
	TraceSent       TraceKind = iota + 1 // first copy of a message left
	TraceRepaired                        // a message left again because its deadline passed
	TraceCopied                          // a further copy of a repair left
	TraceDuplicated                      // the early second copy of an urgent message left
	TraceProbed                          // a message left as the probe of an outage
	TraceAcked                           // an ack ended a message
	TraceReceived                        // a reliable message was stored
	TraceRead                            // a message was handed to the application
	TraceOutage                          // nothing is acknowledged any more
	TraceRecovered                       // the first ack after an outage
	TraceCovered                         // the parity of a message and others left
	TraceRebuilt                         // a message that did not come was rebuilt from parity and stored
)

// String gives the name of k.
func (k TraceKind) String() string {
	names := [...]string{"", "sent", "repaired", "copied", "duplicated", "probed", "acked", "received", "read", "outage", "recovered", "covered", "rebuilt"}
	if int(k) >= len(names) || k == 0 {
		return "unknown"
	}
	return names[k]
}

// TraceEvent is one decision about one message.
type TraceEvent struct {
	At       int64
	Kind     TraceKind
	Seq      int32 // the message, where there is one
	Round    int   // how often its deadline has passed
	Deadline int64 // when it will be repaired next, 0 if never
}
