package congestion

const (
	baseLife = 10 * second // for which the least round trip is believed if it is not seen again
	noTrip   = int64(1<<63 - 1)

	jitterSamples = 32
	ackGap        = 2 * millisecond // there is one ack in that time
	shortestSpan  = 2 * ackGap      // in which a few come
)

// roundTrip tells the path from the queue before it: the least round trip of a while is the path, and what the least of the last half round
// trip is above that is the queue. Single late acks are neither.
type roundTrip struct {
	smoothed int64
	base     int64 // the least of baseLife
	baseAt   int64 // when it was seen last, give or take what is noise
	jitter   int64 // how far samples are above the least of their span, in the mean
	sampled  int64 // how many samples that is of, up to jitterSamples
	calm     int64 // the least jitter since base was taken: what a queue has no part in

	least, before int64 // of this span, and of the one before
	spanEnd       int64
}

func (r *roundTrip) sample(now, rtt int64) {
	if r.smoothed == 0 {
		*r = roundTrip{smoothed: rtt, base: rtt, baseAt: now, least: rtt, before: noTrip, spanEnd: now + rtt/4}
		return
	}
	r.smoothed += (rtt - r.smoothed) / 8
	if rtt <= r.base+r.noise()/2 {
		r.base, r.baseAt = min(r.base, rtt), now
	}
	if now >= r.spanEnd {
		r.before, r.least = r.least, rtt
		r.spanEnd = now + max(shortestSpan, r.smoothed/4)
		return
	}
	r.least = min(r.least, rtt)
	r.sampled = min(r.sampled+1, jitterSamples)
	r.jitter += (rtt - r.standing() - r.jitter) / r.sampled
	if r.sampled < jitterSamples || r.jitter < r.calm {
		r.calm = r.jitter
	}
}

// standing is the round trip without what is late by chance.
func (r *roundTrip) standing() int64 { return min(r.least, r.before) }

// queue is how much of the round trip is spent waiting.
func (r *roundTrip) queue() int64 { return max(0, r.standing()-r.base) }

// noise is how long a queue can look that is none: half a millisecond, because acks come in groups; more if round trips vary by themselves. Where the
// round trip is shorter than the gap between acks, what an ack lets go leaves at once and queues for that long.
//
// Timers, schedulers and radios that are late make even the least of a span late, by less than twice what samples vary in it. A queue makes them vary
// too, where packets are lost most of all, so a little jitter is noise only if it was there without one; much of it is noise anyway.
func (r *roundTrip) noise() int64 {
	least := max(millisecond/2, ackGap-r.base)
	late := min(2*r.calm+least/2, r.base/8)
	much := min(3*r.jitter-4*least, r.base/2)
	return max(least, late, much)
}

// stale reports whether the least round trip was not seen for so long that the path may be another.
func (r *roundTrip) stale(now int64) bool { return now-r.baseAt > baseLife }

// renew takes what the least is now.
func (r *roundTrip) renew(now int64) { r.base, r.baseAt, r.calm = r.standing(), now, r.jitter }
