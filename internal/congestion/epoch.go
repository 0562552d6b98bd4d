package congestion

// epoch measures what comes through in spans of about a round trip.
type epoch struct {
	began       int64
	acked, lost int64

	rate      int64 // of the last whole epoch
	got, gone int64 // bytes of it that were acked and lost
}

// take adds an ack and reports whether an epoch ended with it.
func (e *epoch) take(now int64, f Feedback, span int64) bool {
	if e.began == 0 {
		e.began = now
		return false
	}
	e.acked += int64(f.Acked)
	e.lost += int64(f.Lost)
	if now-e.began < span {
		return false
	}
	e.rate = perSecond(e.acked, now-e.began)
	e.got, e.gone = e.acked, e.lost
	e.began, e.acked, e.lost = now, 0, 0
	return true
}
