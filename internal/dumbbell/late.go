package dumbbell

import "math/rand/v2"

// lateness makes the turns of a loop come late, as timers and schedulers do.
type lateness struct {
	most   int64 // 0 if no turn is late
	random *rand.Rand
	turnAt int64 // of the turn that is due, 0 if none is
}

// until is when the turn comes that is due now or was before: now if it is not late any more.
func (l *lateness) until(now int64) int64 {
	if l.most == 0 {
		return now
	}
	if l.turnAt == 0 {
		l.turnAt = now + l.random.Int64N(l.most)
	}
	at := max(now, l.turnAt)
	if at == now {
		l.turnAt = 0
	}
	return at
}
