package congestion

import "math/bits"

// Cubic is the window of RFC 9438, with slow start, fast convergence and the region in which it does as Reno would. It fills what buffer there
// is and takes every loss for congestion.
type Cubic struct {
	window    int64 // bytes
	threshold int64 // of slow start

	most  int64 // where the window stays for a while: W_max
	prior int64 // window before the last reduction: cwnd_prior
	began int64 // when the epoch began, 0 if it did not yet
	from  int64 // window at that time
	k     int64 // time from then until the window is at most again
	reno  int64 // what Reno's window would be

	quietTo int64 // end of fast recovery: until then losses are of packets from before the last reduction
	trip    int64 // a smoothed round trip
}

// NewCubic makes one that starts.
func NewCubic() *Cubic { return &Cubic{window: 10 * Packet, threshold: largestWindow} }

// Window is how many bytes may be on their way.
func (c *Cubic) Window() int64 { return c.window }

// Rate is as much as the window allows, a quarter faster.
func (c *Cubic) Rate() int64 { return perSecond(c.window, max(c.trip, millisecond)) * 5 / 4 }

// Congested always holds: every loss is taken so.
func (c *Cubic) Congested() bool { return true }

// Silence begins anew, with half of what there was as the end of slow start.
func (c *Cubic) Silence() {
	c.threshold = max(2*Packet, c.window*7/10)
	c.most, c.window, c.began = c.window, 2*Packet, 0
}

// Acked grows the window by what was acked, and reduces it once a round trip at most if something was lost.
func (c *Cubic) Acked(now int64, f Feedback) {
	if f.RTT > 0 {
		if c.trip == 0 {
			c.trip = f.RTT
		}
		c.trip += (f.RTT - c.trip) / 8
	}
	switch {
	case now <= c.quietTo:
		return
	case f.Lost > 0:
		c.reduce(now + max(c.trip, f.RTT)*9/8)
		return
	case !f.Hungry:
		return
	}
	if c.starting() {
		c.window += int64(f.Acked)
		return
	}
	c.grow(now, int64(f.Acked))
}

// starting reports whether it is in slow start.
func (c *Cubic) starting() bool { return c.window < c.threshold }

// reduce is section 4.6 and 4.7.
func (c *Cubic) reduce(quietTo int64) {
	c.prior = c.window
	if c.window < c.most {
		c.most = c.window * 17 / 20
	} else {
		c.most = c.window
	}
	c.window = max(2*Packet, c.window*7/10)
	c.threshold, c.began, c.quietTo = c.window, 0, quietTo
}

// grow is section 4.2 to 4.5.
func (c *Cubic) grow(now, acked int64) {
	if c.began == 0 {
		c.began, c.from, c.reno = now, c.window, c.window
		c.most = max(c.most, c.window)
		c.k = timeToGrow(c.most - c.window)
	}
	target := min(max(c.curve(now-c.began+c.trip), c.window), c.window*3/2)
	c.reno += muldiv(Packet*9/17, acked, c.reno) // alpha, until it is where it was before
	if c.reno >= c.prior {
		c.reno += muldiv(Packet*8/17, acked, c.reno)
	}
	if c.reno > target {
		c.window = max(c.window, c.reno)
		return
	}
	c.window += muldiv(target-c.window, acked, c.window)
}

// curve is W_cubic at a time after the epoch began: 0.4 (t - k)^3 + most, in packets and seconds.
func (c *Cubic) curve(t int64) int64 {
	d := (t - c.k) / 1000 // microseconds
	cube := muldiv(uabs(d)*uabs(d)/1000_000*uabs(d)/1000_000, 4*Packet, 10_000_000)
	if d < 0 {
		cube = -cube
	}
	return c.most + cube
}

// timeToGrow is k: the cube root of n packets over 0.4, in seconds.
func timeToGrow(n int64) int64 {
	// x^3 = n / (0.4 packets), with x in milliseconds
	return cubeRoot(muldiv(n, 2_500_000_000, Packet)) * millisecond
}

// cubeRoot is the integer part.
func cubeRoot(n int64) int64 {
	x := int64(1) << ((bits.Len64(uint64(n)) + 2) / 3)
	for {
		y := (2*x + n/max(1, x*x)) / 3
		if y >= x {
			return x
		}
		x = y
	}
}

func uabs(v int64) int64 { return max(v, -v) }
