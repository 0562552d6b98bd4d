package reliable

import "time"

// pacingSlack is how late what waits for the send ceiling, or bulk for its pacer, may be served without getting slower. A loop that runs once a
// frame is late by up to a frame.
const pacingSlack = 20 * int64(time.Millisecond)

// atCeiling reports whether something waits for nothing but the send ceiling.
func (e *Endpoint) atCeiling(now int64) bool {
	ready := e.sending.ready(e.sendLimit)
	return now < ready && e.mayExchange() && e.sendAt() == ready
}

// pay books what leaves. If the ceiling has held it back, as much leaves as if it had been served in time.
func (e *Endpoint) pay(now int64, size int) {
	if e.pressed {
		now -= pacingSlack
	}
	e.sending.spend(now, e.sendLimit, size)
}
