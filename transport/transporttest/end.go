package transporttest

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

// end is one end of a pair, with the verbs in which the tests are written.
type end struct {
	transport.Conn
	*trial
	name    string
	react   func(transport.Event)
	advance func()
	record  *recorder // what the handler saw
}

func newEnd(t *trial, name string, react func(transport.Event)) *end {
	if react == nil {
		react = func(transport.Event) {}
	}
	return &end{trial: t, name: name, react: react, record: newRecorder()}
}

// handle is the handler of an end in the handler style. It may run before the end knows its Conn.
func (e *end) handle(ev transport.Event) {
	e.react(ev)
	e.record.add(kept(ev))
}

// next waits for the next event and returns it with a payload that stays.
func (e *end) next() transport.Event {
	e.Helper()
	ev, ok := e.await()
	require.True(e, ok, "the %s waited in vain for an event", e.name)
	require.True(e, ev.Conn == e.Conn, "the event at the %s carries another connection: %v", e.name, ev)
	return ev
}

func (e *end) await() (transport.Event, bool) {
	switch e.style {
	case gameLoop:
		return e.awaitLooped()
	case handler:
		return e.record.next(patience)
	}
	return e.awaitReceived()
}

func (e *end) awaitLooped() (transport.Event, bool) {
	for start := time.Now(); time.Since(start) < patience; e.advance() {
		if ev, ok := e.Next(); ok {
			e.react(ev)
			return kept(ev), true
		}
	}
	return transport.Event{}, false
}

// awaitReceived makes a Disconnected event of the error that stands for it.
func (e *end) awaitReceived() (transport.Event, bool) {
	ctx, cancel := context.WithTimeout(e.Context(), patience)
	defer cancel()
	ev, err := e.Receive(ctx, nil)
	if err != nil && ctx.Err() == nil {
		ev = transport.Event{Kind: transport.Disconnected, Conn: e.Conn, Err: err}
	}
	e.react(ev)
	return ev, ctx.Err() == nil
}

func kept(ev transport.Event) transport.Event {
	if ev.Payload != nil {
		ev.Payload = ev.Retain()
	}
	return ev
}

// wantConnected reads the Connected event, in styles that show it.
func (e *end) wantConnected() {
	e.Helper()
	if e.style == receive {
		return
	}
	ev := e.next()
	require.Equal(e, transport.Connected, ev.Kind, "first event at the %s", e.name)
	require.NoError(e, ev.Err)
}

// wantMessage reads the next event and demands that it is this message.
func (e *end) wantMessage(payload []byte, o transport.SendOptions) transport.Event {
	e.Helper()
	ev := e.next()
	require.Equal(e, transport.Message, ev.Kind, "kind of event at the %s, error %v", e.name, ev.Err)
	wantPayload(e, payload, ev.Payload)
	require.Equal(e, o.Delivery, ev.Delivery)
	require.Equal(e, o.Channel, ev.Channel)
	return ev
}

// wantOutcome reads the next event and demands that it is an outcome.
func (e *end) wantOutcome() transport.Event {
	e.Helper()
	ev := e.next()
	require.Equal(e, transport.Outcome, ev.Kind, "kind of event at the %s, error %v", e.name, ev.Err)
	return ev
}

// wantEnd reads the next event and demands that it is the end, for one of these causes.
func (e *end) wantEnd(causes ...transport.Cause) *transport.DisconnectError {
	e.Helper()
	ev := e.next()
	require.Equal(e, transport.Disconnected, ev.Kind, "kind of event at the %s", e.name)
	return e.wantDisconnectError(ev.Err, causes...)
}

func (e *end) wantDisconnectError(err error, causes ...transport.Cause) *transport.DisconnectError {
	e.Helper()
	var why *transport.DisconnectError
	require.True(e, errors.As(err, &why), "the %s should have a *DisconnectError, not %v", e.name, err)
	require.ErrorIs(e, err, net.ErrClosed)
	require.Contains(e, causes, why.Cause, "cause at the %s", e.name)
	return why
}

// toEnd reads all events until the last, Disconnected, and returns those before it and its error.
func (e *end) toEnd() ([]transport.Event, *transport.DisconnectError) {
	e.Helper()
	var all []transport.Event
	for {
		ev := e.next()
		if ev.Kind == transport.Disconnected {
			return all, e.wantDisconnectError(ev.Err, either...)
		}
		all = append(all, ev)
	}
}

// untilEnd is toEnd without the error.
func (e *end) untilEnd() []transport.Event {
	e.Helper()
	all, _ := e.toEnd()
	return all
}

// unexpected returns what came after the last event, if anything did.
func (e *end) unexpected() (ev transport.Event, ok bool) {
	switch e.style {
	case gameLoop:
		return e.Next()
	case handler:
		return e.record.take()
	}
	ev, err := e.Receive(context.Background(), nil)
	return ev, err == nil
}

// send sends, and waits while the queue is full.
func (e *end) send(payload []byte, o transport.SendOptions) {
	e.Helper()
	require.NoError(e, e.trySend(payload, o))
}

// trySend is send for goroutines that may not end the test.
func (e *end) trySend(payload []byte, o transport.SendOptions) error {
	for start := time.Now(); ; e.pause() {
		err := e.Send(payload, o)
		if !errors.Is(err, transport.ErrQueueFull) || time.Since(start) > patience {
			return err
		}
	}
}

// pause lets the other end go on.
func (e *end) pause() {
	if e.style == gameLoop {
		e.advance()
		return
	}
	<-time.After(100 * time.Microsecond)
}
