package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// goodSession is a connection on which everything went as promised.
func goodSession() *session {
	s := newSession(3)
	for number := range uint32(4) {
		for _, mode := range baseModes {
			message := append([]byte{}, s.up.of(mode).send(number, 30, 0)...)
			s.up.of(mode).arrive(message, 1)
			s.down.of(mode).noteSent(number, 30, 0)
			s.down.of(mode).arrive(message, 2)
		}
	}
	for _, l := range []*life{&s.client, &s.host} {
		l.note(transport.Event{Kind: transport.Connected})
		l.note(transport.Event{Kind: transport.Message})
	}
	s.client.note(transport.Event{Kind: transport.Disconnected, Err: &transport.DisconnectError{Cause: transport.ClosedLocally}})
	s.host.note(transport.Event{Kind: transport.Disconnected, Err: &transport.DisconnectError{Cause: transport.ClosedByPeer}})
	return s
}

func TestSessionWithoutFaultsPasses(t *testing.T) { require.NoError(t, goodSession().broken()) }

func TestEachBrokenPromiseOfASessionIsCaught(t *testing.T) {
	event := func(kind transport.EventKind, err error) transport.Event {
		return transport.Event{Kind: kind, Err: err}
	}
	for _, row := range []struct {
		says  string
		spoil func(*session)
	}{
		{"client 3, to the host: 1 of 5 ordered messages never arrived", func(s *session) { s.up.reliable.send(4, 30, 0) }},
		{"client 3, back: 1 of 5 ordered messages never arrived", func(s *session) { s.down.reliable.noteSent(4, 30, 0) }},
		{"to the host: 1 of 4 ordered messages were delivered twice", func(s *session) {
			s.up.reliable.arrive(appendMessage(nil, 6, 1, 30), 9)
		}},
		{"back: 1 of 4 ordered messages were delivered twice", func(s *session) {
			s.down.reliable.arrive(appendMessage(nil, 6, 1, 30), 9)
		}},
		{"to the host: 1 of 6 ordered messages came out of order", func(s *session) {
			s.up.reliable.noteSent(4, 30, 0)
			s.up.reliable.noteSent(5, 30, 0)
			s.up.reliable.arrive(appendMessage(nil, 6, 5, 30), 9)
			s.up.reliable.arrive(appendMessage(nil, 6, 4, 30), 9)
		}},
		{"back: 1 of 4 ordered messages were never sent like that", func(s *session) {
			s.down.reliable.arrive(appendMessage(nil, 8, 1, 30), 9)
		}},
		{"to the host: 1 of 4 unreliable messages were never sent like that", func(s *session) {
			s.up.unreliable.arrive(appendMessage(nil, 7, 9, 30), 9)
		}},
		{"back: 1 of 4 unreliable messages were never sent like that", func(s *session) {
			s.down.unreliable.arrive([]byte{1, 2}, 9)
		}},
		{"events at the client: 2 connected events", func(s *session) { s.client.note(event(transport.Connected, nil)) }},
		{"events at the host: 0 connected events", func(s *session) { s.host = life{} }},
		{"events at the client: 0 disconnected events", func(s *session) { s.client.disconnected = 0 }},
		{"events at the host: 2 disconnected events", func(s *session) { s.host.note(event(transport.Disconnected, nil)) }},
		{"1 events after the disconnected event", func(s *session) { s.host.note(event(transport.Message, nil)) }},
		{"1 events before the connected event", func(s *session) {
			s.host = life{}
			s.host.note(event(transport.Message, nil))
			s.host.note(event(transport.Connected, nil))
			s.host.note(event(transport.Disconnected, nil))
		}},
		{"timed out", func(s *session) { s.client.end = &transport.DisconnectError{Cause: transport.TimedOut} }},
		{"gives no cause", func(s *session) { s.client.end = errors.New("strange") }},
		{"2 messages were given up", func(s *session) {
			s.client.end = &transport.DisconnectError{Cause: transport.ClosedLocally, Undelivered: 2}
		}},
	} {
		s := goodSession()
		row.spoil(s)
		require.ErrorContains(t, s.broken(), row.says)
	}
}

func TestLossOfUnreliableMessagesBreaksNoPromise(t *testing.T) {
	s := goodSession()
	s.up.unreliable.send(4, 30, 0)
	s.down.unreliable.arrive(appendMessage(nil, 7, 2, 30), 9)
	require.NoError(t, s.broken())
}

func TestAcksThatAreMissingWhenThePeerLeavesBreakNoPromise(t *testing.T) {
	s := goodSession()
	s.host.end = &transport.DisconnectError{Cause: transport.ClosedByPeer, Undelivered: 2}
	require.NoError(t, s.broken())
}

func TestEachLeftoverIsCaught(t *testing.T) {
	good := func() *leftovers {
		return &leftovers{goroutinesBefore: 3, goroutinesAfter: 3,
			up: sim.Counts{Sent: 10, Duplicated: 1, Delivered: 11}, down: sim.Counts{Sent: 4, Delivered: 4}}
	}
	require.NoError(t, good().broken())
	for _, row := range []struct {
		says  string
		spoil func(*leftovers)
	}{
		{"2 goroutines are left over", func(l *leftovers) { l.goroutinesAfter = 5 }},
		{"the host still has 1 peers", func(l *leftovers) { l.peers = 1 }},
		{"the way back do not balance: 4 datagrams in, 6 out", func(l *leftovers) { l.down.InFlight = 2 }},
		{"the way to the host do not balance: 11 datagrams in, 10 out", func(l *leftovers) { l.up.Delivered = 10 }},
		{"the way back do not balance: 4 datagrams in, 5 out", func(l *leftovers) { l.down.Drops[sim.DropLoss] = 1 }},
	} {
		l := good()
		row.spoil(l)
		require.ErrorContains(t, l.broken(), row.says)
	}
}
