package soak

import (
	"slices"
	"time"
)

// Result is what became of a world.
type Result struct {
	Plan   Plan
	Broken *Violation    // nil if every invariant held
	Hash   uint64        // of the trace, the same for every run of the plan
	UpTime time.Duration // of the network's time that sessions stood, in sum
	Census Census

	Sessions string // how everybody was when an invariant was broken
}

// Run plays a plan: faults, then none, then everybody leaves.
func (p Plan) Run() *Result {
	r := &Result{Plan: p}
	w := newWorld(&p, &r.Census)
	w.play()
	if w.broken != nil {
		r.Sessions = w.describe()
	}
	r.Broken, r.Hash, r.UpTime = w.broken, w.nw.TraceHash(), time.Duration(w.upTime/2)
	return r
}

// play goes through the phases of a world, up to the first invariant that does not hold.
func (w *world) play() {
	w.start()
	for _, phase := range []func(){
		func() { w.run(w.plan.Span) },
		w.heal,
		func() { w.until(w.joinBound(), Live, "all have joined again", w.allJoined) },
		func() { w.run(2 * time.Second) },
		func() { w.until(w.joinBound(), Live, "all have joined that timed out just then", w.allJoined) },
		func() {
			w.quiet = true
			w.until(w.drainBound(), Live, "all that is reliable has arrived", w.allArrived)
		},
		func() { w.until(requestsEnd, Live, "all requests have ended", w.allAnswered) },
		func() { w.until(w.drainBound(), Live, "everybody knows that all has arrived", w.allKnown) },
		w.idle,
		w.leave,
		w.closeAll,
		w.listen,
	} {
		if phase(); w.broken != nil {
			return
		}
	}
}

// start turns on all machines, and arranges what befalls them.
func (w *world) start() {
	w.host.start()
	for _, p := range w.present() {
		p.start()
	}
	for i := range w.plan.Faults {
		f := &w.plan.Faults[i]
		w.nw.At(int64(f.At), func() { w.begin(f) })
	}
	w.nw.After(sweepEvery, w.sweep)
}

// present are the players that were not left out.
func (w *world) present() []*player {
	return slices.DeleteFunc(slices.Clone(w.players), func(p *player) bool { return p.plan.absent })
}

// run lets time pass, until something is broken.
func (w *world) run(d time.Duration) {
	w.nw.RunUntilDone(w.nw.Now()+int64(d), func() bool { return w.broken != nil })
}

// until lets time pass until something has happened, which has to be within d.
func (w *world) until(d time.Duration, i Invariant, what string, done func() string) {
	missing := ""
	within := w.nw.RunUntilDone(w.nw.Now()+int64(d), func() bool {
		if w.broken == nil {
			missing = done()
		}
		return missing == "" || w.broken != nil
	})
	if !within {
		w.fail(i, "not within %v: %s: %s", d, what, missing)
	}
}

// heal ends all faults, and the loss of the links.
func (w *world) heal() {
	w.calm, w.calmSince = true, w.nw.Now()
	for len(w.active) > 0 {
		w.endFault(w.active[0])
	}
	for _, p := range w.players {
		p.cuts = [2]int{}
		p.cutBoth(0)
		p.setLinks()
		p.heal()
	}
	w.host.heal()
	w.nw.Note("healed")
}

func (m *machine) heal() {
	m.node.FailListens(0, nil)
	if m.sock != nil {
		m.sock.FailWrites(0, nil)
		m.sock.FailReads(0, nil)
	}
	m.node.Wake()
}

// joinBound is how long it may take until everybody has a session: one that only one side has must end first, and a dial.
func (w *world) joinBound() time.Duration {
	return w.plan.timeout + w.plan.linger + 20*time.Second
}

// allJoined says who has no session.
func (w *world) allJoined() string {
	for _, p := range w.present() {
		if p.conn == nil || p.end.peer == nil || p.end.peer.over || p.end.left != 0 || p.end.peer.left != 0 || p.conn.Err() != nil {
			return p.node.Name() + " has no session"
		}
	}
	return ""
}

// drainBound is how long what was sent may take: four times the longest deadline, two round trips, and the time that its bytes need at the lowest send ceiling, with
// all that the budget allows beside them, and once more if some of them are urgent and reliable, as those leave twice whatever the budget is (PROTOCOL.md 8).
func (w *world) drainBound() time.Duration {
	most, longest := 0, 500*time.Millisecond
	for _, p := range w.present() {
		for _, e := range []*end{p.end, p.end.peer} {
			s := e.conn.Stats()
			most, longest = max(most, s.QueueBytes), max(longest, s.Deadline)
		}
	}
	share := orElse(w.plan.budget, 130)
	if slices.ContainsFunc(w.plan.streams, func(s stream) bool { return s.urgent && s.delivery.Reliable() }) {
		share += 100
	}
	most = most * share / 100
	return 4*longest + 4*w.plan.links.Delay + time.Duration(most)*time.Second/60_000
}

// allArrived says what is missing.
func (w *world) allArrived() string {
	for _, p := range w.present() {
		for _, e := range []*end{p.end, p.end.peer} {
			for i := range w.plan.streams {
				if s := &w.plan.streams[i]; s.delivery.Reliable() && !s.complete(&e.out[i], &e.peer.in[i]) {
					return fmtMissing(e, s)
				}
			}
			if missing := e.missingCalls(); missing != "" {
				return missing
			}
		}
	}
	return ""
}

// allAnswered says whose requests have not ended, as they do by their deadlines at the latest.
func (w *world) allAnswered() string {
	for _, p := range w.present() {
		for _, e := range [...]*end{p.end, p.end.peer} {
			if missing := e.unanswered(); missing != "" {
				return missing
			}
		}
	}
	return ""
}

// leave lets everybody leave in one of the ways in which people do.
func (w *world) leave() {
	w.closing, w.calmSince = true, w.nw.Now()
	for i, p := range w.players {
		if p.end == nil || p.end.peer == nil {
			continue
		}
		p.end.say(&w.plan.streams[1])
		p.end.peer.say(&w.plan.streams[1])
		f := &Fault{Player: i, Size: i}
		oneOf(w.dice, leave, abort, kick, hostCloses, func(*world, *Fault) {})(w, f)
	}
	w.run(2*time.Second + w.plan.linger)
	for _, p := range w.players {
		if e := p.end; e != nil && (e.left != 0 || e.peer != nil && e.peer.left != 0) && (!e.over || e.peer != nil && !e.peer.over) {
			w.fail(Agreed, "%s or %s has left, and not both are over", e.name, e.peer.name)
		}
	}
}

// closeAll closes the host, and with it the sessions that are left.
func (w *world) closeAll() {
	closeHost(w, nil)
	w.run(3*time.Second + w.plan.linger)
	if w.host.running {
		w.fail(SilentAfterEnd, "a host was closed and is not over")
	}
	for _, p := range w.players {
		if p.conn != nil {
			w.fail(Agreed, "the host has closed, and %s stands", p.end.name)
		}
	}
}

// listen holds that nobody says anything any more.
func (w *world) listen() {
	w.run(10 * time.Second)
	w.audit()
	if n := w.nw.Counts().InFlight; n != 0 {
		w.fail(SilentAfterEnd, "%d datagrams are on their way after the end", n)
	}
}
