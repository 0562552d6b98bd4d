package reliable

import "time"

// Slept tells that this machine was asleep for so long, which its clock did not count and that of the peer did. The peer was not heard during
// that time, but gets two heartbeat intervals, or a round trip if that is longer, to be heard now: perhaps only the calendar was set. It hears from this side at once. What is known
// of the path starts anew: a machine often wakes up somewhere else.
func (e *Endpoint) Slept(now int64, d time.Duration) {
	now = e.advance(now)
	if !e.mayExchange() {
		return
	}
	grace := max(e.rtt.timeout(), 2*int64(e.cfg.Heartbeat))
	e.heard = max(e.heard-int64(d), min(e.heard, now-int64(e.cfg.Timeout)+grace))
	e.said = now - int64(e.cfg.Heartbeat)
	e.PathChanged(now, 0)
}
