package congestion

// Delay is the controller of bulk. It keeps a small share of bytes waiting at the bottleneck, so that the link is never idle and the queue is
// never long: the window is what one round trip of the path takes at the rate that comes through, and the share. Flows that do so get equal
// rates, whatever their round trips are. It does not take losses for congestion but those that it causes.
type Delay struct {
	trip   roundTrip
	epoch  epoch
	losses lossiness

	window   int64
	starting bool

	yields  bool  // in the background: to whoever sends on the same path
	least   int64 // bytes that are to wait at the bottleneck
	share   int64 // as many, or more to find out how much more the path takes
	shareAt int64 // when it is looked at again
	unmoved bool  // the queue did not show it since then
	trips   int   // in a row for which it did not

	cutAt int64 // when the window was cut last because the queue was too long

	ceiling   int64 // window above which this side caused losses, 0 if it did not
	ceilingTo int64 // until when the window stays below
	patience  int64 // for how long that is

	drained int64 // window while less is sent to see the path without a queue
	drainTo int64 // until when, 0 if it is not so
	rival   rival
}

const (
	// What a queue may be beside the share, until the window is cut: so long, or a part of the round trip.
	longQueue     = 8 * millisecond
	longQueuePart = 8

	patientTrips = 4 // after which the share grows beyond an eighth of the window

	shortPatience = 2 * second
	longPatience  = 16 * second
)

// NewDelay makes one that starts.
func NewDelay() *Delay { return newDelay(Packet) }

// NewBackground makes one that takes what others leave: it does not compete with flows that fill buffers, and beside one of its kind that is
// not in the background it gets a small part.
func NewBackground() *Delay {
	d := newDelay(Packet / 4)
	d.yields = true
	return d
}

func newDelay(share int64) *Delay {
	return &Delay{window: initialWindow, starting: true, least: share, share: share}
}

// Window is how many bytes may be on their way.
func (d *Delay) Window() int64 {
	switch {
	case d.drainTo > 0:
		return max(smallestWindow, d.drained)
	case d.rival.here:
		return d.rival.window.Window()
	}
	return d.window
}

// Rate is a little more than what the window allows, so that the window decides.
func (d *Delay) Rate() int64 {
	switch {
	case d.trip.smoothed == 0:
		return perSecond(initialWindow, 100*millisecond)
	case d.rival.here:
		return d.rival.window.Rate()
	}
	r := perSecond(d.window, d.trip.base)
	if d.starting {
		return 2 * r
	}
	return r + r/16
}

// Congested reports whether losses were caused a short time ago, or the buffer is full of what a rival sends.
func (d *Delay) Congested() bool { return d.rival.here || d.ceiling > 0 }

// Sent has no effect.
func (d *Delay) Sent(int64, int) {}

// Silence begins anew.
func (d *Delay) Silence(int64) {
	yields := d.yields
	*d = *newDelay(d.least)
	d.yields = yields
}

// Acked takes what an ack told.
func (d *Delay) Acked(now int64, f Feedback) {
	if f.RTT > 0 {
		d.trip.sample(now, f.RTT)
	}
	if d.trip.smoothed == 0 {
		return
	}
	d.epoch.take(now, f, max(2*shortestSpan, d.trip.base/2))
	d.drain(now)
	d.rival.watch(now, f, d)
	switch {
	case d.rival.here:
		d.compete(now, f)
	case d.guard(now):
	case d.starting:
		d.start(now, f)
	default:
		d.steer(now, f)
	}
	d.avoidLoss(now, f)
	d.window = min(max(d.window, smallestWindow), largestWindow)
}

// waiting is how long the queue is, without what may be noise.
func (d *Delay) waiting() int64 { return max(0, d.trip.queue()-d.trip.noise()) }

// expected is how long the queue is if the least share waits.
func (d *Delay) expected() int64 { return muldiv(d.least, d.trip.base, d.window) }

// start doubles the window in each round trip until a queue begins to show.
func (d *Delay) start(now int64, f Feedback) {
	if d.waiting() <= d.expected() {
		if f.Hungry {
			d.window += int64(f.Acked) * 3 / 4
		}
		return
	}
	d.begin(now, max(d.window/2, min(d.window, inTime(d.epoch.rate, d.trip.base))))
}

// begin ends start-up, and what is like it.
func (d *Delay) begin(now, window int64) {
	d.starting, d.window = false, window
	d.share, d.shareAt = d.least, now+d.trip.smoothed
}

// steer moves the window to where the share waits, half of the way in a round trip (the equation of FAST TCP). As long as the queue does not
// show it, the share is doubled, up to an eighth of the window.
func (d *Delay) steer(now int64, f Feedback) {
	waiting := d.waiting()
	if waiting > d.expected()/2 {
		d.share, d.unmoved, d.trips = d.least, false, 0
	}
	if now >= d.shareAt {
		d.widen(f)
		d.unmoved, d.shareAt = true, now+d.trip.smoothed
	}
	target := muldiv(d.window, d.trip.base, d.trip.base+waiting) + d.share
	switch change := (target - d.window) / 2; {
	case change < 0:
		d.window -= muldiv(-change, int64(f.Acked), d.window)
	case f.Hungry:
		d.window += muldiv(change, int64(f.Acked), d.window)
	}
}

// widen lets more wait if the share of the last round trip did not show: the path may take much more.
func (d *Delay) widen(f Feedback) {
	if !d.unmoved || !f.Hungry || d.ceiling > 0 && d.window > d.ceiling*3/4 {
		return
	}
	most := d.window / 8
	if d.trips++; d.trips > patientTrips {
		most = d.window / 3
	}
	d.share = min(2*d.share, max(d.least, most))
}

// tooLong is the queue from which on the window is cut.
func (d *Delay) tooLong() int64 {
	return max(longQueue, d.trip.base/longQueuePart) + 2*d.expected()
}

// guard empties a queue that is too long, as it is when the path takes less than before. It reports whether it is.
func (d *Delay) guard(now int64) bool {
	if d.waiting() <= d.tooLong() {
		return false
	}
	if now-d.cutAt >= d.trip.base/2 {
		d.cutAt = now
		d.begin(now, min(d.window, inTime(d.epoch.rate, d.trip.base)*7/8))
	}
	return true
}

// avoidLoss stays below what caused losses, and tries later whether that has changed.
func (d *Delay) avoidLoss(now int64, f Feedback) {
	rate, caused := d.losses.take(now, f, d.trip.smoothed)
	if caused && !d.rival.here {
		window := min(d.window, inTime(rate, d.trip.base)*15/16)
		if near := d.ceiling > 0 && window > d.ceiling*7/8 && window < d.ceiling*9/8; near {
			d.patience = min(2*d.patience, longPatience)
		} else {
			d.patience = shortPatience
		}
		d.ceiling, d.ceilingTo = window, now+d.patience
		d.begin(now, window)
	}
	switch {
	case d.ceiling == 0:
	case now < d.ceilingTo:
		d.window = min(d.window, d.ceiling)
	case d.window > d.ceiling*5/4:
		d.ceiling, d.trips = 0, 0
	}
}

// drain sends half as much for two round trips if the least round trip was not seen for long, to see whether the path is another.
func (d *Delay) drain(now int64) {
	switch {
	case d.drainTo > 0 && now >= d.drainTo:
		d.drainTo = 0
		if d.rival.here {
			d.endTest(now)
		} else {
			d.trip.renew(now)
		}
	case d.drainTo > 0:
	case d.rival.here && now >= d.rival.testAt:
		d.drained, d.drainTo = inTime(d.epoch.rate, d.trip.base), now+2*d.trip.smoothed
	case !d.rival.here && !d.starting && d.trip.stale(now):
		d.drained, d.drainTo = d.window/2, now+2*d.trip.smoothed
	}
}
