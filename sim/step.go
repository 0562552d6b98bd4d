package sim

import "time"

// crowdAtMost is how many things may happen at one moment. More is taken for two processes that answer each other
// without delay, or for one that keeps asking to run at once.
const crowdAtMost = 1 << 22

const steppedWithin = "BUG: the network was stepped from within one of its own events"

// Next gives the time at which something happens next; false if nothing ever does unless the caller acts.
func (nw *Network) Next() (int64, bool) {
	m, _ := nw.first()
	return m.due, m.due != never
}

// first finds what is due first, and whether it is a process.
func (nw *Network) first() (moment, bool) {
	m, process := moment{due: never}, false
	if len(nw.events) > 0 {
		m = nw.events[0].moment
	}
	if len(nw.wakes) > 0 && nw.wakes[0].before(m) {
		m, process = nw.wakes[0].moment, true
	}
	return m, process
}

// Step moves time to the next thing that happens and lets it happen: one arrival, one call, one run of a process. It
// reports false, and does nothing, if there is nothing left.
func (nw *Network) Step() bool {
	m, process := nw.first()
	if m.due == never {
		return false
	}
	nw.enter(m.due)
	if process {
		nw.wakes[0].run()
	} else {
		nw.handle(nw.events.pop())
	}
	nw.inStep = false
	return true
}

// enter moves time and guards against calls from within a step.
func (nw *Network) enter(now int64) {
	if nw.inStep {
		panic(steppedWithin)
	}
	nw.inStep = true
	nw.move(now)
	if nw.crowd++; nw.crowd > crowdAtMost {
		panic("BUG: time stands still: something answers itself without delay")
	}
}

// move lets time pass up to t, if that is not past.
func (nw *Network) move(t int64) {
	if t > nw.now {
		nw.now, nw.crowd = t, 0
	}
}

func (nw *Network) handle(e entry) {
	switch e.kind {
	case eventArrive:
		nw.slab.at(e.slot).link.arrive(e.slot)
	case eventServe:
		nw.bottlenecks[e.slot].done()
	case eventCall:
		f := nw.calls[e.slot]
		nw.calls[e.slot] = nil
		nw.unused = append(nw.unused, e.slot)
		f()
	}
}

// RunUntil lets everything happen that is due up to t, in the order of time, and leaves the time at t. A t that is past
// changes nothing.
func (nw *Network) RunUntil(t int64) {
	nw.RunUntilDone(t, func() bool { return false })
}

// RunFor lets d pass.
func (nw *Network) RunFor(d time.Duration) { nw.RunUntil(nw.now + int64(d)) }

// RunUntilDone is RunUntil, but stops as soon as done reports true. It asks first, and after everything that happens.
// It gives what done said last.
func (nw *Network) RunUntilDone(t int64, done func() bool) bool {
	if nw.inStep {
		panic(steppedWithin)
	}
	for !done() {
		if next, some := nw.Next(); !some || next > t {
			nw.move(t)
			return done()
		}
		nw.Step()
	}
	return true
}
