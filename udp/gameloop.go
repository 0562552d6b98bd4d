package udp

import "github.com/gannet-net/gannet/transport"

// What one Poll reads at most: passes of 256 datagrams (PROTOCOL.md 6). A loop that was frozen finds everything that waits in the
// buffer of the system, which holds less than this.
//
// The socket is one queue, so what one peer sent can be put off only by storing it, and storing a datagram costs as much as
// handling it. What costs more is done in turn between peers: each sends its answers when all is read, but for an ack that does not wait for more, and hands
// over one event at a time.
const (
	passDatagrams = 256
	pollPasses    = 64
	passErrors    = 8
)

// poll is Poll of the game loop style. Called from Admit, which it calls itself, it does nothing. In the background style it is most
// likely called because Config.Driving was forgotten.
func (e *engine) poll() {
	if e.background() {
		e.misdriven.Do(func() {
			e.cfg.Logger.Warn("udp: Poll does nothing in the background style: set Config.Driving to udp.GameLoop to drive from a loop")
		})
		return
	}
	e.enter()
	if !e.polling {
		e.polling, e.news = true, false
		e.recycle()
		e.lookAwake()
		e.distrustWait()
		e.drain()
		e.takeHandover()
		e.runDue()
		e.flush()
		for e.askAdmit() || e.tellMismatch() {
		}
		e.explainDial()
		e.flush()
		e.polling = false
	}
	locals := e.locals.conns
	e.leave()
	for _, l := range locals {
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
	e.followOffload(&e.in)
	errs := 0
	for range passDatagrams {
		if e.down {
			return false
		}
		d, from, at, err, ok := e.in.next()
		if !ok {
			e.reading = readFaults{}
			return false
		}
		e.noteRead(&e.in)
		e.took(d, from, at, err)
		if err == nil || len(d) > 0 {
			continue
		}
		if errs++; errs == passErrors {
			return false
		}
	}
	return true
}

// next is Next of the game loop style, into an event that is zero.
func (e *engine) next(ev *transport.Event) bool {
	if e.background() {
		return false
	}
	e.mu.Lock()
	ok := e.takeInTurn(ev)
	locals := e.locals.conns
	e.mu.Unlock()
	return ok || e.nextOfLocals(locals, ev)
}

// nextOf is Next of one connection. A dialled one is the only one in turn.
func (e *engine) nextOf(c *Conn, ev *transport.Event) bool {
	if e.background() || e.dialled() {
		return e.next(ev)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.take(c, ev)
}

// flushNow is Flush of the game loop style.
func (e *engine) flushNow() {
	if e.background() {
		return
	}
	e.enter()
	e.flush()
	locals := e.locals.conns
	e.leave()
	for _, l := range locals {
		l.Flush()
	}
}

func (e *engine) nextDeadline() int64 {
	e.enter()
	defer e.leave()
	return e.due()
}

func (e *engine) due() int64 {
	if len(e.dirty) > 0 || e.news {
		return e.now
	}
	return e.timers.Next()
}
