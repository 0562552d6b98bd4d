package scenario

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B57: connections are closed at random moments, with messages that have just been sent each way, while a fifth of all datagrams is lost. Everything that Send took before
// Close arrives, or Close counts what may not have; and both sides agree who left.
func TestClosesAtRandomMomentsLoseNothingThatIsNotCounted(t *testing.T) {
	const inOneWorld = 50
	onBothProtocols(t, func(w *world) {
		counts := map[string]int{}
		for n := range size(200, 50_000) / inOneWorld {
			var f farewells
			if w.protocol == udp.Secure {
				f.world = newSecureSeededWorld(w.T, uint64(n))
			} else {
				f.world = newSeededWorld(w.T, uint64(n))
			}
			f.play(uint64(n), inOneWorld, counts)
		}
		t.Log(counts)
		require.Greater(t, counts["both"], counts["closes"]/10)
		require.Positive(t, counts["not acknowledged"])
	})
}

// farewells are a host and clients that come, talk and go.
type farewells struct {
	*world
	rng    *rand.Rand
	host   *app
	all    []*farewell
	linger time.Duration // 0 is the default
}

func (f *farewells) patience(c *udp.Config) { c.Linger = f.linger }

// farewell is one connection. What the client said and did is at index 0, the host's side at 1.
type farewell struct {
	of     *farewells
	client *app
	peer   *session
	said   [2][]string
	closes [2]int64 // when a side closes, 0 if it does not
	closed [2]bool
}

func (f *farewells) play(seed uint64, n int, counts map[string]int) {
	f.rng = rand.New(rand.NewPCG(seed, 20))
	f.links(lossy(20))
	if seed%3 == 0 {
		f.linger = 200 * time.Millisecond // too short for some
	}
	f.host = f.world.host(f.patience)
	for i := range n {
		f.all = append(f.all, f.comes(fmt.Sprint("client ", i)))
		f.run(time.Duration(f.rng.IntN(40)) * time.Millisecond)
		f.act()
	}
	f.every(5*time.Millisecond, 1200, func(int) { f.act() }) // by then all have left
	f.until(time.Minute, f.over)
	for i, c := range f.all {
		c.judge(fmt.Sprint("seed ", seed, ", client ", i), counts)
	}
	f.host.host.Abort()
	f.host.wake()
	f.run(0)
}

// comes lets a client dial, and decides who leaves: the client, the host, or both within a moment.
func (f *farewells) comes(name string) *farewell {
	c := &farewell{of: f, client: f.world.client(name, f.host, f.patience)}
	moment := f.nw.Now() + int64(50+f.rng.IntN(1500))*int64(time.Millisecond)
	switch f.rng.IntN(5) {
	case 0, 1:
		c.closes[0] = moment
	case 2, 3:
		c.closes[1] = moment
	default:
		c.closes = [2]int64{moment, moment + int64(f.rng.IntN(100))*int64(time.Millisecond)}
	}
	return c
}

// act lets everybody say something, or go if it is time.
func (f *farewells) act() {
	for _, c := range f.all {
		if c.peer == nil {
			c.peer = f.host.with(c.client)
		}
		if c.peer == nil || !c.client.connected() || c.peer.err != nil {
			continue
		}
		for side := range 2 {
			due := c.closes[side] != 0 && f.nw.Now() >= c.closes[side]
			switch {
			case c.closed[side]:
			case due:
				c.says(side, f.rng.IntN(30)) // the last words
				require.NoError(f, c.conn(side).Close())
				c.closed[side] = true
			case f.rng.IntN(20) == 0:
				c.says(side, f.rng.IntN(3))
			}
		}
		c.client.wake()
	}
	f.host.wake()
}

func (c *farewell) conn(side int) transport.Conn {
	if side == 0 {
		return c.client.conn
	}
	return c.peer.conn
}

func (c *farewell) says(side, n int) {
	for range n {
		text := fmt.Sprint(len(c.said[side]), strings.Repeat(" ", c.of.rng.IntN(400)))
		if c.conn(side).Send([]byte(text), ordered) != nil {
			return // the other side has left
		}
		c.said[side] = append(c.said[side], text)
	}
}

func (f *farewells) over() bool {
	for _, c := range f.all {
		if c.peer == nil || c.peer.err == nil || c.client.session().err == nil {
			return false
		}
	}
	return true
}

// judge holds what each side heard against what the other said and was told.
func (c *farewell) judge(name string, counts map[string]int) {
	t := c.of.T
	ends := [2]*session{c.client.session(), c.peer}
	for side := range 2 {
		own, other := ends[side], ends[1-side]
		var end *transport.DisconnectError
		require.ErrorAs(t, own.err, &end, name)
		said, heard := c.said[side], other.heard
		require.LessOrEqual(t, len(heard), len(said), name)
		require.Equal(t, append([]string{}, said[:len(heard)]...), append([]string{}, heard...), name)
		missing := len(said) - len(heard)
		if c.closed[side] && !c.closed[1-side] {
			require.LessOrEqual(t, missing, end.Undelivered, "%s: side %d was not told what is missing", name, side)
			counts["missing"] += missing
			counts["not acknowledged"] += end.Undelivered
			require.Equal(t, []transport.Cause{transport.ClosedLocally, transport.ClosedByPeer}, []transport.Cause{own.cause(), other.cause()}, name)
		}
	}
	counts["closes"]++
	if c.closed[0] && c.closed[1] {
		counts["both"]++
		for _, s := range ends {
			require.Contains(t, []transport.Cause{transport.ClosedLocally, transport.ClosedByPeer}, s.cause(), name)
		}
	}
}

// A host that has said all that it may to an address that was never heard says its goodbye when it is.
func TestWhoIsHeardAfterTheEndForTheFirstTimeIsToldOfIt(t *testing.T) {
	w := newWorld(t)
	h := w.host(func(c *udp.Config) { c.Linger = 100 * time.Millisecond })
	r := w.raw("peer", h).sends("connect HRD-LOCAL-1").gets("accept 1")
	h.session().says(strings.Repeat("x", 55))
	require.NoError(t, h.session().conn.Close())
	h.wake()
	w.run(time.Second)
	require.Equal(t, transport.ClosedLocally, h.session().cause())
	require.NotContains(t, r.got(), "disconnect", "it has no bytes left for that")
	r.sends("heartbeat").gets("disconnect")
	r.sends("disconnect", "heartbeat").gets("disconnect")
}
