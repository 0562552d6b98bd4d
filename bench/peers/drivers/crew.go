package drivers

import (
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// crew is the goroutines of a host, with what makes each of them end.
type crew struct {
	running sync.WaitGroup

	mu    sync.Mutex
	ends  map[int]func()
	next  int
	ended bool
}

// run runs a goroutine that returns after end was called. If the crew has ended, it calls end instead.
func (c *crew) run(end, work func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		end()
		return
	}
	if c.ends == nil {
		c.ends = map[int]func(){}
	}
	id := c.next
	c.next++
	c.ends[id] = end
	c.running.Go(func() {
		work()
		c.forget(id)
	})
}

func (c *crew) forget(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ends, id)
}

// end makes all end, and waits for them.
func (c *crew) end() {
	for _, end := range c.dismiss() {
		end()
	}
	c.running.Wait()
}

// dismiss gives the ends, to be called without the lock: they may wait for a goroutine that wants it.
func (c *crew) dismiss() (ends []func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, end := range c.ends {
		ends = append(ends, end)
	}
	return ends
}

// oneByOne lets several goroutines hand out messages of a connection.
func oneByOne(receive peer.Receive) peer.Receive {
	var mu sync.Mutex
	return func(lane int, payload []byte) {
		mu.Lock()
		defer mu.Unlock()
		receive(lane, payload)
	}
}

// heart beats for a stack that has no heartbeats of its own.
type heart struct {
	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// beat calls send every so often, on a goroutine of its own, until stop. With 0 it never does.
func (h *heart) beat(every time.Duration, send func()) {
	if every <= 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	h.timer = time.AfterFunc(every, func() {
		send()
		h.beat(every, send)
	})
}

func (h *heart) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	if h.timer != nil {
		h.timer.Stop()
	}
}
