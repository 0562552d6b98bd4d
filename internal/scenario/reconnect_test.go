package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	sealing "github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// losing loses the first n datagrams of a kind.
func losing(n int, kind framing.Kind) sim.Conditions {
	return sim.Conditions{Delay: oneWay, Drop: func(d []byte) bool {
		if kindOf(d) != kind || n == 0 {
			return false
		}
		n--
		return true
	}}
}

// B28: the first three Accepts are lost, and every Connect comes five times more.
func TestARepeatedConnectGetsTheSameAcceptAndChangesNothing(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	c := w.client("client", h)
	accepts := map[string]bool{}
	w.nw.SetLink(h.node, c.node, losing(3, framing.KindAccept))
	w.nw.SetLink(c.node, h.node, sim.Conditions{Delay: oneWay})
	w.nw.Watch(func(e sim.Event) {
		switch {
		case e.Kind == sim.Sent && e.From == h.node && kindOf(e.Payload) == framing.KindAccept:
			accepts[decode(e.Payload)] = true
		case e.Kind == sim.Sent && e.From == c.node && kindOf(e.Payload) == framing.KindConnect && e.Source == c.address():
			for i := range 5 {
				w.nw.After(time.Duration(i)*time.Millisecond, func() { h.node.Forge(connect, c.address(), h.address()) })
			}
		}
	})
	w.until(time.Second, c.connected)
	for i := range 40 {
		c.says(fmt.Sprint(i))
		h.with(c).says(fmt.Sprint(i))
		w.run(50 * time.Millisecond)
		if i == 20 { // a copy that was on its way for a second
			h.node.Forge(connect, c.address(), h.address())
		}
	}
	w.run(soon)
	require.Equal(t, map[string]bool{"accept 1": true}, accepts)
	require.Len(t, h.sessions, 1)
	require.Equal(t, numbers(40), h.with(c).heard)
	require.Equal(t, numbers(40), c.heard())
}

// B29: the host closes at once what it accepted, and for a second the client hears nothing of it.
func TestWhatComesAfterTheEndMakesNoSession(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	c := w.client("client", h)
	c.on = func(ev transport.Event) {
		if ev.Kind == transport.Connected {
			require.NoError(t, c.conn.Send([]byte("hello"), ordered))
			require.NoError(t, c.conn.Send([]byte("and more"), ordered))
		}
	}
	h.on = func(ev transport.Event) {
		if ev.Kind == transport.Message {
			require.NoError(t, ev.Conn.Close())
			w.nw.Cut(h.node, c.node)
		}
	}
	w.run(time.Second)
	w.nw.Heal(h.node, c.node)
	w.run(5 * time.Second)
	require.Len(t, h.sessions, 1)
	require.Equal(t, []string{"hello"}, h.session().heard)
	require.Equal(t, transport.ClosedByPeer, c.session().cause(), "late data is answered with Disconnect")
}

// B29: the same by hand, 10 ms after the end and long after.
func TestDataOfAnEndedSessionIsAnsweredWithAFewDisconnects(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	r := w.raw("late", h).joins()
	h.session().kicks()
	w.run(100 * time.Millisecond)
	r.got()
	for range 10 {
		r.sends("reliable 0 x", "ack 0", "heartbeat", "unreliable x")
	}
	r.gets(slices.Repeat([]string{"disconnect"}, 8)...)
	w.run(4 * time.Second)
	r.sends("reliable 0 x").gets()
	require.Len(t, h.sessions, 1)
}

// B33: sessions that end for each reason while the next one from the same address begins.
func TestTheEndOfASessionSparesItsSuccessor(t *testing.T) {
	for name, end := range map[string]func(h, c *app){
		"kicked":  func(h, c *app) { h.with(c).kicks() },
		"closed":  func(h, c *app) { _ = h.with(c).conn.Close(); h.wake() },
		"left":    func(_, c *app) { c.leaves() },
		"aborted": func(_, c *app) { c.conn.Abort(); c.wake() },
	} {
		t.Run(name, func(t *testing.T) {
			w, h, c, rng := quickPair(t)
			for range size(100, 1000) {
				old := h.with(c)
				end(h, c)
				w.run(time.Duration(rng.Int64N(int64(5 * time.Millisecond))))
				if c.sock.Close() == nil {
					c.stop()
				}
				c = c.again()
				w.until(time.Second, func() bool { return c.connected() && h.with(c) != nil && h.with(c) != old })
				w.run(100 * time.Millisecond)
				c.succeeds(h, old)
			}
			require.Equal(t, 1, h.peers())
		})
	}
}

// B33: a client that was killed comes back about when its time is over.
func TestATimeOutSparesTheSuccessor(t *testing.T) {
	w, h, c, rng := quickPair(t)
	succeeded, n := 0, size(100, 1000)
	for range n {
		old := h.with(c)
		c.says("last words")
		w.run(time.Millisecond)
		c.dies()
		w.run(10*time.Second - 3500*time.Microsecond + time.Duration(rng.Int64N(int64(5*time.Millisecond))))
		c = c.again()
		w.until(time.Second, c.connected)
		w.run(100 * time.Millisecond)
		if c.connected() && h.with(c) != old {
			succeeded++
			c.succeeds(h, old)
			continue
		}
		// Taken for the old session, which the host could not know to be over.
		if c.connected() {
			c.dies()
		}
		c = w.clientOn(c.node, c.address().Port()+1, h.address())
		w.until(time.Second, func() bool { return c.connected() && h.with(c) != nil })
	}
	require.Greater(t, succeeded, n/4)
	w.run(11 * time.Second)
	require.Equal(t, 1, h.peers())
}

// quickPair is a host and a client with a round trip of 2 ms.
func quickPair(t *testing.T) (w *world, h, c *app, rng *rand.Rand) {
	w = newWorld(t)
	w.links(sim.Conditions{Delay: time.Millisecond})
	h = w.host()
	return w, h, w.join(h, "client")[0], rand.New(rand.NewPCG(33, 0))
}

// succeeds requires that the session of a client came after an old one from its address, is another, and works.
func (a *app) succeeds(h *app, old *session) {
	a.Helper()
	s := h.with(a)
	require.NotNil(a, s)
	require.Error(a, old.err)
	require.NotEqual(a, old.id, s.id)
	require.Same(a, s.conn, h.host.Find(a.address()))
	s.says("welcome back")
	a.w.run(100 * time.Millisecond)
	require.Equal(a, []string{"welcome back"}, a.heard())
}

// B54: a client leaves and comes back from the same port.
func TestAClientThatComesBackFromItsPortStartsAfresh(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	c := w.join(h, "client")[0]
	for range size(5, 25) {
		old := h.with(c)
		for i := range 500 {
			c.says(fmt.Sprint("old ", i))
		}
		w.run(soon)
		c.leaves()
		w.until(soon, func() bool { return c.session().err != nil })
		w.run(50 * time.Millisecond)
		c = c.again()
		w.until(soon, func() bool { return c.connected() && h.with(c) != nil })
		s := h.with(c)
		require.Equal(t, transport.ClosedByPeer, old.cause())
		require.Less(t, slices.Index(h.sessions, old), slices.Index(h.sessions, s))
		require.NotEqual(t, old.id, s.id)
		for i := range 20 {
			c.says(fmt.Sprint(i))
			s.says(fmt.Sprint(i))
		}
		w.run(soon)
		require.Equal(t, numbers(20), s.heard)
		require.Equal(t, numbers(20), c.heard())
		s.heard = nil
	}
}

// B54: a client is killed and dials again from the very port at once, with its key or without. Then its old session is played again.
func TestAKilledClientThatComesBackFromItsPortStartsAfresh(t *testing.T) {
	for name, key := range map[string]sealing.Secret{"the same player": keyOf("ada"), "nobody in particular": {}} {
		t.Run(name, func(t *testing.T) {
			mine := func(c *udp.Config) { c.ClientKey = key }
			w := newSecureWorld(t)
			h := w.host()
			a := w.attacker(h)
			c := w.client("client", h, mine)
			w.until(soon, func() bool { return c.connected() && h.with(c) != nil })
			for range size(5, 25) {
				old := h.with(c)
				a.tape = nil
				a.records(func() {
					for i := range 100 {
						c.says(fmt.Sprint("old ", i))
					}
					w.run(soon)
				})
				c.dies()
				w.run(50 * time.Millisecond)
				c = c.again(mine)
				w.until(soon, func() bool { return c.connected() && h.with(c) != old })
				s := h.with(c)
				require.NotEqual(t, old.id, s.id)
				if key != (sealing.Secret{}) {
					require.Equal(t, transport.Replaced, old.cause())
				}
				w.run(100 * time.Millisecond)
				for _, d := range a.tape {
					a.node.Forge(d.payload, d.from, d.to)
				}
				for i := range 20 {
					c.says(fmt.Sprint(i))
					s.says(fmt.Sprint(i))
				}
				w.run(soon)
				require.Equal(t, numbers(20), s.heard)
				require.Equal(t, numbers(20), c.heard())
				require.Len(t, old.heard, 100)
				s.heard, old.heard = nil, nil
			}
		})
	}
}
