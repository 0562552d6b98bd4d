package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// counter is a process that counts its runs and waits for datagrams alone.
type counter struct {
	runs int
	do   func()
}

func (c *counter) Run(int64) int64 {
	c.runs++
	if c.do != nil {
		c.do()
	}
	return math.MaxInt64
}

func TestProcessRunsOnceAtTheStart(t *testing.T) {
	nw := sim.New(1)
	c := &counter{}
	nw.Node("n").Attach(c)
	require.Zero(t, c.runs, "not within Attach")
	nw.RunFor(time.Hour)
	require.Equal(t, 1, c.runs)
}

func TestProcessRunsOnceForAllThatCameAtOneMoment(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	var got [][]int
	p.host.Attach(&counter{do: func() { got = append(got, p.receive(t)) }})
	p.send(t, 0, 3)
	p.nw.RunFor(time.Microsecond)
	p.send(t, 3, 4)
	p.nw.RunFor(time.Second)
	require.Equal(t, [][]int{nil, {0, 1, 2}, {3}}, got)
}

func TestProcessIsWokenByItsOwnSocketsAlone(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	other, err := p.host.Listen(7001)
	require.NoError(t, err)
	mine, its, all := &counter{}, &counter{}, &counter{}
	p.host.Attach(mine, p.h)
	p.host.Attach(its, other)
	p.host.Attach(all)
	p.nw.RunFor(0)
	p.send(t, 0, 1)
	p.nw.RunFor(0)
	require.Equal(t, []int{2, 1, 2}, []int{mine.runs, its.runs, all.runs})
	other.FailReads(1, sim.ErrDown)
	p.nw.RunFor(0)
	require.Equal(t, []int{2, 2, 3}, []int{mine.runs, its.runs, all.runs})
	p.host.Wake()
	p.nw.RunFor(0)
	require.Equal(t, []int{3, 3, 4}, []int{mine.runs, its.runs, all.runs})
}

func TestDetachedProcessRunsNoMore(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	k, c := &ticker{every: ms}, &counter{}
	detachTicker := p.host.Attach(k)
	detachCounter := p.host.Attach(c, p.h)
	p.nw.RunFor(0)
	p.send(t, 0, 1)
	detachTicker()
	detachCounter()
	detachCounter()
	p.nw.RunFor(time.Second)
	require.Len(t, k.runs, 1)
	require.Equal(t, 1, c.runs)
}

func TestProcessMayEndItselfAndItsNode(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	var detach func()
	c := &counter{do: func() { detach() }}
	detach = p.host.Attach(c)
	k := &counter{do: p.client.Kill}
	p.client.Attach(k)
	p.nw.RunFor(time.Second)
	p.host.Wake()
	p.client.Wake()
	p.nw.RunFor(time.Second)
	require.Equal(t, 1, c.runs)
	require.Equal(t, 1, k.runs)
	_, some := p.nw.Next()
	require.False(t, some)
}

func TestProcessMayAskToRunAgainAtOnce(t *testing.T) {
	nw := sim.New(1)
	left := 5
	nw.Node("n").Attach(sim.ProcessFunc(func(now int64) int64 {
		if left--; left > 0 {
			return now
		}
		return math.MaxInt64
	}))
	nw.RunFor(0)
	require.Zero(t, left)
	require.Zero(t, nw.Now())
}

func TestProcessesRunInTheOrderInWhichTheyBecameDue(t *testing.T) {
	nw := sim.New(1)
	var got []int
	for i := range 50 {
		n := nw.Node(string(rune('a' + i)))
		n.Attach(sim.ProcessFunc(func(now int64) int64 {
			got = append(got, i)
			return (now/ms + int64(i%7) + 1) * ms
		}))
	}
	nw.RunUntil(0)
	require.Equal(t, counting(0, 50), got)
	got = nil
	nw.RunUntil(ms)
	require.Equal(t, []int{0, 7, 14, 21, 28, 35, 42, 49}, got)
}

func TestTimeThatStandsStillPanics(t *testing.T) {
	nw := sim.New(1)
	nw.Node("n").Attach(sim.ProcessFunc(func(now int64) int64 { return now }))
	require.PanicsWithValue(t, "BUG: time stands still: something answers itself without delay", func() { nw.RunFor(time.Second) })
}

// What the caller does at the very time to which it has moved the network is not counted with what it did before.
func TestTimeThatTheCallerMovesDoesNotStandStill(t *testing.T) {
	nw := sim.New(1)
	happened := 0
	for range 5 << 10 {
		for range 1 << 10 {
			nw.After(0, func() { happened++ })
		}
		nw.RunFor(1)
	}
	require.Equal(t, 5<<20, happened)
}
