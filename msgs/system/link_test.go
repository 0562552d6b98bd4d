package system_test

import (
	"context"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/transport"
)

// end is one end of a connection in virtual time.
type end struct {
	w     *world
	id    uint32
	other *end

	local, proves bool // what the transport says of what it hands out
	limit         int  // largest message
	room          int  // what Sendable says
	address       netip.AddrPort

	delay time.Duration                                      // of what is sent from here
	lose  func(payload []byte, o transport.SendOptions) bool // what is sent from here and does not arrive
	fails error                                              // of Send
	held  bool                                               // what was sent from here waits

	inbox []letter
	sent  []sent
	ended *transport.DisconnectError
}

// options are those of a message that is sent.
type options = transport.SendOptions

type letter struct {
	due int64
	ev  transport.Event
}

// sent is a message that was given to a connection.
type sent struct {
	payload []byte // as it was then
	lent    *byte  // where the sender had it
	o       transport.SendOptions
}

var _ transport.Kicker = (*end)(nil)

func (e *end) ID() uint32                        { return e.id }
func (e *end) LocalAddr() netip.AddrPort         { return netip.AddrPort{} }
func (e *end) RemoteAddr() netip.AddrPort        { return e.address }
func (e *end) Local() bool                       { return e.local }
func (e *end) Authenticated() bool               { return e.proves }
func (e *end) MaxPayload(transport.Delivery) int { return e.limit }
func (e *end) Supports(d transport.Delivery, c uint8) bool {
	return c == 0 && (d == transport.Unreliable || d == transport.ReliableOrdered)
}
func (e *end) Sendable() int { return e.room }
func (e *end) Poll()         {}
func (e *end) Flush()        {}

func (e *end) Receive(context.Context, []byte) (transport.Event, error) {
	return transport.Event{}, transport.ErrGameLoop
}

func (e *end) Send(payload []byte, o transport.SendOptions) error {
	switch {
	case e.ended != nil:
		return e.ended
	case e.fails != nil:
		return e.fails
	case len(payload) > e.limit:
		return &transport.TooLargeError{Size: len(payload), Limit: e.limit}
	}
	b := append([]byte(nil), payload...)
	e.sent = append(e.sent, sent{b, &payload[0], o})
	if e.lose == nil || !e.lose(b, o) {
		e.give(transport.Event{Kind: transport.Message, Payload: b, Delivery: o.Delivery, Channel: o.Channel})
	}
	return nil
}

// give puts an event on its way to the other end. What is reliable keeps its order, the rest may overtake it.
func (e *end) give(ev transport.Event) {
	ev.Conn = e.other
	l := letter{e.w.now + int64(e.delay), ev}
	at := len(e.other.inbox)
	for at > 0 && ev.Delivery == transport.Unreliable && ev.Kind == transport.Message && e.other.inbox[at-1].due > l.due {
		at--
	}
	e.other.inbox = append(e.other.inbox[:at], append([]letter{l}, e.other.inbox[at:]...)...)
}

func (e *end) Next() (transport.Event, bool) {
	if len(e.inbox) == 0 || e.inbox[0].due > e.w.now || e.other.held {
		return transport.Event{}, false
	}
	ev := e.inbox[0].ev
	ev.At = e.w.now
	e.inbox = e.inbox[1:]
	return ev, true
}

func (e *end) Close() error                  { e.finish(transport.ClosedLocally, 0, ""); return nil }
func (e *end) Abort()                        { e.finish(transport.ClosedLocally, 0, "") }
func (e *end) Kick(code uint16, text string) { e.finish(transport.Kicked, code, text) }

func (e *end) finish(cause transport.Cause, code uint16, text string) {
	if e.ended != nil {
		return
	}
	e.ended = &transport.DisconnectError{Cause: cause, Code: code, Text: text}
	e.inbox = []letter{{e.w.now, transport.Event{Kind: transport.Disconnected, Conn: e, Err: e.ended}}}
	e.give(transport.Event{Kind: transport.Disconnected, Err: &transport.DisconnectError{Cause: transport.ClosedByPeer}})
}

func (e *end) Err() error {
	if e.ended == nil {
		return nil
	}
	return e.ended
}

// payloads are the messages that were sent from here, and forgotten with that.
func (e *end) payloads() (list [][]byte) {
	for _, s := range e.sent {
		list = append(list, s.payload)
	}
	e.sent = nil
	return list
}

// hub is the host: all its ends.
type hub struct{ ends []*end }

func (h *hub) Poll() {}

func (h *hub) Next() (transport.Event, bool) {
	for _, e := range h.ends {
		if ev, ok := e.Next(); ok {
			return ev, true
		}
	}
	return transport.Event{}, false
}
