package soak

import (
	"errors"
	"net"
	"time"

	"github.com/gannet-net/gannet/udp"
)

// sweepEvery is how often what takes longer than a moment is looked at.
const sweepEvery = 100 * time.Millisecond

// sweep looks at every session, and once in a while at the books of the network.
func (w *world) sweep() {
	for _, e := range w.host.order {
		w.look(e)
	}
	for _, p := range w.players {
		if p.conn != nil {
			w.look(p.end)
			p.lookAtBox()
		}
		w.lookForAddress(p)
		w.lookForStuck(p)
		if p.stopped > 0 {
			p.node.Wake()
		}
	}
	if w.host.stopped > 0 {
		w.host.node.Wake()
	}
	w.lookInside()
	if now := w.nw.Now(); now%int64(5*time.Second) < int64(sweepEvery) {
		w.audit()
	}
	w.nw.After(sweepEvery, w.sweep)
}

// lookAtBox notes when a mapping is forgotten that nobody has taken away.
func (p *player) lookAtBox() {
	if p.box == nil {
		return
	}
	_, mapped := p.w.outside(p)
	if p.mapped && !mapped {
		p.w.census.count("mapping expired")
	}
	p.mapped = mapped
}

func (w *world) audit() {
	if err := w.nw.Audit(); err != nil {
		w.fail(BooksBalance, "%v", err)
	}
}

// look holds what is true of one end at every moment.
func (w *world) look(e *end) {
	s := e.conn.Stats()
	p := w.plan
	queue, queued := orElse(p.queueBytes, 2<<20), orElse(p.queueMessages, 4096)
	unread, unreadCount := orElse(p.unreadBytes, 1<<20), orElse(p.unreadCount, 1000)
	switch {
	case s.QueueBytes > queue+queue/4 || s.QueueMessages > queued+queued/4+1:
		w.fail(Bounded, "%s: %d messages of %d bytes are queued", e.name, s.QueueMessages, s.QueueBytes)
	case !e.over && (s.UnreadBytes > unread || s.UnreadMessages > unreadCount) && e.conn.Err() == nil:
		w.fail(Bounded, "%s: %d messages of %d bytes are unread", e.name, s.UnreadMessages, s.UnreadBytes)
	case s.InFlight > 256 && !e.conn.Encrypted():
		w.fail(OnlySilence, "%s: %d messages in flight", e.name, s.InFlight)
	case s.RTTSmoothed > 0:
		w.lookAtDeadlines(e, s)
	}
	if s.DatagramsSent != e.sent {
		e.sent, e.spoke = s.DatagramsSent, w.nw.Now()
	}
	e.lookWhetherItStands()
	e.overtake()
	w.lookForSilence(e, s.DatagramsReceived)
	w.lookAtProbes(e, s)
}

// lookWhetherItStands notes when it ends, of which its application may hear much later.
func (e *end) lookWhetherItStands() {
	switch now := e.w.nw.Now(); {
	case e.conn.Err() == nil:
		e.stood = now
	case e.fell == 0:
		e.fell = now
	}
}

// lookAtDeadlines holds deadlines to their bounds.
func (w *world) lookAtDeadlines(e *end, s udp.Stats) {
	margin := max(4*time.Millisecond, 4*s.RTTVariance)
	switch longest := max(500*time.Millisecond, 3*(s.RTTSmoothed+margin)/2); {
	case s.Deadline-s.RTTSmoothed < 4*time.Millisecond, s.Deadline > longest:
		w.fail(DeadlinesFit, "%s: round trip %v give or take %v, deadline %v", e.name, s.RTTSmoothed, s.RTTVariance, s.Deadline)
	case s.RTTMin > s.RTTSmoothed+s.RTTVariance*8+10*time.Second:
		w.fail(DeadlinesFit, "%s: round trip %v, at least %v", e.name, s.RTTSmoothed, s.RTTMin)
	}
	if least := 2 * (w.plan.links.Delay - w.plan.links.Jitter); e.clocksRun() && s.RTTMin < least-least/500 {
		w.fail(DeadlinesFit, "%s: a round trip of %v, and the network takes %v", e.name, s.RTTMin, least)
	}
}

// forgets is how long a session may remember a round trip that a clock, or somebody who was faster than the network, made too short.
const forgets = int64(60 * time.Second)

// clocksRun reports whether the clocks of both ends have run since the session was asked for, or for long: what one end says of its delay goes into the
// round trip of the other.
func (e *end) clocksRun() bool {
	asked := e
	if e.host {
		asked = e.peer
	}
	if asked == nil {
		return false
	}
	runs := func(m *machine) bool {
		return m.moved == 0 || asked.dialled > m.moved || e.w.nw.Now() > m.moved+forgets
	}
	return runs(&e.w.host.machine) && runs(asked.on)
}

// lookForSilence holds that whoever hears nothing for the time-out leaves.
func (w *world) lookForSilence(e *end, heard uint64) {
	now := e.on.clock()
	if heard != e.heard || !e.up || w.nw.Now() < e.on.tainted {
		e.heard, e.heardAt = heard, now
		return
	}
	if now-e.heardAt > int64(w.plan.timeout+2*time.Second) && e.conn.Err() == nil {
		w.fail(OnlySilence, "%s has heard nothing for %v and stands", e.name, time.Duration(now-e.heardAt))
	}
}

// lookInside holds that each peer of an engine has one timer, and the host one more.
func (w *world) lookInside() {
	if w.host.running {
		if in := w.host.sock.look(); in.Timers > in.Peers+1 {
			w.fail(FewTimers, "%d timers of %d peers are armed", in.Timers, in.Peers)
		}
	}
	for _, p := range w.players {
		if p.conn != nil {
			if in := p.sock.look(); in.Timers > in.Peers {
				w.fail(FewTimers, "player %d: %d timers are armed", p.index, in.Timers)
			}
		}
	}
}

// leaveNothing holds that a host which is closed holds nothing any more.
func (h *host) leaveNothing() {
	in := h.sock.look()
	if in.Peers != 0 || in.Timers != 0 || in.FreeIDs != h.ids {
		h.w.fail(SilentAfterEnd, "a closed host has %d peers, %d timers and %d of %d ids", in.Peers, in.Timers, in.FreeIDs, h.ids)
	}
	if in.Buffers != 0 {
		h.w.fail(Bounded, "a closed host holds %d buffers", in.Buffers)
	}
}

// leavesNothing holds that a session which is over holds nothing any more.
func (p *player) leavesNothing() {
	p.conn.Poll() // gives back what was lent
	in := p.sock.look()
	if _, _, _, err := p.sock.TryRead(p.w.buf); !errors.Is(err, net.ErrClosed) {
		p.w.fail(SilentAfterEnd, "%s is over, and its socket is open", p.end.name)
	}
	if in.Peers != 0 || in.Timers != 0 {
		p.w.fail(SilentAfterEnd, "%s is over, and has %d peers and %d timers", p.end.name, in.Peers, in.Timers)
	}
	if in.Buffers != 0 {
		p.w.fail(Bounded, "%s is over, and holds %d buffers", p.end.name, in.Buffers)
	}
}

func orElse(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}
