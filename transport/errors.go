package transport

import (
	"errors"
	"fmt"
	"net"
	"os"
)

var (
	// ErrNotConnected is returned by Send before the Connected event.
	ErrNotConnected = errors.New("not connected yet: wait for the Connected event before sending")

	// ErrQueueFull is returned by Send when the send queue's budget of messages or bytes is used up: the peer, or the link to
	// it, is slower than the sender. Send again later, or drop what is stale.
	ErrQueueFull = errors.New("send queue full: the peer is not acknowledging as fast as messages are sent")

	// ErrNotOnBase is returned for modes, channels and options that the base protocol does not have.
	ErrNotOnBase = errors.New("not on the base protocol, which has Unreliable and ReliableOrdered on channel 0 only")

	// ErrGameLoop is returned by blocking calls on a connection that is driven by Poll, Next and Flush.
	ErrGameLoop = errors.New("driven by a game loop: use Poll, Next and Flush, or make it with Driving: Background")

	// ErrHandler is returned by Receive, and by Accept of a host, where events go to a handler.
	ErrHandler = errors.New("events go to the handler: leave Handler out to use Accept and Receive")
)

// TooLargeError is returned by Send for a message above the limit of its mode. Nothing was sent.
type TooLargeError struct {
	Size, Limit int // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("message of %d bytes is too large: the limit of its delivery mode is %d", e.Size, e.Limit)
}

// RefusedError is returned by a dial that the host answered with a refusal.
type RefusedError struct {
	Code   uint16 // the application's code, or one from OwnCodes up; 0 on the base protocol, which cannot carry one
	Reason string // readable, at most 256 bytes, without control characters
}

// Codes that transports send on their own account, PROTOCOL.md 18.4. Those of applications are below OwnCodes.
const (
	OwnCodes uint16 = 0xFF00

	// CodeReplaced: the same player came in with a newer connection.
	CodeReplaced uint16 = 0xFF01
	// CodeCatalogue: the two sides have different catalogues. A dial that finds out returns a *CatalogueError instead of a *RefusedError.
	CodeCatalogue uint16 = 0xFF02
	// CodeFull: the host has no place for this client, now.
	CodeFull uint16 = 0xFF03
)

func (e *RefusedError) Error() string { return "refused by the host: " + e.Reason }

// Cause is why a connection ended.
type Cause uint8

const (
	// ClosedLocally: this side called Close or Abort.
	ClosedLocally Cause = iota + 1
	// ClosedByPeer: the peer said goodbye, or kicked us.
	ClosedByPeer
	// Kicked: this side kicked the peer.
	Kicked
	// TimedOut: nothing was heard from the peer for the timeout.
	TimedOut
	// SocketFailed: the socket under the connection broke for good.
	SocketFailed
	// Replaced: the same player, as far as the host can know, came in with a newer connection. The secure protocol alone knows.
	Replaced
	// Forgotten: the host does not know this connection any more, because it was restarted. Dial again.
	Forgotten
	// ProtocolError: the peer broke the rules of the protocol.
	ProtocolError
)

// String gives the name of c.
func (c Cause) String() string {
	switch c {
	case ClosedLocally:
		return "closed locally"
	case ClosedByPeer:
		return "closed by the peer"
	case Kicked:
		return "kicked"
	case TimedOut:
		return "timed out"
	case SocketFailed:
		return "socket failed"
	case Replaced:
		return "replaced by a newer one of the same player"
	case Forgotten:
		return "forgotten by the host, which was restarted"
	case ProtocolError:
		return "ended by a protocol error of the peer"
	}
	return "unknown cause"
}

// DisconnectError says why a connection ended. It satisfies errors.Is(err, net.ErrClosed), and errors.Is(err,
// os.ErrDeadlineExceeded) if the cause is TimedOut. It implements net.Error.
type DisconnectError struct {
	Cause Cause
	Code  uint16 // the application's code, 0 if none; the base protocol cannot carry one
	Text  string // the application's text, "" if none; the base protocol cannot carry one to the peer

	// Undelivered counts the reliable messages that Send accepted and the peer did not acknowledge, and ordered ones that it has but discards since one before
	// them is missing. What is not counted was delivered; of what is counted some may have been, if only its acknowledgement was lost.
	Undelivered int

	// Err is the socket's error for SocketFailed, else nil.
	Err error
}

func (e *DisconnectError) Error() string {
	s := "connection " + e.Cause.String()
	if e.Text != "" {
		s += ": " + e.Text
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is makes errors.Is see net.ErrClosed and, for time-outs, os.ErrDeadlineExceeded.
func (e *DisconnectError) Is(target error) bool {
	return target == net.ErrClosed || target == os.ErrDeadlineExceeded && e.Cause == TimedOut
}

// Unwrap returns the socket's error.
func (e *DisconnectError) Unwrap() error { return e.Err }

// Timeout reports whether the peer fell silent.
func (e *DisconnectError) Timeout() bool { return e.Cause == TimedOut }

// Temporary is always false: a connection that ended does not come back.
func (e *DisconnectError) Temporary() bool { return false }

// UndeliveredError is returned by Close when the linger time was over, or the peer was gone, before everything was acknowledged.
type UndeliveredError struct {
	Messages int // reliable messages that Send accepted and the peer did not acknowledge
}

func (e *UndeliveredError) Error() string {
	return fmt.Sprintf("closed with %d reliable messages not acknowledged by the peer", e.Messages)
}
