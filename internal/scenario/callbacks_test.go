package scenario

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// callback is one call of the application's code: by an event, or by Admit (then ev is zero).
type callback struct {
	host        *udp.Host
	self, other transport.Conn // self is nil in Admit
	dial        func()
}

// calls are what may be called from inside a callback. Those that need self do nothing in Admit.
var calls = []struct {
	name string
	ends bool // the connection of the callback
	call func(c *callback)
}{
	{"Send to self", false, onSelf(func(c transport.Conn) { _ = c.Send([]byte("to self"), ordered) })},
	{"Send to another", false, func(c *callback) { _ = c.other.Send([]byte("to another"), ordered) }},
	{"Broadcast", false, func(c *callback) { _ = c.host.Broadcast([]byte("to all"), unreliable) }},
	{"Close self", true, onSelf(func(c transport.Conn) { _ = c.Close() })},
	{"Abort self", true, onSelf(func(c transport.Conn) { c.Abort() })},
	{"Kick self", true, onSelf(func(c transport.Conn) { c.(*udp.Conn).Kick(1, "out") })},
	{"Close another", false, func(c *callback) { _ = c.other.Close() }},
	{"Kick another", false, func(c *callback) { c.other.(*udp.Conn).Kick(1, "out") }},
	{"host Close", true, func(c *callback) { _ = c.host.Close() }},
	{"host Abort", true, func(c *callback) { c.host.Abort() }},
	{"Dial", false, func(c *callback) { c.dial() }},
	{"Poll, Next and Flush", false, func(c *callback) { c.host.Poll(); c.host.Next(); c.host.Flush() }},
	{"blocking calls", false, func(c *callback) {
		_, _ = c.host.Accept(context.Background())
		_, _ = c.other.Receive(context.Background(), nil)
	}},
	{"questions", false, func(c *callback) {
		_ = c.host.Stats()
		_ = c.host.Find(c.other.RemoteAddr())
		for _, conn := range c.host.Conns() {
			_, _ = conn.Sendable(), conn.(*udp.Conn).Stats()
		}
	}},
}

func onSelf(f func(transport.Conn)) func(*callback) {
	return func(c *callback) {
		if c.self != nil {
			f(c.self)
		}
	}
}

// moments are the callbacks, "" for Admit, and what a client does to cause them.
var moments = []struct {
	name     string
	kind     transport.EventKind
	reliable bool
}{
	{"Admit", 0, false},
	{"Connected", transport.Connected, false},
	{"Message", transport.Message, true},
	{"unreliable Message", transport.Message, false},
	{"Outcome", transport.Outcome, false},
	{"Disconnected", transport.Disconnected, false},
}

// B19: from each callback each call, in the background. Whatever waits for ever fails the bubble, or its watchdog.
func TestEveryCallIsPossibleFromEveryCallback(t *testing.T) {
	for _, m := range moments {
		for _, call := range calls {
			t.Run(call.name+" inside "+m.name, func(t *testing.T) {
				inBubble(t, func(b *bubble) { insideHandler(b, m.kind, m.reliable, call.call, call.ends) })
			})
		}
	}
}

func insideHandler(b *bubble, kind transport.EventKind, reliable bool, call func(*callback), ends bool) {
	var h *udp.Host
	var mu sync.Mutex
	var other transport.Conn
	done, after := 0, 0 // calls made, messages of the same connection after the first
	inside := func(self transport.Conn) {
		mu.Lock()
		first := done == 0 && other != nil
		done++
		mu.Unlock()
		if first {
			call(&callback{h, self, other, func() { dialInside(b, h) }})
		}
	}
	admitted := 0
	c := udp.Config{
		Handler: func(ev transport.Event) {
			mu.Lock()
			if other == nil {
				other = ev.Conn
			}
			mine := ev.Conn != other
			if mine && done > 0 && ev.Kind == transport.Message {
				after++
			}
			mu.Unlock()
			if mine && kind != 0 && ev.Kind == kind && (kind != transport.Message || ev.Delivery.Reliable() == reliable) {
				inside(ev.Conn)
			}
		},
		Admit: func(udp.Request) *udp.Refusal {
			if admitted++; admitted == 2 && kind == 0 {
				inside(nil)
			}
			return nil
		},
	}
	if kind != 0 {
		c.Admit = nil
	}
	h, _ = b.listen(c)
	b.dial(h, udp.Config{})
	provoke(b, h)
	time.Sleep(30 * time.Second)
	mu.Lock()
	defer mu.Unlock()
	require.NotZero(b, done, "the callback came")
	if ends && kind == transport.Message {
		require.Zero(b, after, "no message comes after the end that its handler made")
	}
}

// provoke makes a client that causes every kind of event at the host, as far as the host lets it.
func provoke(b *bubble, h *udp.Host) {
	l := b.board.line(0)
	conn, err := udp.Dial(b.Context(), h.Addr().String(), b.config(udp.Config{DialTimeout: time.Second}, l))
	if err != nil {
		return
	}
	b.Cleanup(conn.Abort)
	for range 20 {
		_ = conn.Send([]byte("m"), ordered)
		_ = conn.Send([]byte("m"), unreliable)
	}
	for _, c := range h.Conns() {
		_ = c.Send([]byte("m"), transport.SendOptions{Delivery: transport.ReliableOrdered, Receipt: 1})
	}
	time.Sleep(time.Second)
	_ = conn.Close()
}

// dialInside dials from inside a callback. If the host has Admit, it cannot be asked before the callback returns.
func dialInside(b *bubble, h *udp.Host) {
	conn, err := udp.Dial(context.Background(), h.Addr().String(), b.config(udp.Config{DialTimeout: time.Second}, b.board.line(0)))
	if err == nil {
		assert.NoError(b, conn.Close())
	}
}

// B19, T39 in a game loop, where the callbacks are the caller's own code, and Admit.
func TestEveryCallIsPossibleInsideTheGameLoop(t *testing.T) {
	for _, m := range moments {
		for _, call := range calls {
			t.Run(call.name+" inside "+m.name, func(t *testing.T) {
				watched(t, func() {
					onBothProtocols(t, func(w *world) { w.insideLoop(m.kind, m.reliable, call.call) })
				})
			})
		}
	}
}

func (w *world) insideLoop(kind transport.EventKind, reliable bool, call func(*callback)) {
	done := false
	var h *app
	var other transport.Conn
	inside := func(self transport.Conn) {
		if !done && other != nil {
			done = true
			call(&callback{h.host, self, other, func() { w.client("third", h) }})
		}
	}
	h = w.host(func(c *udp.Config) {
		if kind == 0 {
			c.Admit = func(udp.Request) *udp.Refusal { inside(nil); return nil }
		}
	})
	w.join(h, "other")
	other = h.session().conn
	h.on = func(ev transport.Event) {
		if ev.Conn != other && ev.Kind == kind && (kind != transport.Message || ev.Delivery.Reliable() == reliable) {
			inside(ev.Conn)
		}
	}
	c := w.client("self", h)
	w.run(soon)
	if c.connected() && h.with(c) != nil {
		_ = c.conn.Send([]byte("m"), ordered)
		_ = c.conn.Send([]byte("m"), unreliable)
		_ = h.with(c).conn.Send([]byte("m"), transport.SendOptions{Delivery: transport.ReliableOrdered, Receipt: 1})
		h.wake()
		c.wake()
		w.run(soon)
		_ = c.conn.Close()
		c.wake()
	}
	w.run(20 * time.Second)
	require.True(w, done, "the callback came")
}

// B19: eight goroutines close what the peer has just left, on every transport.
func TestCloseFromManyGoroutinesReturns(t *testing.T) {
	closeAll := func(closers ...func()) {
		var all sync.WaitGroup
		for range 8 {
			for _, f := range closers {
				all.Go(f)
			}
		}
		all.Wait()
	}
	for range 20 {
		inBubble(t, func(b *bubble) {
			h, _ := b.listen(udp.Config{})
			c, _ := b.dial(h, udp.Config{})
			peer := b.accept(h)
			closeAll(func() { c.Close() }, func() { peer.Close() }, func() { h.Close() })
			require.Error(b, c.Err())
			require.Error(b, peer.Err())
		})
		c, peer, err := loopback.Pipe(loopback.Config{})
		require.NoError(t, err)
		watched(t, func() { closeAll(func() { c.Close() }, func() { peer.Close() }) })
	}
}
