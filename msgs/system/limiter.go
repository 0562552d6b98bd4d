package system

import "github.com/gannet-net/gannet/msgs"

// limiter counts what happens within a time. The time begins with the first event after the last one is over.
type limiter struct {
	began int64
	count int
}

// take counts an event, and reports whether it is within limit.
func (l *limiter) take(now int64, limit msgs.Limit) bool {
	if l.count == 0 || now < l.began || now-l.began >= int64(limit.Within) {
		*l = limiter{began: now}
	}
	l.count++
	return l.count <= limit.Count
}
