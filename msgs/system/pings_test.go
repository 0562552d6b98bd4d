package system_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

// count is how many payloads begin with an id.
func count(payloads [][]byte, idBits, id int) (n int) {
	for _, i := range ids(payloads, idBits) {
		if i == id {
			n++
		}
	}
	return n
}

func pingsEverySecond(t *testing.T) {
	w := newWorld(t)
	a, b := w.join(), w.dial()
	a.host.sent = nil
	w.pass(10 * time.Second)
	require.Equal(t, 10, count(a.host.payloads(), 5, 2))
	require.InDelta(t, 10, count(b.host.payloads(), 5, 2), 1)
}

func answersEcho(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	for _, sent := range []uint64{0, 1, 1 << 40, 1<<64 - 1} {
		g.fromHost(lossily, pack(with([]field{{2, 5}}, time64(sent)...)...)...)
		require.Equal(t, [][]byte{pack(with([]field{{5, 4}}, time64(sent)...)...)}, g.end.payloads())
		g.fromClient(lossily, pack(with([]field{{4, 4}}, time64(sent)...)...)...)
		require.Equal(t, [][]byte{pack(with([]field{{3, 5}}, time64(sent)...)...)}, g.host.payloads())
	}
}

func roundTrip(t *testing.T) {
	w := newWorld(t)
	near, far := w.dial(), w.dial()
	near.end.delay, near.host.delay = 40*time.Millisecond, 40*time.Millisecond
	far.end.delay, far.host.delay = 1500*time.Millisecond, 1500*time.Millisecond // three pings are in flight at a time
	w.pass(20 * time.Second)
	require.Equal(t, 80*time.Millisecond, near.player().RTT())
	require.Equal(t, 3*time.Second, far.player().RTT())
	require.InDelta(t, 3*time.Second, far.player().Quality().Smoothed, float64(50*time.Millisecond))
	require.Zero(t, near.player().Quality().Lost)
	require.Zero(t, far.player().Quality().Lost)
	require.Zero(t, w.server.Stats().Strays)

	pings := 0
	near.host.lose = func(b []byte, _ options) bool { // every other ping
		if b[0]&31 == 2 {
			pings++
		}
		return b[0]&31 == 2 && pings%2 == 0
	}
	w.pass(40 * time.Second)
	require.InDelta(t, 50, near.player().Quality().Lost, 4)
}

func pingsBothWays(t *testing.T) {
	w := newWorld(t)
	g := w.dial()
	g.end.delay, g.host.delay = 40*time.Millisecond, 40*time.Millisecond
	w.pass(5 * time.Second)
	require.Equal(t, []time.Duration{80 * time.Millisecond, 80 * time.Millisecond}, []time.Duration{g.RTT(), g.player().RTT()})
	for _, side := range []struct {
		sent   [][]byte
		idBits int
		ids    []int
	}{{g.host.payloads(), 5, []int{2, 3}}, {g.end.payloads(), 4, []int{4, 5}}} {
		for _, id := range side.ids {
			require.InDelta(t, 5, count(side.sent, side.idBits, id), 1)
		}
	}
}

// cut makes a client hear nothing.
func (g *guest) cut() { g.host.lose = func([]byte, options) bool { return true } }

func silentServer(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.Timeout = time.Hour })
	g := w.join()
	g.cut()
	w.pass(29 * time.Second)
	require.Nil(t, g.ending)
	w.pass(2 * time.Second)
	require.Equal(t, system.EndTimeout, g.ending.Cause)
	require.Equal(t, 30*time.Second, system.Timeout, "which is for the transport as well")
}

// It does not answer pings, and is not silent otherwise.
func silentClient(t *testing.T) {
	w := newWorld(t)
	g, other := w.join(), w.join()
	g.end.lose = func(b []byte, _ options) bool { return b[0]&15 == 5 }
	w.pass(29 * time.Second)
	require.True(t, g.player().Playing())
	w.pass(2 * time.Second)
	require.Error(t, g.host.Err())
	require.Nil(t, other.host.Err())
	require.Equal(t, []string{"joined 1", "joined 2", "left 1"}, w.news)
}

func stall(t *testing.T) {
	w := newWorld(t)
	g, other := w.join(), w.join()
	g.end.held, g.host.held = true, true
	w.pass(5 * time.Second)
	g.end.held, g.host.held = false, false
	w.now += int64(5 * time.Second) // and then all stand still
	w.pass(60 * time.Second)
	require.Nil(t, g.ending)
	require.Nil(t, other.ending)
	require.Len(t, w.server.Players(), 2)

	quick := newWorld(t, func(c *system.ServerConfig) { c.PingEvery, c.Timeout = 100*time.Millisecond, 2*time.Second })
	h := quick.join()
	quick.pass(time.Second)
	require.InDelta(t, 10, count(h.host.payloads(), 5, 2), 1)
	h.end.lose = func([]byte, options) bool { return true }
	quick.pass(3 * time.Second)
	require.Error(t, h.host.Err())
}

func TestPingsAreReliableIfThatIsAskedFor(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.ReliablePings = true })
	g := w.join(func(c *system.ClientConfig) { c.ReliablePings = true })
	w.pass(3 * time.Second)
	require.Greater(t, len(g.host.sent)+len(g.end.sent), 10)
	for _, s := range append(g.host.sent, g.end.sent...) {
		require.Equal(t, reliably, s.o.Delivery)
	}
	require.Positive(t, g.player().Quality().Answered)
	require.Positive(t, g.Quality().Answered)
}

func TestPingsAboveTwiceTheRateAreNotAnswered(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	for range 80 { // two a second for half a minute are 60
		g.fromClient(lossily, pack(with([]field{{4, 4}}, time64(1)...)...)...)
	}
	require.Len(t, g.host.payloads(), 59, "and one that the client had sent itself")
	require.Equal(t, uint64(11), w.server.Stats().PingFlood, "and then it is thrown out")
	require.Error(t, g.host.Err())
}

func TestAPlayerWhoseConnectionIsTooSlowIsKicked(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.MaxPing = 750 * time.Millisecond })
	g := w.join()
	g.end.delay = time.Second
	w.pass(60 * time.Second)
	require.Equal(t, []any{system.EndKicked, system.ReasonPing}, []any{g.ending.Cause, g.ending.Reason})
}

// A server that stands still for as long as it may finds all pings of that time at once.
func TestPingsThatWaitedForAStallAreNoFlood(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	for i := range uint64(28) {
		g.fromClient(lossily, pack(with([]field{{4, 4}}, time64(i)...)...)...)
	}
	require.Zero(t, w.server.Stats().PingFlood)
	w.pass(20 * time.Second)
	require.Zero(t, w.server.Stats().Bad)
	require.True(t, g.player().Playing())
}

func TestAnAnswerToNoPingMeasuresNothing(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	before := g.player().Quality()
	for _, sent := range []uint64{0, 1, uint64(w.now) + 1, 1<<64 - 1} {
		g.fromClient(lossily, pack(with([]field{{5, 4}}, time64(sent)...)...)...)
	}
	require.Equal(t, before, g.player().Quality())
	require.Equal(t, uint64(4), w.server.Stats().Strays)
}

func TestPingsThatAStallHeldUpAreNotSentInABurst(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	w.now += int64(20 * time.Second)
	w.frames(40)
	require.Equal(t, 1, count(g.host.payloads(), 5, 2))
	require.Equal(t, 1, count(g.end.payloads(), 4, 4))
}

func TestAClockThatJumpsBackStopsNoPings(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	w.now -= int64(30 * time.Minute)
	w.pass(70 * time.Second)
	require.InDelta(t, 70, count(g.host.payloads(), 5, 2), 1)
	require.Zero(t, w.server.Stats().PingFlood)
	g.end.lose = func(b []byte, _ options) bool { return b[0]&15 == 5 }
	w.pass(31 * time.Second)
	require.Error(t, g.host.Err(), "and who is silent does not stay")
}

func TestWhoIsSilentInTheQueueDoesNotKeepOthersWaiting(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.MaxPlayers = 1 })
	w.join()
	crashes, next := w.dial(), w.dial()
	w.frames(10)
	require.Equal(t, 2, w.server.Waiting())
	crashes.end.lose = func([]byte, options) bool { return true }
	w.pass(16 * time.Second)
	require.Equal(t, 1, w.server.Waiting())
	require.Equal(t, []string{"place 2", "place 1"}, next.news)
}
