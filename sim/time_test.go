package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestDelayedDatagramsArriveWhenTimeIsSteppedByHand(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond})
	p.send(t, 0, 10)
	p.nw.RunFor(99 * time.Millisecond)
	require.Empty(t, p.receive(t))
	p.nw.RunFor(time.Millisecond)
	require.Equal(t, counting(0, 10), p.receive(t))
	require.Equal(t, 100*ms, p.nw.Now())
}

func TestJumpOfTenSecondsDeliversInTimeOrder(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond, Jitter: 90 * time.Millisecond})
	var times []int64
	p.nw.Watch(func(e sim.Event) { times = append(times, e.Time) })
	for _, d := range []time.Duration{7, 3, 5, 1} {
		p.nw.After(d*time.Second, func() { p.send(t, int(d), int(d)+1) })
	}
	p.send(t, 0, 10)
	p.nw.RunFor(10 * time.Second)
	require.Len(t, p.receive(t), 14)
	require.IsNonDecreasing(t, times)
	require.EqualValues(t, 10*time.Second, p.nw.Now())
}

func TestDatagramsToASocketClosedMeanwhileAreCounted(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond})
	p.send(t, 0, 5)
	p.nw.RunFor(100 * time.Millisecond)
	p.send(t, 5, 10)
	require.NoError(t, p.h.Close())
	p.nw.RunFor(time.Second)
	c := p.counts()
	require.EqualValues(t, 5, c.Discarded)
	require.EqualValues(t, 5, c.Drops[sim.DropNoSocket])
	requireBooks(t, p.nw)
}

func TestNextIsTheTimeOfTheNextEvent(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 100 * time.Millisecond})
	next := func() int64 {
		at, some := p.nw.Next()
		require.True(t, some)
		return at
	}
	_, some := p.nw.Next()
	require.False(t, some, "idle")
	require.False(t, p.nw.Step())

	p.send(t, 0, 1)
	require.Equal(t, 100*ms, next())
	p.nw.After(50*time.Millisecond, func() {})
	require.Equal(t, 50*ms, next())
	require.True(t, p.nw.Step())
	require.Equal(t, 50*ms, p.nw.Now())
	require.Equal(t, 100*ms, next())

	p.host.Attach(sim.ProcessFunc(func(now int64) int64 { return 70 * ms }))
	require.Equal(t, 50*ms, next(), "a process runs once at the start")
	p.nw.Step()
	require.Equal(t, 70*ms, next())
	p.host.Kill()
	require.Equal(t, 100*ms, next())
	require.True(t, p.nw.Step())
	_, some = p.nw.Next()
	require.False(t, some, "idle again")
}

func TestAskingForNextChangesNothing(t *testing.T) {
	run := func(ask bool) uint64 {
		p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond, Jitter: 5 * time.Millisecond})
		for i := range 100 {
			p.send(t, i, i+1)
			for range 3 {
				if ask {
					p.nw.Next()
				}
				p.nw.RunFor(time.Millisecond)
			}
		}
		return p.nw.TraceHash()
	}
	require.Equal(t, run(false), run(true))
}

func TestCallsRunInTheOrderOfTimeAndThenOfArrangement(t *testing.T) {
	nw := sim.New(1)
	var got []int
	call := func(i int) func() { return func() { got = append(got, i) } }
	nw.At(20*ms, call(3))
	nw.At(10*ms, call(1))
	nw.At(20*ms, call(4))
	nw.At(10*ms, func() {
		call(2)()
		nw.At(0, call(10)) // past, so at once, but after what is arranged for now
	})
	nw.RunUntil(15 * ms)
	require.Equal(t, []int{1, 2, 10}, got)
	nw.RunUntil(20 * ms)
	require.Equal(t, []int{1, 2, 10, 3, 4}, got)
}

func TestRunUntilAPastTimeChangesNothing(t *testing.T) {
	nw := sim.New(1)
	nw.RunUntil(20 * ms)
	nw.RunUntil(10 * ms)
	require.Equal(t, 20*ms, nw.Now())
}

func TestRunUntilDoneStopsWithTheEventThatDoesIt(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.send(t, 0, 1)
	p.nw.After(20*time.Millisecond, func() {})
	require.True(t, p.nw.RunUntilDone(100*ms, func() bool { return p.h.Waiting() > 0 }))
	require.Equal(t, 10*ms, p.nw.Now())
	require.False(t, p.nw.RunUntilDone(100*ms, func() bool { return p.h.Waiting() > 1 }))
	require.Equal(t, 100*ms, p.nw.Now())
}

func TestSteppingFromWithinAnEventPanics(t *testing.T) {
	for name, step := range map[string]func(*sim.Network){
		"Step":     func(nw *sim.Network) { nw.At(0, func() {}); nw.Step() },
		"RunUntil": func(nw *sim.Network) { nw.RunUntil(10 * ms) },
	} {
		t.Run(name, func(t *testing.T) {
			nw := sim.New(1)
			nw.At(0, func() { step(nw) })
			require.PanicsWithValue(t, "BUG: the network was stepped from within one of its own events", func() { nw.Step() })
		})
	}
}
