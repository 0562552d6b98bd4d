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
	style   style
	newPair func(*testing.T, Options) Pair
}

// link is a pair under test.
type link struct {
	client, host *end
	advance      func()
	stop         func()
}

// open makes a pair. A handler in o is a reaction: it is called with each event where the style reads it, in the handler or between two
// calls of Next or Receive.
func (t *trial) open(o Options) *link {
	t.Helper()
	o.Driving = t.style.driving
	client, host := newEnd(t, "client", o.ClientHandler), newEnd(t, "host", o.HostHandler)
	o.ClientHandler, o.HostHandler = nil, nil
	if t.style.handler {
		o.ClientHandler, o.HostHandler = client.handle, host.handle
	}
	p := t.newPair(t.T, o)
	l := &link{client: client, host: host, advance: p.Advance, stop: sync.OnceFunc(p.Stop)}
	client.Conn, host.Conn = p.Client, p.Host
	client.advance, host.advance = p.Advance, p.Advance
	t.Cleanup(l.stop)
	return l
}

// connect makes a pair and reads its Connected events.
func (t *trial) connect(o Options) *link {
	t.Helper()
	l := t.open(o)
	l.client.wantConnected()
	l.host.wantConnected()
	return l
}

func (l *link) ends() []*end { return []*end{l.client, l.host} }

// wantSilence stops the pair, whose ends are closed and read, and demands that nothing else came.
func (l *link) wantSilence() {
	if l.client.style.driving == transport.GameLoop {
		l.advance()
	}
	l.stop()
	l.client.wantSilence()
	l.host.wantSilence()
}

// sub runs check as a subtest.
func (t *trial) sub(name string, check func(*trial)) {
	t.Run(name, func(tt *testing.T) { check(&trial{T: tt, style: t.style, newPair: t.newPair}) })
}

// eachMode runs check as a subtest for each of the modes on a connection of its own, and skips what the transport does not support.
func (t *trial) eachMode(modes []transport.Delivery, o Options, check func(*trial, *link, transport.SendOptions)) {
	for _, d := range modes {
		t.sub(d.String(), func(t *trial) {
			l := t.connect(o)
			l.client.need(d, 0)
			check(t, l, transport.SendOptions{Delivery: d})
		})
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
