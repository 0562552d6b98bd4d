package udp

import (
	"sync"
	"time"
)

// lease ends the use of a connection that stays open, because it belongs to the caller: it makes a read that waits return, by a read
// deadline in the past, and leaves the connection without a deadline.
type lease struct {
	setDeadline func(time.Time) error

	mu            sync.Mutex
	reading, over bool
}

// begin comes before each read that may wait. It reports false if there must be none.
func (l *lease) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading = !l.over
	return l.reading
}

// done comes after the read, and reports false if what it returned no longer counts.
func (l *lease) done() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading = false
	if l.over {
		_ = l.setDeadline(time.Time{})
	}
	return !l.over
}

func (l *lease) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.reading {
		return l.setDeadline(time.Unix(1, 0))
	}
	return l.setDeadline(time.Time{})
}
