package udp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/transport"
)

// locals are the connections that a host has beside those of its socket. They have locks of their own and are called without the
// engine's.
type locals struct {
	conns []transport.Conn // replaced, never changed, so that a copy of the slice is a snapshot

	// For a handler: one goroutine for each local connection passes its events to the dispatcher, one at a time.
	forwarding int
	events     chan transport.Event
	handled    chan struct{}
}

func newLocals() locals {
	return locals{events: make(chan transport.Event), handled: make(chan struct{})}
}

// Attach adds a connection of this process, such as one end of a loopback pipe, to the peers of the host: Conns lists it, Broadcast reaches
// it, Close closes it, and its events come out of Next, the handler or Accept. It must be driven in the style of the host, have no
// handler of its own, and have an id above 250 that no other peer has. Else Attach returns an error that says what to do. A host that is
// closing returns ErrHostClosed.
func (h *Host) Attach(conn transport.Conn) error {
	e := h.e
	if err := e.cannotAttach(conn); err != nil {
		return err
	}
	e.enter()
	defer e.leave()
	switch {
	case e.closing:
		return ErrHostClosed
	case !e.door.ids.reserve(conn.ID(), e.order.all()):
		return fmt.Errorf("udp: Attach: a client has id %d: set loopback.Config.ID to one that is free, or to %d or more", conn.ID(), handshake.MaxPeerID+1)
	}
	l := &e.locals
	l.conns = append(slices.Clip(l.conns), conn)
	switch {
	case !e.background():
	case e.cfg.Handler == nil:
		e.accepts.add(conn)
	default:
		l.forwarding++
		go e.forward(conn)
	}
	return nil
}

// cannotAttach finds what is wrong with a connection that is to be attached.
func (e *engine) cannotAttach(conn transport.Conn) error {
	switch {
	case conn == nil:
		return errors.New("udp: Attach: the connection is nil")
	case !conn.Local():
		return errors.New("udp: Attach: this connection goes over a network: attach one end of a loopback pipe")
	case conn.ID() <= framing.MaxPeerID:
		return fmt.Errorf("udp: Attach: id %d belongs to clients over UDP: set loopback.Config.ID to %d or more", conn.ID(), framing.MaxPeerID+1)
	}
	for _, other := range e.openLocals() {
		switch {
		case other == conn:
			return errors.New("udp: Attach: this connection is attached already")
		case other.ID() == conn.ID():
			return fmt.Errorf("udp: Attach: another attached connection has id %d: set loopback.Config.ID to one that is free", conn.ID())
		}
	}
	return e.wrongStyle(conn)
}

// wrongStyle asks by a Receive that comes back at once, because its context has ended.
func (e *engine) wrongStyle(conn transport.Conn) error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := conn.Receive(ended, nil)
	switch gameLoop := err == transport.ErrGameLoop; {
	case err == transport.ErrHandler:
		return errors.New("udp: Attach: this end has a handler: make it without one, the host takes its events")
	case gameLoop && e.background():
		return errors.New("udp: Attach: this end is driven by a game loop and the host in the background: " +
			"set the Driving of this end (loopback.Config.Driving, or Host) to Background")
	case !gameLoop && !e.background():
		return errors.New("udp: Attach: this end is driven in the background and the host by a game loop: " +
			"set the Driving of this end (loopback.Config.Driving, or Host) to GameLoop")
	}
	return nil
}

// forward is the goroutine that passes the events of a local connection to the dispatcher, until its end.
func (e *engine) forward(conn transport.Conn) {
	e.pass(transport.Event{Kind: transport.Connected, Conn: conn, At: e.cfg.Clock()})
	var buf []byte
	for {
		ev, err := conn.Receive(context.Background(), buf)
		if err != nil {
			e.pass(transport.Event{Kind: transport.Disconnected, Conn: conn, At: e.cfg.Clock(), Err: err})
			break
		}
		e.pass(ev)
		buf = ev.Payload[:0]
	}
	e.detach(conn)
	e.enter()
	e.locals.forwarding--
	e.rouse()
	e.leave()
}

// pass returns when the handler does.
func (e *engine) pass(ev transport.Event) {
	e.locals.events <- ev
	<-e.locals.handled
}

// serveOr waits for one event of a local connection, or for a token of work.
func (l *locals) serveOr(work chan struct{}, handler func(transport.Event)) {
	select {
	case <-work:
	case ev := <-l.events:
		l.serve(ev, handler)
	}
}

// tryServe handles one event of a local connection, if one waits.
func (l *locals) tryServe(handler func(transport.Event)) {
	select {
	case ev := <-l.events:
		l.serve(ev, handler)
	default:
	}
}

func (l *locals) serve(ev transport.Event, handler func(transport.Event)) {
	handler(ev)
	l.handled <- struct{}{}
}

// localConns is a snapshot of the local connections.
func (e *engine) localConns() []transport.Conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.locals.conns
}

// nextOfLocals is Next for the local connections of a game loop.
func (e *engine) nextOfLocals(conns []transport.Conn, out *transport.Event) bool {
	for _, conn := range conns {
		ev, ok := conn.Next()
		if !ok {
			continue
		}
		if ev.Kind == transport.Disconnected {
			e.detach(conn)
		}
		*out = ev
		return true
	}
	return false
}

// detach forgets a local connection that has ended.
func (e *engine) detach(conn transport.Conn) {
	id := conn.ID()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.door.ids.reserved, id)
	e.locals.conns = slices.DeleteFunc(slices.Clone(e.locals.conns), func(c transport.Conn) bool { return c == conn })
}

// openLocals is a snapshot of the local connections that have not ended. Those that nobody else detaches, because Accept gave them away,
// are detached here.
func (e *engine) openLocals() []transport.Conn {
	var open []transport.Conn
	for _, conn := range e.localConns() {
		switch {
		case conn.Err() == nil:
			open = append(open, conn)
		case !e.inTurn():
			e.detach(conn)
		}
	}
	return open
}
