package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestLinkWithoutJitterIsFirstInFirstOut(t *testing.T) {
	for _, gap := range []time.Duration{0, time.Microsecond} {
		p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond})
		require.Equal(t, counting(0, 10_000), p.spread(t, 10_000, gap))
		require.Zero(t, p.counts().Reordered)
		requireBooks(t, p.nw)
	}
}

func TestJitterReorders(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond, Jitter: 20 * time.Millisecond})
	got := p.spread(t, 10_000, 100*time.Microsecond)
	require.Len(t, got, 10_000)
	require.EqualValues(t, overtaken(got), p.counts().Reordered)
	require.Greater(t, p.counts().Reordered, uint64(5_000))
}

// overtaken counts the numbers that come after a higher one.
func overtaken(got []int) int {
	n, highest := 0, -1
	for _, i := range got {
		if i < highest {
			n++
		}
		highest = max(highest, i)
	}
	return n
}

func TestKeepOrderMakesJitterWaitInsteadOfReorder(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond, Jitter: 20 * time.Millisecond, KeepOrder: true})
	require.Equal(t, counting(0, 10_000), p.spread(t, 10_000, 100*time.Microsecond))
	require.Zero(t, p.counts().Reordered)
}

func TestShorterDelayOvertakesUnlessOrderIsKept(t *testing.T) {
	for _, keep := range []bool{false, true} {
		p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond, KeepOrder: keep})
		p.send(t, 0, 1)
		p.nw.SetLink(p.client, p.host, sim.Conditions{Delay: 10 * time.Millisecond, KeepOrder: keep})
		p.send(t, 1, 2)
		p.nw.RunFor(time.Second)
		require.Equal(t, keep, slices.IsSorted(p.receive(t)))
	}
}

func TestHeldBackDatagramIsLateEvenIfOrderIsKept(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond, KeepOrder: true,
		Reorder: sim.Percent(5), ReorderDelay: 2 * time.Millisecond})
	got := p.spread(t, 10_000, 500*time.Microsecond)
	require.EqualValues(t, overtaken(got), p.counts().Reordered)
	requireShare(t, 5, p.counts().HeldBack, 10_000)
	requireShare(t, 5, p.counts().Reordered, 10_000)
}

func TestTiesAreBrokenBySendOrderAcrossLinks(t *testing.T) {
	nw := sim.New(1)
	host := nw.Node("host")
	h, _ := host.Listen(7000)
	nw.SetDefault(sim.Conditions{Delay: 5 * time.Millisecond})
	var clients []*sim.Socket
	for _, name := range []string{"c", "a", "b"} {
		s, _ := nw.Node(name).Listen(0)
		clients = append(clients, s)
	}
	for i := range 300 {
		sendNumber(t, i, clients[i*7%3], host.AddrPort(7000))
	}
	nw.RunFor(5 * time.Millisecond)
	require.Equal(t, counting(0, 300), drain(t, h))
}
