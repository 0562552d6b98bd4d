package soak

import (
	"bytes"
	"errors"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// end is one side of a session as its application sees it.
type end struct {
	w      *world
	serial uint32
	name   string
	conn   *udp.Conn
	on     *machine
	player *player // nil at the host, until it is known
	host   bool
	peer   *end // nil until the application of both has the session

	out   []outbox
	in    []inbox
	calls *calling // nil if it makes none

	ticks   int
	id      uint32
	up      bool
	upAt    int64
	left    transport.Cause // what its application did: ClosedLocally, Kicked, 0 for nothing
	closing bool            // what is left is still delivered
	code    uint16          // of a kick
	over    bool            // nothing will be heard of it any more
	dead    bool            // because its machine or program was killed
	cause   transport.Cause
	err     error
	endAt   int64 // which its application may hear later

	sent    uint64 // datagrams, when it was looked at last
	spoke   int64  // when there were more of them than before
	heard   uint64 // datagrams likewise
	heardAt int64  // of its machine's clock
	hush    hush
	goes    []progress
	ahead   int64         // bytes that overtake all else and may not have left
	rest    time.Duration // of the time between the last two sweeps, for others
	dialled int64         // when its player asked for the session
	stood   int64         // when a sweep saw that it had not ended, last
	fell    int64         // when one saw that it had, first
}

func (w *world) newEnd(c *udp.Conn, on *machine, p *player) *end {
	w.serials++
	n := len(w.plan.streams)
	e := &end{w: w, serial: w.serials, conn: c, on: on, player: p, host: p == nil, out: make([]outbox, n), in: make([]inbox, n)}
	e.heardAt = on.clock()
	return e
}

// take follows an event.
func (e *end) take(ev transport.Event) {
	switch {
	case e.over:
		e.w.fail(Events, "%s: %v after the last event", e.name, ev.Kind)
	case (ev.Kind == transport.Connected || ev.Kind == transport.DialFailed) == e.up:
		e.w.fail(Events, "%s: %v, and it was connected: %v", e.name, ev.Kind, e.up)
	case e.up && ev.Conn.ID() != e.id:
		e.w.fail(Events, "%s: its id was %d and is %d", e.name, e.id, ev.Conn.ID())
	}
	switch ev.Kind {
	case transport.Connected:
		e.connected()
		e.joins(e.on.phone, ev)
	case transport.Message:
		e.receive(ev)
	case transport.Outcome:
		e.settle(ev)
	case transport.Disconnected, transport.DialFailed:
		e.parts(ev)
		e.ended(ev)
	}
}

func (e *end) connected() {
	e.up, e.id, e.upAt = true, e.conn.ID(), e.w.nw.Now()
	e.w.census.count("connecting to connected")
	e.heardAt = e.on.clock()
	if e.host {
		e.w.host.tookID(e)
	}
	e.w.pair(e)
}

// speak sends what is due, unless its application has left.
func (e *end) speak() {
	if !e.up || e.left != 0 || e.over || e.w.quiet {
		return
	}
	e.ticks++
	for i := range e.w.plan.streams {
		s := &e.w.plan.streams[i]
		if e.ticks%s.every != 0 || !s.plain && !e.conn.Encrypted() {
			continue
		}
		for range s.burst {
			e.say(s)
		}
	}
	if e.calls != nil {
		e.calls.call()
	}
}

func (e *end) say(s *stream) {
	out := &e.out[s.index]
	m := s.message(e.w.buf, e.serial, out.sent)
	if err := e.conn.Send(m, s.options(out.sent)); err != nil {
		e.refused(s, err)
		return
	}
	out.sent++
	e.overtakes(s, len(m))
}

// refused follows a message that Send did not take.
func (e *end) refused(s *stream, err error) {
	var gone *transport.DisconnectError
	switch {
	case errors.Is(err, transport.ErrQueueFull):
		e.w.census.count("send queue full")
	case errors.As(err, &gone): // it has ended, and the event is still to be read
	default:
		e.w.fail(Bounded, "%s: sending on stream %d: %v", e.name, s.index, err)
	}
}

// receive holds a message against what the peer has sent.
func (e *end) receive(ev transport.Event) {
	if ev.Channel == callsChannel {
		e.called(ev)
		return
	}
	s := e.w.streams[ev.Delivery][ev.Channel]
	switch {
	case s == nil:
		e.w.fail(AsSent, "%s: a message on %v %d, which nobody uses", e.name, ev.Delivery, ev.Channel)
		return
	case e.left != 0:
		e.w.fail(SilentAfterEnd, "%s: a message after its application has left", e.name)
		return
	case e.peer == nil && e.host && !e.conn.Encrypted():
		e.w.late(e, s, ev.Payload)
		return
	case e.peer == nil && !e.w.lateAnswer(e, s, ev.Payload):
		e.w.fail(AsSent, "%s: a message before the other side was connected", e.name)
		return
	case e.peer == nil:
		return
	}
	in, n := &e.in[s.index], e.in[s.index].next
	if !s.whole() {
		n, _ = number(ev.Payload) // one that is too short for it is not as it was sent
	}
	if want := s.message(e.w.expected, e.peer.serial, n); n >= e.peer.out[s.index].sent || !bytes.Equal(want, ev.Payload) {
		if !e.w.lateAnswer(e, s, ev.Payload) {
			e.w.fail(AsSent, "%s: message %d of stream %d, %d bytes, is not as it was sent", e.name, n, s.index, len(ev.Payload))
		}
		return
	}
	switch {
	case s.skips() && n < in.next:
		e.w.fail(OnceInOrder, "%s: message %d of stream %d after %d", e.name, n, s.index, in.next-1)
	case !s.whole() && (e.conn.Encrypted() || s.delivery.Reliable()) && !in.all.add(n):
		e.w.fail(OnceInOrder, "%s: message %d of stream %d again", e.name, n, s.index)
	}
	in.next = max(in.next, n+1)
	in.got++
}

// settle follows the fate of a message.
func (e *end) settle(ev transport.Event) {
	i, n := int(ev.Receipt>>32), uint32(ev.Receipt)-1
	if i >= len(e.out) || n >= e.out[i].sent || !e.out[i].settled.add(n) {
		e.w.fail(Events, "%s: fate %v of message %d of stream %d, for which nobody has to ask", e.name, ev.Fate, n, i)
		return
	}
	e.w.census.count("fate " + ev.Fate.String())
	switch ev.Fate {
	case transport.Delivered:
		e.out[i].delivered.add(n)
	case transport.Expired, transport.Superseded:
		e.out[i].gone.add(n)
		e.out[i].withdrawn++
	}
}

// ended follows the last event.
func (e *end) ended(ev transport.Event) {
	late := e.lateness(ev)
	e.err, e.endAt = ev.Err, e.w.nw.Now()-late
	var gone *transport.DisconnectError
	if errors.As(ev.Err, &gone) {
		e.cause = gone.Cause
	}
	if e.up {
		e.w.upTime += e.w.nw.Now() - e.upAt
		e.w.census.count("ended: " + e.cause.String())
		e.w.census.count(e.lastState() + " to closed")
		e.w.justified(e, late)
	} else {
		e.w.census.count("dial failed: " + failure(ev.Err))
		e.w.census.count("connecting to closed")
	}
	e.finish()
}

// lateness is how long ago a session ended that its application hears of now: by the clock, which may have been set since, but as the sweeps saw it.
func (e *end) lateness(ev transport.Event) int64 {
	now, late := e.w.nw.Now(), max(0, e.on.clock()-ev.At)
	if e.stood > 0 {
		late = min(late, now-e.stood)
	}
	if e.fell > 0 {
		late = max(late, now-e.fell)
	}
	return late
}

// lastState is the state of the machine from which it closed.
func (e *end) lastState() string {
	if e.closing {
		return "closing"
	}
	return "connected"
}

// failure names the sort of error with which a dial failed.
func failure(err error) string {
	var refused *transport.RefusedError
	var late *udp.DialTimeoutError
	var gone *transport.DisconnectError
	var other *transport.CatalogueError
	switch {
	case errors.As(err, &other):
		return "another catalogue"
	case errors.As(err, &refused):
		return "refused"
	case errors.As(err, &late):
		return "timed out"
	case errors.As(err, &gone):
		return gone.Cause.String()
	}
	return "another error"
}

// finish closes the books of an end of which nothing will be heard any more.
func (e *end) finish() {
	e.over = true
	s := e.conn.Stats()
	for _, d := range []framing.Drop{framing.DropUnread, framing.DropWindowBytes} { // of messages, which no host counts
		e.w.census.Drops[d] += s.Drops[d]
	}
	if e.host {
		e.w.host.gaveID(e)
	} else if e.player.end == e && !e.dead {
		e.player.gone()
	}
	if e.peer != nil && e.peer.over {
		e.w.agreed(e, e.peer)
	}
}

// die follows the death of its program.
func (e *end) die() {
	if e.over {
		return
	}
	e.dead, e.endAt = true, e.w.nw.Now()
	if e.up {
		e.w.upTime += e.w.nw.Now() - e.upAt
	}
	e.finish()
}
