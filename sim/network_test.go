package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestDefaultHoldsForEveryLinkWithoutItsOwnConditions(t *testing.T) {
	nw := sim.New(1)
	a, b, c := nw.Node("a"), nw.Node("b"), nw.Node("c")
	own, usual := sim.Conditions{Delay: time.Millisecond}, sim.Conditions{Delay: time.Second}
	nw.SetBoth(a, b, own)
	require.Zero(t, nw.Link(a, c).Delay)
	nw.SetDefault(usual)
	require.Equal(t, own.Delay, nw.Link(a, b).Delay)
	require.Equal(t, own.Delay, nw.Link(b, a).Delay)
	require.Equal(t, usual.Delay, nw.Link(a, c).Delay, "made before")
	require.Equal(t, usual.Delay, nw.Link(c, b).Delay, "made after")
	require.Zero(t, nw.Link(a, a).Delay, "loopback is perfect")
}

func TestConditionsMayChangeMidRun(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.nw.At(500*ms, func() { p.nw.SetLink(p.client, p.host, sim.Conditions{Loss: sim.Always}) })
	p.nw.At(700*ms, func() { p.nw.SetLink(p.client, p.host, sim.Conditions{}) })
	got := p.spread(t, 1000, time.Millisecond)
	require.Equal(t, append(counting(0, 500), counting(700, 1000)...), got)
}

// Nodes that are cut off one after the other, and come back in another order, find their network whole again.
func TestPartitionHealsInAnotherOrder(t *testing.T) {
	nw := sim.New(1)
	var nodes []*sim.Node
	var sockets []*sim.Socket
	for _, name := range []string{"a", "b", "c", "d"} {
		n := nw.Node(name)
		s, err := n.Listen(7000)
		require.NoError(t, err)
		nodes, sockets = append(nodes, n), append(sockets, s)
	}
	reached := func(of int) (n int) {
		for i, s := range sockets {
			if i != of {
				sendNumber(t, of, s, nodes[of].AddrPort(7000))
			}
		}
		nw.RunFor(time.Millisecond)
		return len(drain(t, sockets[of]))
	}
	isolate := func(i int, set func(from, to *sim.Node)) {
		for k := range nodes {
			if k != i {
				set(nodes[i], nodes[k])
				set(nodes[k], nodes[i])
			}
		}
	}
	isolate(0, nw.Cut)
	isolate(1, nw.Cut)
	require.Equal(t, []int{0, 0, 1, 1}, []int{reached(0), reached(1), reached(2), reached(3)})
	isolate(1, nw.Heal)
	isolate(0, nw.Heal)
	require.Equal(t, []int{3, 3, 3, 3}, []int{reached(0), reached(1), reached(2), reached(3)})
	requireBooks(t, nw)
}
