package soak

import "time"

const (
	// stuckAfter is how long a stream may stand still while messages wait, nothing hinders either side and the other reads: in sum, as in worlds with many faults there is
	// seldom so long a time without one.
	stuckAfter = 5 * time.Second
	// settledAfter is how long it may take until things go on once nothing hinders them any more. It does not count.
	settledAfter = int64(time.Second)
)

// progress is how far a stream had come, and how long it has stood still there, as far as that time was left to it.
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
	if g.still += e.rest; g.still > stuckAfter {
		w.fail(Live, "stream %d stands still for %v: %s", s.index, g.still, fmtMissing(e, s))
	}
}

// overtakes counts a message that leaves before all that is not urgent, and so may keep it waiting: by the most that it may take of what may leave,
// which is all that the budget allows for its repairs, and what is around it in packets that hold nothing else.
func (e *end) overtakes(s *stream, size int) {
	const fragment, around = 1100, 80
	p := e.w.plan
	if !s.urgent || s.delivery.Reliable() {
		return
	}
	e.ahead += int64(size*orElse(p.budget, 130)/100 + (size/fragment+1)*around)
	e.ahead = min(e.ahead, int64(2*orElse(p.queueBytes, 2<<20)*orElse(p.budget, 130)/100)) // the queue holds no more
}

// overtake lets what overtakes all else take as much of the last moment as it needs to leave. What is left of the moment is that of others.
func (e *end) overtake() {
	c := int64(orElse(int(e.w.plan.ceiling), 4<<20)) // PROTOCOL.md 8
	took := min(sweepEvery, time.Duration(e.ahead*int64(time.Second)/c))
	e.ahead -= int64(took) * c / int64(time.Second)
	e.rest = sweepEvery - took
}
