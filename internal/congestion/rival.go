package congestion

// rival is a flow that fills the buffer of the bottleneck whatever the queue is, as loss-based ones do. Beside it a flow that keeps the queue
// short gets nothing, so while it is there this side does the same.
type rival struct {
	here   bool
	window *Cubic
	before int64 // own window while the queue was short, the largest of the last 16 round trips or so
	since  int64 // since when the queue is long, 0 if it is not

	testAt int64 // when to see whether it has gone
	gone   bool  // it seemed so in the last test
	queue  int64 // of the last test
	same   int   // tests in a row with that queue
}

const (
	rivalTrips = 5          // round trips for which the queue is long although less is sent
	rivalStart = 2          // how much slower than slow start competing begins
	rivalMost  = 3          // windows before, up to which it does
	rivalTest  = 8 * second // between tests
	rivalAgain = second     // until the test is made again that found none
	rivalSame  = 3          // tests with the same queue: it is none, the path is longer
)

// long reports whether the queue is longer than flows like this one make it.
func (d *Delay) long() bool {
	return d.waiting() > max(2*longQueue, d.trip.base/4, muldiv(4*Packet, d.trip.base, max(Packet, d.rival.before)))
}

// watch finds a rival: the queue stays long, though this side has given way.
func (r *rival) watch(now int64, f Feedback, d *Delay) {
	switch {
	case r.here, d.yields:
	case !d.long():
		r.since = 0
		if d.waiting() <= longQueue {
			r.before = max(d.window, r.before-muldiv(r.before, int64(f.Acked), 16*d.window))
		}
	case r.since == 0:
		r.since = now
	case now-r.since > rivalTrips*d.trip.smoothed && d.window < r.before/2:
		*r = rival{here: true, window: NewCubic(), before: r.before, testAt: now + rivalTest}
		r.window.window, r.window.threshold, r.window.trip = r.before, rivalMost*r.before, d.trip.smoothed
		d.ceiling.window = 0
	}
}

// compete lets the window be that of CUBIC.
func (d *Delay) compete(now int64, f Feedback) {
	w := d.rival.window
	f.Hungry = f.Hungry && d.drained.to == 0
	if w.starting() {
		f.Acked /= rivalStart
	}
	w.Acked(now, f)
	d.window = w.Window()
}

// endTest ends competition if the queue got short in two tests, when this side gave way: after one the rival may just have given way itself. It
// does so too if the queue is the same in all tests, as no rival's is.
func (d *Delay) endTest(now int64) {
	r := &d.rival
	waiting := d.waiting()
	if off := max(waiting-r.queue, r.queue-waiting); off > d.trip.noise() {
		r.queue, r.same = waiting, 0
	}
	r.same++
	switch short := waiting < longQueue; {
	case r.same >= rivalSame:
		d.trip.renew(now)
		fallthrough
	case short && r.gone:
		*r = rival{before: d.drained.window}
		d.begin(now, d.drained.window)
	case short:
		r.gone, r.testAt = true, now+rivalAgain
	default:
		r.gone, r.testAt = false, now+rivalTest
	}
}
