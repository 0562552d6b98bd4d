package transporttest

import (
	"sync"
	"testing"
	"time"

	"github.com/gannet-net/gannet/transport"
)

// patience is how long a test waits for something that must come.
const patience = 5 * time.Second

// style is a way to drive connections and read their events.
type style struct {
	name    string
	driving transport.Driving
	handler bool
}

var (
	gameLoop = style{name: "game loop", driving: transport.GameLoop}
	handler  = style{name: "handler", handler: true}
	receive  = style{name: "receive"}

	everyStyle  = []style{gameLoop, handler, receive}
	seesEvents  = []style{gameLoop, handler} // Connected and Disconnected are events there
	readsAtWill = []style{gameLoop, receive} // the test decides when something is read
	background  = []style{handler, receive}
)

// trial is one promise in one style.
type trial struct {
	*testing.T
	suite *suite
	style style
}

// sub runs check as a subtest, beside its siblings, because a network's goodbyes are mostly waiting.
func (t *trial) sub(name string, check func(*trial)) {
	t.Run(name, func(tt *testing.T) {
		tt.Parallel()
		check(&trial{T: tt, suite: t.suite, style: t.style})
	})
}

// eachMode runs check as a subtest for each of the modes on a connection of its own, and skips what the transport does not support.
func (t *trial) eachMode(modes []transport.Delivery, o Options, check func(*trial, *link, transport.SendOptions)) {
	for _, d := range modes {
		t.sub(d.String(), func(t *trial) {
			t.need(d, 0)
			check(t, t.connect(o), transport.SendOptions{Delivery: d})
		})
	}
}

// need skips the test if the transport does not support the mode on the channel.
func (t *trial) need(d transport.Delivery, channel uint8) {
	t.Helper()
	if !t.suite.probe.Supports(d, channel) {
		t.Skipf("%T does not support %v on channel %d", t.suite.probe, d, channel)
	}
}

// within runs f and fails the test if it does not return.
func (t *trial) within(f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	t.wantDone(done)
}

func (t *trial) wantDone(done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("blocked")
	}
}

// together runs f n times at once and waits for all.
func (t *trial) together(n int, f func(i int)) {
	t.Helper()
	t.within(func() {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { f(i) })
		}
		all.Wait()
	})
}
