package transporttest

import (
	"sync"
	"time"

	"github.com/gannet-net/gannet/transport"
)

// recorder keeps events until the test reads them, however many they are.
type recorder struct {
	mu     sync.Mutex
	events []transport.Event
	more   chan struct{} // holds a signal while events were added that next has not looked at
}

func newRecorder() *recorder { return &recorder{more: make(chan struct{}, 1)} }

func (r *recorder) add(ev transport.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, ev)
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// next returns the oldest event, waiting up to d for one.
func (r *recorder) next(d time.Duration) (transport.Event, bool) {
	timeout := time.After(d)
	for {
		if ev, ok := r.take(); ok {
			return ev, true
		}
		select {
		case <-r.more:
		case <-timeout:
			return transport.Event{}, false
		}
	}
}

func (r *recorder) take() (ev transport.Event, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) == 0 {
		return ev, false
	}
	ev, r.events = r.events[0], r.events[1:]
	return ev, true
}
