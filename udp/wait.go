package udp

import (
	"time"

	"github.com/gannet-net/gannet/internal/deadline"
)

// deadlineSocket is a socket that a game loop can wait for.
type deadlineSocket interface {
	BlockingSocket
	SetReadDeadline(time.Time) error
}

// shortSleep is how long Wait sleeps where it cannot wait for the socket.
const shortSleep = time.Millisecond

// Wait blocks a game loop until there is something to do: a datagram has come in, NextDeadline is reached, d is over, or another goroutine has called
// Close or Abort. What came in is there for the next Poll. It does not allocate but for times that are over, and what waits is the caller's goroutine alone. It returns at once if d is not above
// 0, if events wait for Next, if something waits for Flush, and in the background style.
//
// Times other than that of a datagram are kept as the system's timers keep them, which is a millisecond late on some. Where nobody can wait for the
// socket, which goes for ReadGoroutine and for a Config.Socket that is not a BlockingSocket with a SetReadDeadline, Wait returns after 1 ms at the
// latest, and likewise while connections are attached, which it does not see.
func (h *Host) Wait(d time.Duration) { h.e.await(d) }

// Wait is Host.Wait for a dialled connection. For a connection of a host it waits for the whole host.
func (c *Conn) Wait(d time.Duration) { c.e.await(d) }

func (e *engine) await(d time.Duration) {
	sock, d := e.beginWait(d)
	switch {
	case d <= 0:
	case sock == nil:
		time.Sleep(min(d, shortSleep))
	default:
		e.in.read(true)
		if _, system := sock.(*udpSocket); !system || !tryWhileReading { // TryRead might mind it
			_ = sock.SetReadDeadline(time.Time{})
		}
		if isTimeout(e.in.err) {
			e.in.discard()
		}
		e.enter()
		e.waited = e.now
		e.mu.Unlock()
	}
}

// freshWait is how long a Poll after Wait may take what Wait has read for all that there is.
const freshWait = int64(time.Millisecond)

// distrustWait lets Poll read the socket itself if the application has done something else since Wait.
func (e *engine) distrustWait() {
	if e.now-e.waited > freshWait {
		e.in.emptied = false
	}
}

// beginWait finds what to wait for, if that is possible, and how long. It sets the socket's deadline with the lock held, so that who begins the
// end afterwards can set another.
func (e *engine) beginWait(d time.Duration) (deadlineSocket, time.Duration) {
	if e.background() {
		return nil, 0
	}
	e.enter()
	defer e.leave()
	if e.down || e.in.holds() {
		return nil, 0
	}
	if due := e.due(); due != deadline.Never {
		d = min(d, time.Duration(due-e.now))
	}
	e.handover.mu.Lock() // who hands something over interrupts
	defer e.handover.mu.Unlock()
	if len(e.handover.waiting) > 0 {
		return nil, 0
	}
	sock := e.deadlineSocket()
	if d <= 0 || sock == nil || len(e.locals.conns) > 0 || sock.SetReadDeadline(time.Now().Add(d)) != nil {
		return nil, d
	}
	return sock, d
}

// deadlineSocket is nil if nobody can wait for the socket.
func (e *engine) deadlineSocket() deadlineSocket {
	if e.reader == ReadGoroutine {
		return nil
	}
	sock, _ := e.sock.(deadlineSocket)
	return sock
}

// interrupt ends a Wait.
func (e *engine) interrupt() {
	if sock := e.deadlineSocket(); sock != nil {
		_ = sock.SetReadDeadline(time.Unix(1, 0))
	}
}
