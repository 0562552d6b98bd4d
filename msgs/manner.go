package msgs

import (
	"errors"

	"github.com/gannet-net/gannet/transport"
)

// manner is what a target asks for beside the message itself.
type manner struct {
	receipt uint64
	mode    transport.Delivery // if chosen, instead of that of the catalogue
	chosen  bool
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
	how.mode, how.chosen = t.mode, true
	return to.send(d, b, err, how)
}
