package udp

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/transport"
)

// What one Poll reads at most: passes of 256 datagrams (PROTOCOL.md 6). A loop that was frozen finds everything that waits in the
// buffer of the system, which holds less than this.
//
// The socket is one queue, so what one peer sent can be put off only by storing it, and storing a datagram costs as much as
// handling it. What costs more is done in turn between peers: each sends its answers when the pass is over, and hands over one event at
// a time.
const (
	passDatagrams = 256
	pollPasses    = 64
	passErrors    = 8
)

// Read errors other than net.ErrClosed are waited out: after sleep, or while an interface is down, reads work again. Those that go
// on for patienceWithErrors mean that the socket is broken for good, unless they are about datagrams that found nobody: those end when
// the sessions with those peers do.
const (
	firstBackOff       = time.Millisecond
	lastBackOff        = 100 * time.Millisecond
	patienceWithErrors = int64(time.Second)
	permanentErrors    = 2 * passErrors
)

// lateTimer is how late a timer has to be for its host to look into the socket before it judges time-outs.
const lateTimer = int64(50 * time.Millisecond)

// start makes the goroutines of the background style.
func (e *engine) start() {
	if !e.background() {
		return
	}
	e.enter()
	e.timer = time.AfterFunc(time.Hour, e.onTimer)
	e.leave()
	go e.readLoop(e.sock.(BlockingSocket))
	if e.cfg.Handler != nil || e.cfg.Admit != nil && !e.dialled() {
		go e.dispatchLoop()
	}
}

// readLoop is the goroutine that reads the socket. It ends when the socket is closed.
func (e *engine) readLoop(sock BlockingSocket) {
	buf := make([]byte, maxRead)
	for {
		n, from, at, err := sock.Read(buf)
		e.enter()
		wait := e.took(buf[:n], from, at, err)
		over := e.down || errors.Is(err, net.ErrClosed)
		e.leave()
		if over {
			return
		}
		if wait > 0 {
			e.pause(wait)
		}
	}
}

// pause waits out a read error, or until the socket is closed.
func (e *engine) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-e.over:
	}
}

// took handles what one read returned, and says how long to wait before the next.
func (e *engine) took(d []byte, from netip.AddrPort, at netip.Addr, err error) time.Duration {
	switch {
	case e.down:
	case errors.Is(err, net.ErrClosed):
		if !e.closing {
			e.fail(err)
		}
	case err != nil && (len(d) > 0 || errors.Is(err, errTooLong)):
		// A datagram that did not fit. What was read of it is not looked at.
		e.counters.received(len(d))
		e.counters.drops.Count(framing.DropOversize)
	case err != nil:
		return e.readFailed(err)
	case !from.IsValid():
		e.counters.received(len(d))
		e.counters.drops.Count(framing.DropNoPeer)
	default:
		e.reading = readFaults{}
		e.receive(d, from, at)
	}
	return 0
}

// readFaults are the read errors since the last read that worked.
type readFaults struct {
	count   int
	since   int64
	backOff time.Duration
}

func (e *engine) readFailed(err error) time.Duration {
	e.counters.readErrors++
	e.logs.add(e.now, logRead, "reading the socket failed", err)
	if isUnreached(err) {
		return firstBackOff
	}
	f := &e.reading
	if f.count++; f.count == 1 {
		f.since, f.backOff = e.now, firstBackOff
	}
	left := f.since + patienceWithErrors - e.now
	if left <= 0 && f.count >= permanentErrors {
		e.fail(err)
		return 0
	}
	wait := f.backOff
	f.backOff = min(2*f.backOff, lastBackOff)
	if left > 0 {
		wait = min(wait, time.Duration(left))
	}
	return wait
}

// isUnreached reports whether a read error is about a destination and not about the socket.
func isUnreached(err error) bool {
	return slices.ContainsFunc(unreached, func(u error) bool { return errors.Is(err, u) })
}

// onTimer is the one timer of the background style.
func (e *engine) onTimer() {
	e.enter()
	defer e.leave()
	late := e.armed != deadline.Never && e.now-e.armed > lateTimer
	e.armed = deadline.Never
	if e.down {
		return
	}
	if _, system := e.sock.(*udpSocket); system && tryWhileReading && late {
		e.drain()
	}
	e.runDue()
}

// arm sets the timer for the earliest deadline, if it is not set for that time or an earlier one.
func (e *engine) arm() {
	next := e.timers.Next()
	if next >= e.armed || e.down || e.timer == nil {
		return
	}
	e.armed = next
	e.timer.Reset(time.Duration(max(0, next-e.now)))
}

// dispatchLoop is the goroutine on which code of the application runs. It ends when the socket is closed and every event was handled.
func (e *engine) dispatchLoop() {
	for {
		e.enter()
		e.recycle()
		e.askAdmit()
		ev, ok := e.takeForHandler()
		over := e.down && !ok && e.locals.forwarding == 0
		e.leave()
		switch {
		case ok:
			e.cfg.Handler(ev)
			e.locals.tryServe(e.cfg.Handler)
		case over:
			return
		default:
			e.locals.serveOr(e.work, e.cfg.Handler)
		}
	}
}

func (e *engine) takeForHandler() (ev transport.Event, ok bool) {
	if e.cfg.Handler == nil {
		return ev, false
	}
	return e.takeInTurn()
}

// poll is Poll of the game loop style. Called from Admit, which it calls itself, it does nothing.
func (e *engine) poll() {
	if e.background() {
		return
	}
	e.enter()
	if !e.polling {
		e.polling, e.news = true, false
		e.recycle()
		e.drain()
		e.runDue()
		e.flush()
		e.askAdmit()
		e.flush()
		e.polling = false
	}
	e.leave()
	for _, l := range e.localConns() {
		l.Poll()
	}
}

// drain reads what waits in the socket.
func (e *engine) drain() {
	for range pollPasses {
		if !e.readPass() {
			return
		}
	}
}

// readPass reports whether more may wait.
func (e *engine) readPass() bool {
	errs := 0
	for range passDatagrams {
		if e.down {
			return false
		}
		n, from, at, err := e.sock.TryRead(e.in)
		if err == nil && !from.IsValid() {
			e.reading = readFaults{}
			return false
		}
		e.took(e.in[:n], from, at, err)
		if err == nil || n > 0 {
			continue
		}
		if errs++; errs == passErrors {
			return false
		}
	}
	return true
}

// next is Next of the game loop style.
func (e *engine) next() (transport.Event, bool) {
	if e.background() {
		return transport.Event{}, false
	}
	e.mu.Lock()
	ev, ok := e.takeInTurn()
	e.mu.Unlock()
	if ok {
		return ev, true
	}
	return e.nextLocal()
}

// nextOf is Next of one connection. A dialled one is the only one in turn.
func (e *engine) nextOf(c *Conn) (transport.Event, bool) {
	if e.background() || e.dialled() {
		return e.next()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.take(c)
}

// flushNow is Flush of the game loop style.
func (e *engine) flushNow() {
	if e.background() {
		return
	}
	e.enter()
	e.flush()
	e.leave()
	for _, l := range e.localConns() {
		l.Flush()
	}
}

func (e *engine) nextDeadline() int64 {
	e.enter()
	defer e.leave()
	if len(e.dirty) > 0 || e.news {
		return e.now
	}
	return e.timers.Next()
}
