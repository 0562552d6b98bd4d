package msgs

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

var (
	// ErrDirection is returned by Send for a message that only the other side sends.
	ErrDirection = errors.New("only the other side sends it: declare it from=both if both do")

	// ErrState is returned by Send for a message that the session is in no state for.
	ErrState = errors.New("the session is in none of its states: call Peer.Enter first, or wait until the other side asks for it")

	// ErrNotMounted is returned by Send for a message of a catalogue that the router does not know.
	ErrNotMounted = errors.New("its catalogue is not among Config.Catalogues")

	// ErrNoPeer is returned by Send to a nil *Peer, and by its Enter.
	ErrNoPeer = errors.New("the peer is nil: it has left, or never joined")

	// ErrMode is returned by Send to a target that As made, for a message that may not be sent so.
	ErrMode = errors.New("the catalogue says how it is sent: name it in Mount.AnyMode at both sides, or send it without As")

	// ErrNotThisMessage is returned by SendEncoded for bytes that cannot be a message of that type.
	ErrNotThisMessage = errors.New("the bytes are too few or too many for it: encode it with Append")
)

// SendError is returned by Send for a message that was not sent. Err is what the message itself is wrong with (a *layout.FieldError, or what
// Validate returned), one of the errors of this package, or what the connection returned: transport.ErrNotConnected, transport.ErrQueueFull,
// a *transport.TooLargeError, a *transport.DisconnectError.
type SendError struct {
	Message string // its type
	Peer    *Peer  // to whom; nil if it was not sent to anybody
	Err     error
}

func (e *SendError) Error() string {
	if _, named := errors.AsType[*layout.FieldError](e.Err); named {
		return "not sent: " + e.Err.Error()
	}
	if e.Peer == nil {
		return fmt.Sprintf("message %s not sent: %v", e.Message, e.Err)
	}
	return fmt.Sprintf("message %s to %v not sent: %v", e.Message, e.Peer, e.Err)
}

// Unwrap returns Err.
func (e *SendError) Unwrap() error { return e.Err }

// isEveryday reports whether err is one that a correct program gets.
func isEveryday(err error) bool {
	return errors.Is(err, transport.ErrQueueFull) || isOver(err)
}

// isOver reports whether err is that of a connection that has ended.
func isOver(err error) bool {
	_, over := errors.AsType[*transport.DisconnectError](err)
	return over
}

// UnreadError is returned by Parse for a message that goes on after its fields. The message is complete all the same.
type UnreadError struct {
	Message    string
	Size, Left int // bytes: of the whole message, and of it after the last field
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("message %s of %d bytes: %d bytes are left after its fields", e.Message, e.Size, e.Left)
}

func isUnread(err error) bool {
	if _, failed := err.(*failure); failed {
		return false // to look into it takes long
	}
	_, unread := errors.AsType[*UnreadError](err)
	return unread
}

// Unread is what generated code returns for a message of size bytes if left of them stand after its fields.
func Unread(d Descriptor, size, left int) error {
	return &UnreadError{Message: d.Entry.Name, Size: size, Left: left}
}

// dropOf is the end of a message whose decoding gave err.
func dropOf(err error) Drop {
	if err == nil {
		return Handled
	}
	if isUnread(err) {
		return DropUnread
	}
	return DropMalformed
}
