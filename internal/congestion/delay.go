package congestion

// Delay is the controller of bulk. It keeps a small share of bytes waiting at the bottleneck, so that the link is never idle and the queue is
// never long: the window is what the path itself holds, and the share. Flows that do so get equal rates, whatever their round trips are, since all
// see the same queue. It takes no losses for congestion but those that it causes, and gives up its restraint beside flows that have none.
type Delay struct {
	trip   roundTrip
	epoch  epoch
	losses lossiness

	window   int64
	usedTo   int64 // until when the window counts as used
	starting bool
	yields   bool // in the background: to whoever sends on the same path

	least   int64 // bytes that are to wait at the bottleneck
	share   int64 // as many, or more to find out how much more the path takes
	shareAt int64 // when it is looked at again
	unmoved bool  // the queue did not show it since then
	trips   int   // in a row for which it did not

	cutAt   int64 // when the window was cut last because the queue was too long
	ceiling ceiling
	drained drained
	rival   rival
}

const (
	// What a queue may be beside the share, until the window is cut: so long, or a part of the round trip.
	longQueue     = 8 * millisecond
	longQueuePart = 8

	patientTrips = 4 // after which the share may be a third of the window, before an eighth
)

// NewDelay makes one that starts.
func NewDelay() *Delay { return newDelay(Packet, false) }

// NewBackground makes one that takes what others leave: it does not compete with flows that fill buffers, and beside one of its kind that is
// not in the background it gets a small part.
func NewBackground() *Delay { return newDelay(Packet/4, true) }

func newDelay(share int64, yields bool) *Delay {
	return &Delay{window: initialWindow, starting: true, yields: yields, least: share, share: share}
}

// Window is how many bytes may be on their way.
func (d *Delay) Window() int64 {
	if d.drained.to > 0 {
		return max(smallestWindow, d.drained.window)
	}
	return d.window
}

// Rate is a little more than what the window allows, so that the window decides; twice as much as long as that doubles.
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

// Congested reports whether losses were caused a short time ago, or a rival fills the buffer.
func (d *Delay) Congested() bool { return d.rival.here || d.ceiling.window > 0 }

// Silence begins anew.
func (d *Delay) Silence() { *d = *newDelay(d.least, d.yields) }

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

// holds is what the path itself holds at the rate that comes through.
func (d *Delay) holds() int64 { return inTime(d.epoch.rate, d.trip.base) }

// start nearly doubles the window in each round trip until a queue begins to show. Then the window is about what the path and half of its buffer
// hold, if that is so large.
func (d *Delay) start(now int64, f Feedback) {
	switch {
	case d.waiting() > d.expected():
		d.begin(now, max(d.window/2, min(d.window, d.holds())))
	case f.Hungry:
		d.window += int64(f.Acked) * 3 / 4
	}
}

// begin goes on from a window that is known to be right.
func (d *Delay) begin(now, window int64) {
	d.starting, d.window = false, window
	d.share, d.shareAt = d.least, now+d.trip.smoothed
}

// steer moves the window to where the share waits, half of the way in a round trip: the equation of FAST TCP (Wei, Jin, Low, Hegde, 2006). The window
// grows if it was used in the last round trip: where acks come unevenly the pacer is what holds back between some of them, and a window that each ack
// may lower but few may raise gets too small.
func (d *Delay) steer(now int64, f Feedback) {
	waiting := d.waiting()
	if waiting > d.expected()/2 {
		d.share, d.unmoved, d.trips = d.least, false, 0
	}
	if f.Hungry {
		d.usedTo = now + d.trip.smoothed
	}
	if now >= d.shareAt {
		d.widen(f)
		d.unmoved, d.shareAt = true, now+d.trip.smoothed
	}
	target := muldiv(d.window, d.trip.base, d.trip.base+waiting) + d.share
	switch change := (target - d.window) / 2; {
	case change < 0:
		d.window -= muldiv(-change, int64(f.Acked), d.window)
	case now < d.usedTo:
		d.window += muldiv(change, int64(f.Acked), d.window)
	}
}

// widen doubles the share if that of the last round trip did not show in the queue: the path may take much more.
func (d *Delay) widen(f Feedback) {
	if !d.unmoved || !f.Hungry || d.ceiling.isNear(d.window) {
		return
	}
	most := d.window / 8
	if d.trips++; d.trips > patientTrips {
		most = d.window / 3
	}
	d.share = min(2*d.share, max(d.least, most))
}

// guard empties a queue that is too long, as it is when the path takes less than before. It reports whether it is.
func (d *Delay) guard(now int64) bool {
	if d.waiting() <= max(longQueue, d.trip.base/longQueuePart)+2*d.expected() {
		return false
	}
	if now-d.cutAt >= d.trip.base/2 {
		d.cutAt = now
		d.begin(now, min(d.window, d.holds()*7/8))
	}
	return true
}
