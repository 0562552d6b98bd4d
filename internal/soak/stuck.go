package soak

import "time"

const (
	// stuckAfter is how long a stream may stand still while messages wait, nothing hinders either side and the other reads: in sum, as in worlds with many faults there is
	// seldom so long a time without one.
	stuckAfter = 5 * time.Second
	// settledAfter is how long it may take until things go on once nothing hinders them any more. It does not count.
	settledAfter = int64(time.Second)
)

// progress is how far a stream had come, and how long it has stood still there.
type progress struct {
	got   uint32
	still time.Duration
}

// lookForStuck holds that what is reliable goes on while faults befall others.
func (w *world) lookForStuck(p *player) {
	now := w.nw.Now()
	if p.conn == nil || p.end.peer == nil || p.end.peer.over || p.end.left != 0 || p.end.peer.left != 0 || p.hindered(now) || p.deaf+w.host.deaf > 0 {
		p.clear = now
		return
	}
	if now-p.clear < settledAfter {
		return
	}
	for _, e := range [...]*end{p.end, p.end.peer} {
		for i := range w.plan.streams {
			if s := &w.plan.streams[i]; s.whole() && !s.bulk {
				w.goesOn(e, s)
			}
		}
	}
}

func (w *world) goesOn(e *end, s *stream) {
	if e.goes == nil {
		e.goes = make([]progress, len(w.plan.streams))
	}
	got, g := e.peer.in[s.index].got, &e.goes[s.index]
	if g.got != got || e.out[s.index].sent <= got {
		*g = progress{got: got}
		return
	}
	if g.still += sweepEvery; g.still > stuckAfter && !w.plan.overtaken() {
		w.fail(Live, "stream %d stands still for %v: %s", s.index, g.still, fmtMissing(e, s))
	}
}

// headers is what a message takes of the send ceiling beside its bytes: its share of the headers of a packet that holds two or three.
const headers = 30

// overtaken reports whether what overtakes all else, urgent and unreliable, is as much as the send ceiling takes, and so leaves no room for it.
func (p *Plan) overtaken() bool {
	bytes := int64(0)
	for i := range p.streams {
		if s := &p.streams[i]; s.urgent && !s.delivery.Reliable() {
			bytes += int64(time.Second) / frame * int64(s.burst*((s.low+s.high)/2+headers)) / int64(s.every)
		}
	}
	return p.ceiling > 0 && bytes >= p.ceiling
}
