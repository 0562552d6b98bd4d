package congestion

// epoch measures the rate that comes through.
type epoch struct {
	began int64
	acked int64 // bytes since then

	rate int64 // bytes a second, in the last whole epoch
}

// take adds an ack. An epoch ends with the first one after span.
func (e *epoch) take(now int64, f Feedback, span int64) {
	if e.began == 0 {
		e.began = now
		return
	}
	e.acked += int64(f.Acked)
	if now-e.began >= span {
		e.rate = perSecond(e.acked, now-e.began)
		e.began, e.acked = now, 0
	}
}
