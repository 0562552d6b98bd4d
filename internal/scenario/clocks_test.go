package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// Clocks may start anywhere: one that counts from the start of the process is far below zero in a bubble of package testing/synctest.
func TestTheOriginOfTheClockMakesNoDifference(t *testing.T) {
	run := func(origin int64) (hash uint64) {
		w := newSeededWorld(t, 44)
		w.origin = origin
		w.links(lossy(5))
		h := w.host()
		var clients []*app
		for _, name := range names(4) {
			clients = append(clients, w.client(name, h))
		}
		w.run(2 * time.Second)
		w.every(10*time.Millisecond, 200, func(i int) {
			for _, c := range clients {
				c.says(fmt.Sprint(i))
				c.sends("state", unreliable)
			}
		})
		clients[0].leaves()
		clients[1].dies()
		h.with(clients[2]).kicks()
		w.run(15 * time.Second)
		require.Equal(t, 1, h.peers())
		return w.nw.TraceHash()
	}
	want := run(0)
	for _, origin := range []int64{int64(time.Hour), -int64(time.Hour), 1 << 61, -1 << 61} {
		require.Equal(t, want, run(origin), "origin %v", time.Duration(origin))
	}
}

// T48: somebody sets the clock of the calendar, on which a machine sees that it slept, by hours and back, at the host and at clients. Nobody is taken for
// dead, and who is dead is found in time.
func TestAClockThatIsSetDisconnectsNobody(t *testing.T) {
	w := newSecureWorld(t)
	w.links(lossy(10))
	wrong := int64(0)
	set := func(c *udp.Config) {
		right := c.UnixTime
		c.UnixTime = func() int64 { return right() + wrong }
	}
	h := w.host(set)
	var clients []*app
	for _, name := range names(10) {
		c := w.client(name, h, set)
		w.until(10*time.Second, func() bool { return c.connected() && h.with(c) != nil })
		clients = append(clients, c)
	}
	steps := []int64{3600, 0, 5, 9, 12, -3600, 0, 86400 * 365, 0}
	w.every(time.Second/20, size(20, 200)*20, func(i int) {
		if i%20 == 10 {
			wrong = steps[i/20%len(steps)]
		}
		for _, c := range clients {
			c.sends("tick", unreliable)
			_ = h.with(c).conn.Send([]byte("tock"), unreliable)
		}
		h.wake()
	})
	for _, c := range clients {
		require.True(t, c.connected())
		require.NotNil(t, h.with(c))
	}
	dead := h.with(clients[0])
	clients[0].dies()
	wrong = -7200
	w.run(9 * time.Second)
	require.NoError(t, dead.err)
	w.run(2 * time.Second)
	require.Equal(t, transport.TimedOut, dead.cause())
}
