package msgs

import (
	"errors"
	"time"

	"github.com/gannet-net/gannet/transport"
)

// Manner is how a message is sent whose catalogue leaves that to its sender: one that Mount.AnyMode names.
type Manner struct {
	Delivery transport.Delivery
	Channel  uint8 // is added to that of the message; at most Mount.Spare
	TTL      time.Duration
	Urgent   bool
}

// SendAs is to.SendEncoded in a manner of its own, for a message that Mount.AnyMode names at both sides. The target is a Peer, or one of a Router. It
// allocates nothing, and b stays the caller's.
func SendAs(to Target, how Manner, d Descriptor, b []byte, err error) error {
	s, ok := to.(sender)
	if !ok {
		return &SendError{Message: d.Entry.Name, Err: errors.New("SendAs needs a Peer, or a target of a Router")}
	}
	return s.send(d, b, err, manner{Manner: how, chosen: true, whole: true})
}

// manner is what a target asks for beside the message itself.
type manner struct {
	Manner
	receipt uint64
	chosen  bool // Delivery counts, instead of that of the catalogue
	whole   bool // so does all of Manner, and the bytes are the caller's
}

// As is a target that sends in the given mode, instead of that of the catalogue, a message that Mount.AnyMode names at both sides: calls that are reliable or not
// from case to case, or what a setting decides. The target is a Peer, or one of a Router. It can be kept and used again; to make it allocates.
func As(mode transport.Delivery, to Target) Target {
	return chosenMode{to, mode}
}

// sender is a target of this package.
type sender interface {
	send(d Descriptor, b []byte, err error, how manner) error
}

type chosenMode struct {
	Target
	mode transport.Delivery
}

func (t chosenMode) SendEncoded(d Descriptor, b []byte, err error) error {
	return t.send(d, b, err, manner{})
}

func (t chosenMode) send(d Descriptor, b []byte, err error, how manner) error {
	to, ok := t.Target.(sender)
	if !ok {
		return &SendError{Message: d.Entry.Name, Err: errors.New("As needs a Peer, or a target of a Router")}
	}
	how.Delivery, how.chosen = t.mode, true
	return to.send(d, b, err, how)
}
