package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// ticker is a process that notes when it runs and wants to run every so often.
type ticker struct {
	every int64
	runs  []int64 // on the node's clock
	next  int64
}

func (k *ticker) Run(now int64) int64 {
	if now >= k.next {
		k.runs = append(k.runs, now)
		k.next = now + k.every
	}
	return k.next
}

func TestFrozenHostRunsNothingWhileDatagramsWait(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.h.SetReadBuffer(3 * 260)
	k := &ticker{every: 100 * ms}
	p.host.Attach(k)
	p.nw.RunUntil(250 * ms)
	p.host.Freeze(time.Second)
	p.send(t, 0, 5)
	p.nw.RunUntil(2_000 * ms)
	require.Equal(t, []int64{0, 100 * ms, 200 * ms, 1250 * ms, 1350 * ms}, k.runs[:5], "its clock went on")
	require.Equal(t, []int{0, 1, 2}, p.receive(t))
	require.EqualValues(t, 2, p.counts().Drops[sim.DropBuffer])
	requireBooks(t, p.nw)
}

func TestThawEndsAFreeze(t *testing.T) {
	nw := sim.New(1)
	n, k := nw.Node("n"), &ticker{every: 100 * ms}
	n.Attach(k)
	n.Freeze(time.Hour)
	nw.RunUntil(50 * ms)
	require.Empty(t, k.runs)
	n.Freeze(0)
	nw.RunUntil(60 * ms)
	require.Equal(t, []int64{50 * ms}, k.runs)
}

func TestSuspendedHostHearsNothingAndItsClockStands(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	k := &ticker{every: 100 * ms}
	p.host.Attach(k)
	p.nw.RunUntil(250 * ms)
	p.host.Suspend(time.Hour)
	p.send(t, 0, 5)
	p.nw.RunFor(30 * time.Minute)
	require.Equal(t, 250*ms, p.host.Clock())
	p.nw.RunFor(30 * time.Minute)
	p.nw.RunFor(100 * time.Millisecond)
	require.Equal(t, 350*ms, p.host.Clock())
	require.Equal(t, []int64{0, 100 * ms, 200 * ms, 300 * ms}, k.runs)
	require.EqualValues(t, 5, p.counts().Drops[sim.DropHostDown])
	requireBooks(t, p.nw)
}

func TestSuspendedTwiceWakesAtTheSecondTime(t *testing.T) {
	nw := sim.New(1)
	n := nw.Node("n")
	n.Suspend(time.Second)
	n.SetDrift(500_000)
	n.Suspend(2 * time.Second)
	nw.RunFor(1500 * time.Millisecond)
	require.Zero(t, n.Clock())
	nw.RunFor(1500 * time.Millisecond)
	require.Equal(t, 1500*ms, n.Clock(), "with the drift that was set meanwhile")
}

func TestKilledHostLosesEverythingAndRestartsOnTheSamePort(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.c.ReportRefused(sim.ErrUnreachable)
	k := &ticker{every: ms}
	p.host.Attach(k)
	p.send(t, 0, 3)
	sendNumber(t, 9, p.h, p.clientAddr())
	p.nw.RunFor(10 * time.Millisecond)
	p.send(t, 3, 5)
	p.host.Kill()
	runs := len(k.runs)
	_, err := p.host.Listen(7000)
	require.ErrorIs(t, err, sim.ErrDown)
	p.nw.RunFor(time.Second)
	require.Len(t, k.runs, runs)
	require.Equal(t, []int{9}, drain(t, p.c), "what it had sent arrives, a dead host refuses nothing")
	require.EqualValues(t, 3, p.counts().Discarded)
	require.EqualValues(t, 2, p.counts().Drops[sim.DropHostDown])

	p.host.Restart()
	p.h, err = p.host.Listen(7000)
	require.NoError(t, err)
	p.send(t, 5, 6)
	p.nw.RunFor(time.Second)
	require.Equal(t, []int{5}, p.receive(t))
	require.Len(t, k.runs, runs, "the old process stays dead")
	requireBooks(t, p.nw)
}

func TestHostThatMovesAnswersFromItsNewAddress(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.send(t, 0, 1)
	p.client.SetAddrs(addr("192.0.2.77"))
	p.send(t, 1, 2)
	sendNumber(t, 1, p.h, at("10.0.0.1:49152"))
	p.nw.RunFor(time.Second)
	_, before, _, _ := p.h.TryRead(nil)
	_, after, _, _ := p.h.TryRead(nil)
	require.Equal(t, at("10.0.0.1:49152"), before)
	require.Equal(t, at("192.0.2.77:49152"), after)
	require.Zero(t, p.c.Waiting(), "the old address is nobody's")
	sendNumber(t, 2, p.h, after)
	p.nw.RunFor(time.Second)
	require.Equal(t, []int{2}, drain(t, p.c))
}

func TestDatagramOnItsWayToAnAddressGivenUpIsLost(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.send(t, 0, 1)
	p.host.SetAddrs(addr("192.0.2.77"))
	p.nw.RunFor(time.Second)
	require.EqualValues(t, 1, p.counts().Drops[sim.DropNoRoute])
	requireBooks(t, p.nw)
}

func TestNamesAndAddressesAreUnique(t *testing.T) {
	nw := sim.New(1)
	nw.Node("a", addr("192.0.2.1"))
	require.Panics(t, func() { nw.Node("a") })
	for _, bad := range []string{"192.0.2.1", "0.0.0.0", "127.0.0.1", "::ffff:192.0.2.9"} {
		require.Panics(t, func() { nw.Node("b"+bad, addr(bad)) }, bad)
	}
	require.Equal(t, "c", nw.Node("c").Name())
}

func TestNodesWithoutAddressesGetFreeOnes(t *testing.T) {
	nw := sim.New(1)
	nw.Node("a", addr("10.0.0.1"))
	require.Equal(t, addr("10.0.0.2"), nw.Node("b").Addr())
	require.Equal(t, addr("10.0.0.3"), nw.Node("c").Addr())
}
