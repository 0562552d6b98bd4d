package congestion

// ceiling is the window at which this side caused losses where no queue shows, as a policer or a very short buffer makes it. 0 if it did not.
type ceiling struct {
	window   int64
	to       int64 // until when the window stays below
	patience int64 // for how long that is
}

const (
	shortPatience = 2 * second
	longPatience  = 16 * second
)

// isNear reports whether a window is about that large, so that it has to grow slowly.
func (c *ceiling) isNear(window int64) bool { return c.window > 0 && window > c.window*3/4 }

// set notes where losses were caused. Where it is the same place as before, it takes longer until that is tried again.
func (c *ceiling) set(now, window int64) {
	if c.window > 0 && window > c.window*7/8 && window < c.window*9/8 {
		c.patience = min(2*c.patience, longPatience)
	} else {
		c.patience = shortPatience
	}
	c.window, c.to = window, now+c.patience
}

// avoidLoss stays below what caused losses, and tries later whether that has changed.
func (d *Delay) avoidLoss(now int64, f Feedback) {
	c := &d.ceiling
	rate, caused := d.losses.take(now, f, d.trip.smoothed)
	switch {
	case d.rival.here:
	case caused:
		d.begin(now, min(d.window, inTime(rate, d.trip.base)*15/16))
		c.set(now, d.window)
	case c.window == 0:
	case now < c.to:
		d.window = min(d.window, c.window)
	case d.window > c.window*5/4:
		c.window, d.trips = 0, 0
	}
}
