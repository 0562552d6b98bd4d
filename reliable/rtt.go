package reliable

import "time"

const (
	initialRTT   = int64(100 * time.Millisecond)
	minMargin    = int64(4 * time.Millisecond)
	minRTTWindow = int64(10 * time.Second)

	// Samples outside of these bounds are clamped, so that a clock that misbehaves cannot poison the estimate.
	minSample = int64(10 * time.Microsecond)
	maxSample = int64(10 * time.Second)

	// The quantile estimator moves in these steps, so that 99.5 % of samples lie below it; by half of the way to a sample far above.
	quantileUp   = int64(995 * time.Microsecond)
	quantileDown = int64(5 * time.Microsecond)

	// cleanRepairs needed repairs in a row narrow the margin by one step, and so does cleanTime without a needless one.
	cleanRepairs = 16
	cleanTime    = int64(10 * time.Second)
)

// rttEstimator smooths round trip times (RFC 6298 with the margin of PROTOCOL.md 8).
type rttEstimator struct {
	smoothed, variance int64
	latest             int64

	min, minAt         int64 // lowest sample and when it was taken
	nextMin, nextMinAt int64 // lowest since half a window after that, to take over when it expires

	tail      int64 // running 99.5 % quantile of sample - smoothed
	extra     int64 // widening after needless repairs
	clean     int32 // needed repairs since the last needless one
	sampled   bool  // there was a sample
	widenedAt int64 // when it last changed
}

func newRTTEstimator() rttEstimator {
	return rttEstimator{smoothed: initialRTT, variance: initialRTT / 2}
}

// sample takes a round trip that is known to belong to one transmission.
func (r *rttEstimator) sample(now, rtt int64) {
	rtt = clampSample(rtt)
	r.latest = rtt
	r.takeMin(now, rtt)
	if r.extra > 0 && now-r.widenedAt > cleanTime {
		r.narrow(now)
	}
	if !r.sampled {
		r.restart(rtt)
		return
	}
	above := rtt - r.smoothed
	if above > r.tail {
		r.tail += max(quantileUp, (above-r.tail)/2)
	} else {
		r.tail = max(0, r.tail-quantileDown)
	}
	r.variance += (abs(above) - r.variance) / 4
	r.smoothed += above / 8
}

func clampSample(rtt int64) int64 { return min(max(rtt, minSample), maxSample) }

// restart forgets the past: the first sample, or the first after the path turned out to be another.
func (r *rttEstimator) restart(rtt int64) {
	r.sampled = true
	r.smoothed, r.variance = rtt, rtt/2
	r.tail = rtt / 4
}

func (r *rttEstimator) takeMin(now, rtt int64) {
	switch {
	case r.min == 0 || rtt <= r.min:
		r.min, r.minAt = rtt, now
		r.nextMin, r.nextMinAt = rtt, now
	case now-r.minAt > minRTTWindow:
		r.min, r.minAt = min(r.nextMin, rtt), r.nextMinAt
		r.nextMin, r.nextMinAt = rtt, now
	case rtt <= r.nextMin || now-r.nextMinAt > minRTTWindow/2:
		r.nextMin, r.nextMinAt = rtt, now
	}
}

// margin is what a deadline adds to the smoothed round trip. What was learned while that was longer counts for no more than half of what it is now.
func (r *rttEstimator) margin() int64 {
	m := min(4*r.variance, r.tail+int64(time.Millisecond))
	return max(minMargin, m) + min(r.extra, r.smoothed/2)
}

// timeout is the time after which a message without an ack is taken for lost.
func (r *rttEstimator) timeout() int64 { return r.smoothed + r.margin() }

// repairWasNeedless widens the margin: the first copy had arrived, and its ack came later than the deadline by late.
func (r *rttEstimator) repairWasNeedless(now, late int64) {
	r.clean, r.widenedAt = 0, now
	r.extra = min(r.extra+min(late, r.smoothed/8), r.smoothed/2)
}

// repairWasNeeded narrows the margin again, a step for every 16.
func (r *rttEstimator) repairWasNeeded(now int64) {
	if r.clean++; r.clean >= cleanRepairs {
		r.narrow(now)
	}
}

func (r *rttEstimator) narrow(now int64) {
	r.clean, r.widenedAt = 0, now
	r.extra = max(0, r.extra-r.smoothed/8)
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}
