package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// session is what is known of one connection: the events of both sides, and what was sent and arrived in both directions and both
// modes. It may be used by many goroutines.
type session struct {
	name string

	mu           sync.Mutex
	client, host life
	up, down     streams // to the host, and back
}

// streams are the two kinds of messages in one direction.
type streams struct {
	reliable, unreliable *ledger
}

// newSession makes the books of a connection. Messages of different streams have different bytes, so that none passes for another.
func newSession(id uint32) *session {
	reliable, unreliable := 2*id, 2*id+1
	open := func() streams {
		return streams{newLedger(reliable, transport.ReliableOrdered, 0), newLedger(unreliable, transport.Unreliable, 0)}
	}
	return &session{name: fmt.Sprint("client ", id), up: open(), down: open()}
}

func (s *streams) of(mode transport.Delivery) *ledger {
	if mode.Reliable() {
		return s.reliable
	}
	return s.unreliable
}

// broken says which promises of the connection do not hold, now that it is over.
func (s *session) broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problems []error
	check := func(what string, err error) {
		if err != nil {
			problems = append(problems, fmt.Errorf("%s, %s: %w", s.name, what, err))
		}
	}
	check("to the host", s.up.reliable.broken())
	check("to the host", s.up.unreliable.broken())
	check("back", s.down.reliable.broken())
	check("back", s.down.unreliable.broken())
	check("events at the client", s.client.broken())
	check("events at the host", s.host.broken())
	return errors.Join(problems...)
}

// life counts the events of one side of a connection: one Connected first, one Disconnected last.
type life struct {
	connected, disconnected int
	early, late             int // other events before the first and after the last
	end                     error
}

func (l *life) note(ev transport.Event) {
	switch {
	case ev.Kind == transport.Connected:
		l.connected++
	case l.connected == 0:
		l.early++
	case l.disconnected > 0:
		l.late++
	}
	if ev.Kind == transport.Disconnected {
		l.disconnected++
		l.end = ev.Err
	}
}

func (l *life) broken() error {
	switch {
	case l.connected != 1:
		return fmt.Errorf("%d connected events instead of one", l.connected)
	case l.disconnected != 1:
		return fmt.Errorf("%d disconnected events instead of one", l.disconnected)
	case l.early > 0:
		return fmt.Errorf("%d events before the connected event", l.early)
	case l.late > 0:
		return fmt.Errorf("%d events after the disconnected event", l.late)
	}
	var end *transport.DisconnectError
	switch {
	case !errors.As(l.end, &end):
		return fmt.Errorf("it ended with %v, which gives no cause", l.end)
	case end.Cause != transport.ClosedLocally && end.Cause != transport.ClosedByPeer:
		return fmt.Errorf("it did not end by a close: %w", end)
	case end.Cause == transport.ClosedLocally && end.Undelivered > 0: // the peer may leave when it has them, before its acks arrive
		return fmt.Errorf("%d messages were given up at the end", end.Undelivered)
	}
	return nil
}

// leftovers is what must be gone once everything is closed.
type leftovers struct {
	goroutinesBefore, goroutinesAfter int
	peers                             int // that the host still has
	up, down                          sim.Counts
}

func (l *leftovers) broken() error {
	var problems []error
	if extra := l.goroutinesAfter - l.goroutinesBefore; extra > 0 {
		problems = append(problems, fmt.Errorf("%d goroutines are left over", extra))
	}
	if l.peers > 0 {
		problems = append(problems, fmt.Errorf("the host still has %d peers", l.peers))
	}
	return errors.Join(append(problems, balance("to the host", &l.up), balance("back", &l.down))...)
}

// balance checks that every datagram that came to the relay is accounted for. Goodbyes may have been on their way when it was closed.
func balance(way string, c *sim.Counts) error {
	if in, out := c.Sent+c.Duplicated, c.Delivered+c.Lost()+c.InFlight; in != out {
		return fmt.Errorf("the books of the way %s do not balance: %d datagrams in, %d out", way, in, out)
	}
	return nil
}
