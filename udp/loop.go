package udp

import (
	"time"

	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/transport"
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
	in := newInbox(e.sock)
	e.followOffload(&in)
	go e.readLoop(&in)
	if e.cfg.Handler != nil || e.asksApplication() {
		go e.dispatchLoop()
	}
}

// readLoop is the goroutine that reads the socket. It ends when the socket is closed.
func (e *engine) readLoop(in *inbox) {
	for {
		in.read(true)
		wait, over := e.tookAll(in)
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

// onTimer is the one timer of the background style.
func (e *engine) onTimer() {
	e.enter()
	defer e.leave()
	late := e.armed != deadline.Never && e.now-e.armed > lateTimer
	e.armed = deadline.Never
	if e.down {
		return
	}
	e.lookAwake()
	e.takeHandover()
	if late && !e.lookBehind() {
		return
	}
	e.runDue()
}

// lookBehind reads what waits in the socket, for a timer that is late. If the goroutine that reads holds something older, that goes first, and the timer fires again:
// lookBehind reports false, but not twice in a row.
func (e *engine) lookBehind() bool {
	s, system := e.sock.(*udpSocket)
	if !system || !tryWhileReading {
		return true
	}
	parked := s.isParked()
	e.postponed = !parked && !e.postponed
	if parked {
		e.drain()
	}
	return !e.postponed
}

// arm sets the timer for the earliest deadline, if it is not set for that time or an earlier one.
func (e *engine) arm() {
	next := e.timers.Next()
	if next >= e.armed || e.down || e.timer == nil {
		return
	}
	e.armed = next
	e.handover.mu.Lock() // who hands something over sets the timer as well
	defer e.handover.mu.Unlock()
	if len(e.handover.waiting) == 0 {
		e.timer.Reset(time.Duration(max(0, next-e.now)))
	}
}

// asksApplication reports whether code of the application runs for strangers.
func (e *engine) asksApplication() bool {
	return !e.dialled() && (e.cfg.Admit != nil || e.cfg.Catalogue.Explain != nil)
}

// dispatchLoop is the goroutine on which code of the application runs: Admit, Mismatched and the handler in turn, so that a flood of strangers holds up no
// event. It ends when the socket is closed and every event was handled.
func (e *engine) dispatchLoop() {
	for {
		e.enter()
		e.recycle()
		asked := e.askAdmit() || e.tellMismatch()
		ev, ok := e.takeForHandler()
		over := e.down && !ok && !asked && e.locals.forwarding == 0
		e.leave()
		switch {
		case ok:
			e.cfg.Handler(ev)
			e.locals.tryServe(e.cfg.Handler)
		case over:
			return
		case asked: // others may wait
		default:
			e.locals.serveOr(e.work, e.cfg.Handler)
		}
	}
}

func (e *engine) takeForHandler() (ev transport.Event, ok bool) {
	ok = e.cfg.Handler != nil && e.takeInTurn(&ev)
	return ev, ok
}

var processStart = time.Now()

// Now gives the time of the default Config.Clock, in nanoseconds since the process started. All hosts and connections without a clock of their own have it, so their times can be compared, and
// what measures time beside them, such as rpc.Calls.Tick, takes the same. It may be called from any goroutine.
func Now() int64 { return int64(time.Since(processStart)) }
