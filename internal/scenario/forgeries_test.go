package scenario

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// attacked is a session in play with somebody who hears it.
func attacked(t *testing.T, settings ...setting) (h, c *app, a *attacker) {
	w := newSecureWorld(t)
	h = w.host(settings...)
	a = w.attacker(h)
	a.records(func() {
		c = w.join(h, "client")[0]
		c.says("before")
		h.with(c).says("before too")
		w.run(soon)
	})
	a.reaches(c)
	return h, c, a
}

// both calls f for each side of a session: the one that is lied to, and the one in whose name.
func both(h, c *app, f func(victim, other *app)) {
	f(h, c)
	f(c, h)
}

// plays requires that a session is as it was, and that messages still go both ways.
func plays(t *testing.T, h, c *app) {
	t.Helper()
	require.True(t, c.connected())
	s := h.with(c)
	require.NotNil(t, s)
	require.Equal(t, []string{"before"}, s.heard, "nothing of the attacker's was delivered")
	require.Equal(t, []string{"before too"}, c.heard())
	c.says("after")
	s.says("after too")
	c.w.run(soon)
	require.Equal(t, []string{"before", "after"}, s.heard)
	require.Equal(t, []string{"before too", "after too"}, c.heard())
	require.Len(t, h.sessions, 1)
}

// T15: what is in plain is never taken for a session's, whoever sends it and whichever kind it is.
func TestNothingInPlainReachesASecureSession(t *testing.T) {
	h, c, a := attacked(t)
	before := h.with(c).conn.(*udp.Conn).Stats()
	frames := []string{"connect HRD-LOCAL-1", "connect x", "accept 1", "accept 7", "refuse full", "unreliable x", "reliable 0 x", "reliable 1 x", "ack 0", "heartbeat", "disconnect"}
	n := size(2000, 100_000)
	for i := range n {
		d := encode(t, frames[i%len(frames)])
		both(h, c, func(victim, other *app) { a.node.Forge(d, other.address(), victim.address()) })
		a.w.run(0)
	}
	require.EqualValues(t, n, h.drops(framing.DropPlainOnSecure))
	require.EqualValues(t, n, c.conn.HostStats().Drops[framing.DropKind])
	require.Equal(t, before.DatagramsReceived, h.with(c).conn.(*udp.Conn).Stats().DatagramsReceived)
	plays(t, h, c)
}

// T16: a whole session is played again, each datagram three times and in any order, to both sides.
func TestASessionThatIsPlayedAgainDeliversNothing(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	a := w.attacker(h)
	var c *app
	n := size(200, 5000)
	a.records(func() {
		c = w.join(h, "client")[0]
		w.every(20*time.Millisecond, n, func(i int) {
			c.says(fmt.Sprint(i))
			h.with(c).says(fmt.Sprint(i))
			c.sends("loose", unreliable)
		})
		w.run(soon)
	})
	a.reaches(c)
	heard := [2]int{len(h.with(c).heard), len(c.heard())}
	again := slices.Concat(a.tape, a.tape, a.tape)
	a.random.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	for _, d := range again {
		a.node.Forge(d.payload, d.from, d.to)
		w.run(time.Microsecond)
	}
	w.run(time.Second)
	require.Equal(t, heard, [2]int{len(h.with(c).heard), len(c.heard())})
	require.Len(t, h.sessions, 1)
	require.True(t, c.connected())
	w.run(11 * time.Second) // cookies and what was not confirmed have ended
	for _, d := range again {
		a.node.Forge(d.payload, d.from, d.to)
		w.run(time.Microsecond)
	}
	require.Equal(t, heard, [2]int{len(h.with(c).heard), len(c.heard())})
	c.says("after")
	w.run(soon)
	require.Equal(t, heard[0]+1, len(h.with(c).heard))
	t.Logf("%d datagrams, each played again 6 times", len(a.tape))
}

// T17, T19: packets of a session that somebody made up who knows its ids: random ones, genuine ones with changed bits, numbers far ahead.
func TestForgedPacketsOfASessionChangeNothing(t *testing.T) {
	h, c, a := attacked(t)
	genuine := map[*app][]byte{h: a.last(handshake.KindSealed, h.address()), c: a.last(handshake.KindSealed, c.address())}
	before := [2]udp.Stats{h.with(c).conn.(*udp.Conn).Stats(), c.stats()}
	n := size(20_000, 10_000_000) / 2
	buf := make([]byte, framing.MaxDatagram)
	for i := range n {
		both(h, c, func(victim, other *app) {
			d := a.noise(buf[:26+a.random.IntN(40)])
			copy(d, genuine[victim][:5]) // its kind and id
			switch i % 4 {
			case 0: // only the id is right
			case 1: // a bit was changed
				d = append(d[:0], genuine[victim]...)
				d[5+a.random.IntN(len(d)-5)] ^= 1 << a.random.IntN(8)
			case 2: // a number far ahead, or behind
				d = append(d[:0], genuine[victim]...)
				a.noise(d[5:9])
			case 3: // the next number, and what looks like a packet of that size
				d = append(d[:0], genuine[victim]...)
				d[5]++
				a.noise(d[9:])
			}
			a.node.Forge(d, other.address(), victim.address())
		})
		if i%100 == 0 {
			a.w.run(10 * time.Microsecond)
		}
	}
	a.w.run(soon)
	require.Equal(t, before[0].MessagesReceived, h.with(c).conn.(*udp.Conn).Stats().MessagesReceived)
	require.Equal(t, before[1].MessagesReceived, c.stats().MessagesReceived)
	plays(t, h, c)
	t.Logf("%d forged; the host dropped %v", 2*n, h.host.Stats().Drops)
}

// T17, T19: made-up goodbyes of every sort, by somebody who knows the ids of the session and the address of each side.
func TestForgedGoodbyesEndNothing(t *testing.T) {
	h, c, a := attacked(t)
	toHost, toClient := a.last(handshake.KindSealed, h.address()), a.last(handshake.KindSealed, c.address())
	challenge := a.last(handshake.KindChallenge, c.address())
	n := size(20_000, 1_000_000)
	reset := handshake.AppendReset(nil, &handshake.Reset{HostID: 1})
	copy(reset[1:5], toHost[1:5])
	refuse := append(append([]byte{byte(handshake.KindSecureRefuse)}, challenge[1:13]...), 4)
	for i := range n {
		switch i % 5 {
		case 0:
			a.noise(reset[5:])
			a.node.Forge(reset, h.address(), c.address())
		case 1:
			a.node.Forge(refuse, h.address(), c.address())
		case 2:
			both(h, c, func(victim, other *app) { a.node.Forge(encode(t, "disconnect"), other.address(), victim.address()) })
		case 3:
			goodbye := append(slices.Clone(toClient[:5]), a.noise(make([]byte, 4+3+16))...)
			a.node.Forge(goodbye, h.address(), c.address())
			copy(goodbye, toHost[:5])
			a.node.Forge(goodbye, c.address(), h.address())
		case 4: // the host tells who asks for an unknown session, but not for this one
			a.node.Forge(append(slices.Clone(toHost[:5]), a.noise(make([]byte, 40))...), a.address(), h.address())
		}
		if i%100 == 0 {
			a.w.run(10 * time.Microsecond)
		}
	}
	a.w.run(soon)
	require.Empty(t, a.gotBytes(), "no Reset")
	plays(t, h, c)
}

// T19: a million malformed datagrams with the victim's address, while it plays: what it sends is not slowed down.
func TestGarbageInTheNameOfAPlayerDoesNotSlowItDown(t *testing.T) {
	h, c, a := attacked(t, func(c *udp.Config) { c.SendCeiling = 64 << 10 }) // it takes twice that
	const frames = 60
	each := size(20_000, 1_000_000) / frames
	buf := make([]byte, framing.MaxDatagram)
	sealed := a.last(handshake.KindSealed, h.address())
	for i := range frames {
		for j := range each {
			d := a.noise(buf[:1+a.random.IntN(60)])
			if j%2 == 0 && len(d) > 26 {
				copy(d, sealed[:5])
			}
			a.node.Forge(d, c.address(), h.address())
			if j%500 == 0 {
				a.w.run(time.Microsecond)
			}
		}
		c.sends(fmt.Sprint("frame ", i), unreliable)
		a.w.run(time.Second / 60)
	}
	a.w.run(soon)
	require.Len(t, h.with(c).heard, 1+frames, "each frame arrived")
	require.Zero(t, h.drops(framing.DropRate))
	require.True(t, c.connected())
}

// B31, T44: a player that crashed comes back, at once and again and again. Its old session ends, and neither side sees more than one of it.
func TestACrashedPlayerComesBackAtOnce(t *testing.T) {
	n := size(100, 1000)
	w := newSecureWorld(t)
	h := w.host(func(c *udp.Config) { c.MaxPeers = 1 })
	node := w.nw.Node("player")
	var last *app
	slowest := time.Duration(0)
	for i := range n {
		node.Kill()
		node.Restart()
		began := w.nw.Now()
		c := w.clientOn(node, 0, h.address(), func(c *udp.Config) { c.ClientKey = keyOf("ada") })
		w.until(2*time.Second, func() bool { return c.connected() && h.with(c) != nil })
		slowest = max(slowest, time.Duration(w.nw.Now()-began))
		require.Len(t, h.sessions, i+1)
		require.Equal(t, 1, h.peers())
		if last != nil {
			require.Equal(t, transport.Replaced, h.sessions[i-1].cause())
		}
		last = c
		w.run(time.Duration(i%7) * 30 * time.Millisecond)
	}
	t.Logf("%d times; the slowest took %v", n, slowest)
}

// What the two sides say to each other is nowhere on the wire: not what they send, not who they say they are, not why they part.
func TestNothingThatIsSaidCanBeRead(t *testing.T) {
	words := []string{"who I am", "let me in", "said reliably", "said loosely", "said by the host", "not you", "goodbye"}
	w := newSecureWorld(t)
	sent := 0
	w.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Sent {
			sent++
			for _, word := range words {
				require.NotContains(t, string(e.Payload), word)
			}
		}
	})
	h := w.host(func(c *udp.Config) {
		c.Admit = func(r udp.Request) *udp.Refusal {
			if string(r.ConnectData) == "who I am" {
				return nil
			}
			return &udp.Refusal{Text: "not you"}
		}
	})
	saying := func(data string) setting { return func(c *udp.Config) { c.ConnectData = []byte(data) } }
	c := w.client("client", h, saying("who I am"))
	w.until(soon, c.connected)
	w.run(soon)
	for range 100 {
		c.says("said reliably")
		c.sends("said loosely", unreliable)
		h.with(c).says("said by the host")
		w.run(20 * time.Millisecond)
	}
	other := w.client("other", h, saying("let me in"))
	w.run(soon)
	require.ErrorContains(t, other.session().err, "not you")
	h.with(c).conn.(*udp.Conn).Kick(77, "goodbye")
	h.wake()
	w.run(soon)
	require.ErrorContains(t, c.session().err, "goodbye")
	require.Greater(t, sent, 300)
}
