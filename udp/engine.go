package udp

import (
	"net/netip"
	"sync"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
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
	order  []*Conn // the same, in the order in which they came
	timers deadline.Heap[*Conn]
	dirty  []*Conn     // may have something to send
	ready  fifo[*Conn] // have events for Next or the handler, each at most once
	lent   []loan
	locals locals

	in, out []byte
	door    door
	dial    dial

	closing bool // takes no peer and no message any more
	down    bool // the socket is closed
	failure error

	counters counters
	reading  readFaults
	logs     logs

	// Background style only.
	timer   *time.Timer
	armed   int64         // when timer fires, deadline.Never if it does not
	work    chan struct{} // one token: the dispatcher has something to do
	stopped chan struct{} // closed when closing begins
	over    chan struct{} // closed when the socket is
	accepts accepts

	// Game loop style only.
	polling bool // inside Poll
	news    bool // events have come up since Poll, or since Next found none
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
		in:      make([]byte, maxRead),
		out:     make([]byte, 0, framing.MaxDatagram),
		door:    newDoor(c),
		armed:   deadline.Never,
		work:    make(chan struct{}, 1),
		stopped: make(chan struct{}),
		over:    make(chan struct{}),
		accepts: newAccepts(),
		locals:  newLocals(),
	}
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
	e.closeIfOver()
	lines := e.logs.take()
	e.mu.Unlock()
	for _, l := range lines {
		l.write(e.cfg.Logger)
	}
}

// add makes a peer.
func (e *engine) add(remote netip.AddrPort, local netip.Addr, id uint8) *Conn {
	c := &Conn{e: e, remote: remote, local: local, id: id}
	c.timer.Value = c
	cfg := e.cfg.endpoint(e.role)
	cfg.PeerID, cfg.Pool, cfg.Loopback = id, &e.pool, remote.Addr().IsLoopback()
	c.ep = reliable.New(e.now, cfg)
	if e.background() {
		c.wake, c.over = make(chan struct{}, 1), make(chan struct{})
	}
	e.peers[remote] = c
	e.order = append(e.order, c)
	e.touch(c)
	return c
}

// receive takes one datagram.
func (e *engine) receive(d []byte, from netip.AddrPort, at netip.Addr) {
	e.counters.received(len(d))
	e.counters.drops.Count(e.route(d, unmapped(from), at))
}

// route finds whom a datagram is for. A peer's machine makes the checks of PROTOCOL.md 6 in their order; the door makes
// them for strangers.
func (e *engine) route(d []byte, from netip.AddrPort, at netip.Addr) framing.Drop {
	c := e.peers[from]
	if c != nil && e.dialled() && at.IsValid() {
		c.local = at
	}
	if c != nil && !e.concernsDoor(d) {
		return e.handle(c, d)
	}
	f, drop := framing.Parse(d, e.role)
	switch {
	case c != nil && drop != framing.Accepted:
		return e.handle(c, d)
	case drop != framing.Accepted:
		return drop
	case e.dialled():
		return framing.DropNoPeer
	case c != nil:
		return e.connectAgain(c, f, d, at)
	}
	return e.stranger(f, from, at)
}

// concernsDoor reports whether a datagram of a known peer may be more than its machine's affair.
func (e *engine) concernsDoor(d []byte) bool {
	return !e.dialled() && len(d) > 0 && framing.Kind(d[0]) == framing.KindConnect
}

func (e *engine) handle(c *Conn, d []byte) framing.Drop {
	drop := c.ep.HandleDatagram(e.now, d)
	e.touch(c)
	e.settle(c)
	return drop
}

// touch notes that c may have something to send, or another deadline.
func (e *engine) touch(c *Conn) {
	if !c.dirty && !c.released {
		c.dirty = true
		e.dirty = append(e.dirty, c)
	}
}

// runDue lets every peer run whose deadline has come.
func (e *engine) runDue() {
	for due := e.timers.PopDue(e.now); due != nil; due = e.timers.PopDue(e.now) {
		e.touch(due.Value)
	}
}

// flush sends what the dirty peers have, in the order in which they became dirty.
func (e *engine) flush() {
	for i := 0; i < len(e.dirty); i++ {
		c := e.dirty[i]
		c.dirty = false
		if !c.released {
			e.transmit(c)
		}
	}
	clear(e.dirty)
	e.dirty = e.dirty[:0]
}

func (e *engine) transmit(c *Conn) {
	if e.now < c.heldUntil {
		e.timers.Set(&c.timer, c.heldUntil)
		return
	}
	for {
		d := c.ep.PollDatagram(e.now, e.out[:0])
		if len(d) == 0 {
			break
		}
		e.write(d, c.remote, c.answerFrom())
	}
	e.timers.Set(&c.timer, c.ep.NextDeadline())
	e.settle(c)
}

// write sends one datagram. One that cannot be sent is lost like any other.
func (e *engine) write(d []byte, to netip.AddrPort, from netip.Addr) {
	if err := e.sock.Write(d, to, from); err != nil {
		e.counters.writeErrors++
		e.logs.add(e.now, logWrite, "datagrams could not be sent", err)
		return
	}
	e.counters.sent(len(d))
}

// settle follows what the last input did to c: its events, its end.
func (e *engine) settle(c *Conn) {
	c = e.decide(c)
	if c.ep.State() == reliable.StateClosed && !c.ended {
		e.end(c)
	}
	if c.ended && c.ep.Quiet() && !c.released {
		e.release(c)
	}
	if c.readable() {
		e.announce(c)
	}
}

// end takes note that the session of c is over. Goodbyes may still be sent.
func (e *engine) end(c *Conn) {
	c.ended = true
	cause := c.finish()
	if c.over != nil {
		close(c.over)
	}
	switch {
	case !e.dialled():
		e.door.left(c.remote, e.now, cause)
	case !c.silent:
		e.stop()
	}
}

// release forgets c, which will not send any more. The peer in the table may be a newer one with the same address.
func (e *engine) release(c *Conn) {
	c.released = true
	e.timers.Remove(&c.timer)
	if e.peers[c.remote] == c {
		delete(e.peers, c.remote)
	}
	e.order = without(e.order, c)
	e.freeID(c)
}

// freeID gives the id back once nothing is left that names it: neither the session nor an event for Next or a handler.
func (e *engine) freeID(c *Conn) {
	if e.dialled() || c.idFreed || !c.released || e.inTurn() && c.readable() {
		return
	}
	c.idFreed = true
	e.door.ids.give(c.id)
}

// stop begins the end of the engine.
func (e *engine) stop() {
	if !e.closing {
		e.closing = true
		close(e.stopped)
	}
}

// closeIfOver closes the socket when the last peer is gone after stop.
func (e *engine) closeIfOver() {
	if !e.closing || e.down || len(e.order) > 0 {
		return
	}
	e.down = true
	if e.timer != nil {
		e.timer.Stop()
	}
	_ = e.sock.Close()
	close(e.over)
	e.rouse()
}

// fail ends everything, because the socket is broken for good.
func (e *engine) fail(err error) {
	e.failure = err
	e.logs.add(e.now, logFailed, "socket failed for good", err)
	e.stop()
	for len(e.order) > 0 {
		c := e.order[0]
		c.ep.Fail(e.now)
		e.settle(c)
		if !c.released { // it was saying goodbye
			e.release(c)
		}
	}
}

func without(list []*Conn, c *Conn) []*Conn {
	for i, other := range list {
		if other == c {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

var processStart = time.Now()

// sinceProcessStart is the default clock. Every host of a process shares it, so that times of events can be compared.
func sinceProcessStart() int64 { return int64(time.Since(processStart)) }

// machineOptions are o in terms of the machine.
func machineOptions(o transport.SendOptions) reliable.SendOptions {
	return reliable.SendOptions{Mode: reliable.Mode(o.Delivery), Channel: o.Channel, TTL: o.TTL, Urgent: o.Urgent, Receipt: o.Receipt}
}
