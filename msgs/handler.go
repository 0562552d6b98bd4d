package msgs

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/transport"
)

// In is a message that came in. It, and all that it points to, is lent to the handler until that returns.
type In struct {
	Router *Router
	Peer   *Peer  // who sent it
	Entry  *Entry // what it is
	Raw    []byte // the whole message, id included

	At       int64 // when it came, in nanoseconds of the connection's clock
	Delivery transport.Delivery
	Channel  uint8

	route *route
}

// Relay sends the identical bytes on, in the mode and on the channel in which they came. Messages that clients send for others have
// to be from=both. What a handler of OnRaw relays is unchecked: who gets it will check it.
func (in *In) Relay(to Target) error {
	return to.SendEncoded(in.route.descriptor(), append(to.Buffer(), in.Raw...), nil)
}

// Spare is on which of the spare channels of Mount.Spare the message came: 0 is its own channel.
func (in *In) Spare() uint8 { return in.Channel - in.route.channel }

// Handler handles the messages of one type. On, OnFrame and OnRaw make them. It is a plain value that any number of routers may use.
type Handler struct {
	descriptor Descriptor
	frame      bool        // it runs in RunFrame
	bind       func() call // makes what one router calls
	err        error       // what is wrong with it
}

// call decodes a message and handles it. The error is that of decoding; then it was not handled.
type call func(*In) error

// On makes a handler that is called as soon as the message comes in. It finds out the type of message from f:
//
//	msgs.On(func(in *msgs.In, m *chat.Say) { … })
//
// The struct that m points to is reused, with all that it points to: copy what is to stay, and put no slice of yours into it. Fields that are not sent keep what the last call left in them.
func On[T any, P interface {
	*T
	Message
}](f func(in *In, m P)) Handler {
	h := Handler{descriptor: P(nil).Descriptor(), bind: func() call { return (&decoder[T, P]{handle: f}).call }}
	if f == nil {
		h.err = fmt.Errorf("the handler of %s is nil: leave it out, or give a function that does nothing", h.descriptor.Entry.Name)
	}
	return h
}

// OnFrame makes a handler that is called by Router.RunFrame: what comes in is copied and waits for it.
func OnFrame[T any, P interface {
	*T
	Message
}](f func(in *In, m P)) Handler {
	h := On(f)
	h.frame = true
	return h
}

// OnRaw makes a handler for messages of type d that gets their bytes and does not decode them. Of what is in them nothing was checked but the
// size. It serves who relays messages, or reads them in another way.
func OnRaw(d Descriptor, f func(in *In)) Handler {
	h := Handler{descriptor: d, bind: func() call { return func(in *In) error { f(in); return nil } }}
	switch {
	case d.Catalogue == nil || d.Entry == nil:
		h.err = errors.New("OnRaw got no descriptor: give it that of a message, such as (*chat.Say)(nil).Descriptor()")
	case f == nil:
		h.err = fmt.Errorf("the handler of %s is nil: leave it out, or give a function that does nothing", d.Entry.Name)
	}
	return h
}

// decoder decodes messages into a struct that it keeps. While that is lent to a handler, a message that the handler causes to be handled gets one of its own.
type decoder[T any, P interface {
	*T
	Message
}] struct {
	handle func(*In, P)
	kept   T
	lent   bool
}

func (d *decoder[T, P]) call(in *In) error {
	m := &d.kept
	if d.lent {
		m = new(T)
	} else {
		d.lent = true
		defer func() { d.lent = false }()
	}
	if err := P(m).Parse(in.Raw); err != nil && !in.tolerates(err) {
		return err
	}
	d.handle(in, P(m))
	return nil
}

// tolerates reports whether a message is handled although decoding it gave err.
func (in *In) tolerates(err error) bool {
	if !in.Router.config.KeepUnread || !isUnread(err) {
		return false
	}
	in.Router.keptUnread(in, err)
	return true
}
