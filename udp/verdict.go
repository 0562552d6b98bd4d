package udp

import "time"

// A verdict of the evidence is tried again: a buffer that overflowed looks like a network that damages runs, and to join nothing makes bulk cost three to ten times as much. A minute
// outlasts what ails a buffer, as a rule. What really damages runs is the kernel, or the card, and will do so tomorrow: each pause is twice as long as the one before, up to an hour. After an
// hour without one the next verdict is a first one again, so there are never more than six within an hour.
const (
	firstPause   = int64(time.Minute)
	longestPause = int64(time.Hour)
)

// verdict is that nothing is joined for a while. It has no timer: whoever would join next finds that it is over.
type verdict struct {
	stands bool
	until  int64
	pause  int64 // how long it is for, 0 before the first one
}

func (v *verdict) pass(now int64) {
	if v.pause == 0 || now-v.until >= longestPause {
		v.pause = firstPause
	} else {
		v.pause = min(2*v.pause, longestPause)
	}
	v.stands, v.until = true, now+v.pause
}

// lapses reports whether v ends now.
func (v *verdict) lapses(now int64) bool {
	if !v.stands || now < v.until {
		return false
	}
	v.stands = false
	return true
}
