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
	now := Now()
	for until := now + min(int64(d), deadline.Never-now); e.awaitOnce(now, until); now = Now() {
	}
}

// awaitOnce reports whether the socket's deadline was earlier than the end of what there is to wait, and was reached.
func (e *engine) awaitOnce(now, until int64) (early bool) {
	sock, until := e.beginWait(now, until)
	switch {
	case until <= now:
		return false
	case sock == nil:
		time.Sleep(min(time.Duration(until-now), shortSleep))
		return false
	}
	e.in.read(true)
	if isTimeout(e.in.err) {
		e.in.discard()
		early = e.wakes.Load() != interrupted && Now() < until
	}
	if _, system := sock.(*udpSocket); !system || !tryWhileReading { // TryRead might mind it
		e.wakes.Store(interrupted)
		_ = sock.SetReadDeadline(time.Time{})
	}
	e.enter()
	e.waited = e.now
	e.mu.Unlock()
	return early
}

// freshWait is how long a Poll after Wait may take what Wait has read for all that there is.
const freshWait = int64(time.Millisecond)

// distrustWait lets Poll read the socket itself if the application has done something else since Wait.
func (e *engine) distrustWait() {
	if e.now-e.waited > freshWait {
		e.in.emptied = false
	}
}

// beginWait finds what to wait for, if that is possible, and until when. It sets the socket's deadline with the lock held, so that who begins the
// end afterwards can set another.
func (e *engine) beginWait(now, until int64) (deadlineSocket, int64) {
	if e.background() {
		return nil, now
	}
	e.enter()
	defer e.leave()
	if e.down || e.in.holds() {
		return nil, now
	}
	if due := e.due(); due != deadline.Never {
		until = min(until, now+due-e.now)
	}
	e.handover.mu.Lock() // who hands something over interrupts
	defer e.handover.mu.Unlock()
	if len(e.handover.waiting) > 0 {
		return nil, now
	}
	sock := e.deadlineSocket()
	if until <= now || sock == nil || len(e.locals.conns) > 0 || !e.wakeBy(sock, now, until) {
		return nil, until
	}
	return sock, until
}

// wakeBy makes the socket wake who reads it by until. A deadline that was left and comes earlier is as good, and to set one takes longer than much
// of a turn of the loop.
func (e *engine) wakeBy(sock deadlineSocket, now, until int64) bool {
	if wakes := e.wakes.Load(); wakes > now && wakes <= until {
		return true
	}
	if sock.SetReadDeadline(processStart.Add(time.Duration(until))) != nil {
		return false
	}
	e.wakes.Store(until)
	return true
}

// deadlineSocket is nil if nobody can wait for the socket.
func (e *engine) deadlineSocket() deadlineSocket {
	if e.reader == ReadGoroutine {
		return nil
	}
	sock, _ := e.sock.(deadlineSocket)
	return sock
}

// interrupted is engine.wakes where no deadline of Wait stands.
const interrupted = 0

// interrupt ends a Wait.
func (e *engine) interrupt() {
	if sock := e.deadlineSocket(); sock != nil {
		e.wakes.Store(interrupted)
		_ = sock.SetReadDeadline(time.Unix(1, 0))
	}
}
