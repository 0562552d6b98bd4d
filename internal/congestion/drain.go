package congestion

// drained is a short time in which less is sent, to see the path without this side's part of the queue.
type drained struct {
	window int64
	to     int64 // the end of it, 0 if there is none
}

// drain begins and ends such times: if the least round trip was not seen for long, as the path may be another, and if a rival may have gone.
func (d *Delay) drain(now int64) {
	switch {
	case d.drained.to > 0 && now >= d.drained.to:
		d.drained.to = 0
		if d.rival.here {
			d.endTest(now)
		} else {
			d.trip.renew(now)
		}
	case d.drained.to > 0:
	case d.rival.here && now >= d.rival.testAt:
		d.drained = drained{d.holds(), now + 2*d.trip.smoothed}
	case !d.rival.here && !d.starting && d.trip.stale(now):
		d.drained = drained{d.window / 2, now + 2*d.trip.smoothed}
	}
}
