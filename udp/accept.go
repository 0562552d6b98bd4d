package udp

import (
	"context"

	"github.com/gannet-net/gannet/transport"
)

// accepts are the connections that wait for Accept.
type accepts struct {
	queue fifo[transport.Conn]
	wake  chan struct{} // one token
	most  int           // that wait before those that ended are looked for
}

func newAccepts() accepts { return accepts{wake: make(chan struct{}, 1), most: fewestWaiting} }

// fewestWaiting is how many wait before those that have ended are looked for.
const fewestWaiting = 500

// add queues a connection. If nobody calls Accept, those that have ended go when there are too many.
func (a *accepts) add(conn transport.Conn) {
	if a.queue.len() >= a.most {
		a.forgetEnded()
		a.most = max(fewestWaiting, 2*a.queue.len())
	}
	a.queue.push(conn)
	signal(a.wake)
}

func (a *accepts) forgetEnded() {
	for range a.queue.len() {
		conn, _ := a.queue.pop()
		if c, ours := conn.(*Conn); !ours || !c.ended {
			a.queue.push(conn)
		}
	}
}

// Accept waits for the next client that was admitted, in the background style without a handler. What it sent before Accept returned is
// waiting in the connection. It returns the context's error if ctx ends first, ErrHostClosed once the host is closing, and a
// *transport.DisconnectError with the cause SocketFailed if its socket broke.
func (h *Host) Accept(ctx context.Context) (transport.Conn, error) {
	e := h.e
	if err := e.cannotBlock(); err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			signal(e.accepts.wake) // the token may have been for somebody else
			return nil, err
		}
		if conn, err := e.tryAccept(); conn != nil || err != nil {
			return conn, err
		}
		select {
		case <-e.accepts.wake:
		case <-e.stopped:
		case <-ctx.Done():
		}
	}
}

func (e *engine) tryAccept() (transport.Conn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.failure != nil:
		return nil, &transport.DisconnectError{Cause: transport.SocketFailed, Err: e.failure}
	case e.closing:
		return nil, ErrHostClosed
	}
	conn, _ := e.accepts.queue.pop()
	if e.accepts.queue.len() > 0 {
		signal(e.accepts.wake)
	}
	return conn, nil
}
