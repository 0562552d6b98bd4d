package udp

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
)

// engine drives the peers of one socket. A Host is an engine that admits peers; a dialled Conn is one whose only peer was there from the
// start. Everything in it is guarded by mu, which is never held while code of the application runs.
//
// Each entry point is a pair of enter and leave around what it does.
type engine struct {
	mu sync.Mutex

	cfg    Config
	role   framing.Role
	now    int64 // the clock at enter
	sock   Socket
	reader ReaderMode
	pool   reliable.Pool

	peers  map[netip.AddrPort]*Conn
	order  roster // the same, in the order in which they came
	timers deadline.Heap[*Conn]
	dirty  []*Conn     // may have something to send
	ready  fifo[*Conn] // have events for Next or the handler, each at most once
	lent   []loan
	locals locals

	in      inbox
	out     outbox
	offload offload
	door    door
	dial    dial
	awake   awake

	sessions  sessions
	handover  handover
	random    *rand.ChaCha8
	clientKey secure.Secret // by which the host knows this client

	closing bool // takes no peer and no message any more
	down    bool // the socket is closed
	failure error

	counters counters
	reading  readFaults
	logs     logs

	misdriven sync.Once // the warning about Poll in the background style

	// Background style only.
	timer     *time.Timer
	postponed bool          // what is due waits for one more turn of the timer
	armed     int64         // when timer fires, deadline.Never if it does not
	work      chan struct{} // one token: the dispatcher has something to do
	stopped   chan struct{} // closed when closing begins
	over      chan struct{} // closed when the socket is
	accepts   accepts

	// Game loop style only.
	polling bool         // inside Poll
	waited  int64        // when Wait last came back
	wakes   atomic.Int64 // when the deadline of the socket is, by Now, that Wait has set
	news    bool         // events have come up since Poll, or since Next found none
}

func newEngine(c Config, role framing.Role, network, laddr string) (*engine, error) {
	sock, reader, err := openSocket(c, network, laddr)
	if err != nil {
		return nil, err
	}
	e := &engine{
		cfg: c, role: role, sock: sock, reader: reader,
		pool:    reliable.Pool{Poison: c.Poison},
		peers:   make(map[netip.AddrPort]*Conn),
		in:      newInbox(sock),
		out:     newOutbox(sock),
		armed:   deadline.Never,
		work:    make(chan struct{}, 1),
		stopped: make(chan struct{}),
		over:    make(chan struct{}),
		accepts: newAccepts(),
		locals:  newLocals(),
	}
	e.chooseOffload()
	e.now = c.Clock()
	e.random = c.randomness(role, sock.LocalAddr(), e.now)
	e.showInside()
	return e, nil
}

// dialled reports whether this is a client.
func (e *engine) dialled() bool { return e.role == framing.Client }

func (e *engine) background() bool { return e.cfg.Driving == Background }

// enter takes the lock and reads the clock.
func (e *engine) enter() {
	e.mu.Lock()
	e.now = e.cfg.Clock()
}

// leave does what has to follow every change, releases the lock, and then tells the logger.
func (e *engine) leave() {
	if e.background() {
		e.flush()
		e.arm()
	}
	e.sendOut()
	e.closeIfOver()
	lines := e.logs.take()
	e.mu.Unlock()
	for _, l := range lines {
		l.write(e.cfg.Logger)
	}
}

// outside runs code of the application without the lock. If that panics, a game loop may recover and go on: then the lock is free, Poll works again, and undo, unless
// it is nil, has made good with the lock what is left undecided.
func (e *engine) outside(f, undo func()) {
	e.leave()
	returned := false
	defer func() {
		if returned {
			return
		}
		e.enter()
		e.polling = false
		if undo != nil {
			undo()
		}
		e.leave()
	}()
	f()
	returned = true
	e.enter()
}

// stop begins the end of the engine.
func (e *engine) stop() {
	if !e.closing {
		e.closing = true
		close(e.stopped)
		e.interrupt()
	}
}

// closeIfOver closes the socket when the last peer is gone after stop.
func (e *engine) closeIfOver() {
	if !e.closing || e.down || e.order.len() > 0 {
		return
	}
	e.down = true
	e.timers.Remove(&e.sessions.timer)
	if e.timer != nil {
		e.timer.Stop()
	}
	_ = e.sock.Close()
	e.sessions.forgetStrangers()
	e.sessions.leaveShards()
	close(e.over)
	e.rouse()
}

// fail ends everything, because the socket is broken for good.
func (e *engine) fail(err error) {
	e.failure = err
	e.logs.add(e.now, logFailed, "socket failed for good", err)
	e.stop()
	for _, c := range slices.Collect(e.order.all()) {
		if !c.released { // with another one
			c.ep.Fail(e.now)
			e.settle(c)
		}
		if !c.released { // it was saying goodbye
			e.release(c)
		}
	}
}
