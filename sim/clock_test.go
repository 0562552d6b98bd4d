package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

const second = 1_000 * ms

func TestDriftMakesAClockFastOrSlow(t *testing.T) {
	nw := sim.New(1)
	fast, slow, stopped := nw.Node("fast"), nw.Node("slow"), nw.Node("stopped")
	nw.RunUntil(10 * second)
	fast.SetDrift(500)
	slow.SetDrift(-500)
	stopped.SetDrift(-1_000_000)
	nw.RunFor(1000 * time.Second)
	require.Equal(t, 1010*second+500*ms, fast.Clock())
	require.Equal(t, 1010*second-500*ms, slow.Clock())
	require.Equal(t, 10*second, stopped.Clock())
	fast.SetDrift(0)
	stopped.SetDrift(0)
	nw.RunFor(time.Second)
	require.Equal(t, 1011*second+500*ms, fast.Clock())
	require.Equal(t, 11*second, stopped.Clock())
	require.Panics(t, func() { fast.SetDrift(-1_000_001) })
	require.Panics(t, func() { fast.SetDrift(900_001) })
}

func TestDriftIsExactOverYears(t *testing.T) {
	nw := sim.New(1)
	n := nw.Node("n")
	n.SetDrift(7)
	const years = 100 * 365 * 24 * 3600 * second
	nw.RunUntil(years)
	require.Equal(t, years+years/1_000_000*7, n.Clock())
}

func TestProcessRunsWhenItsOwnClockShowsTheTime(t *testing.T) {
	for _, ppm := range []int64{0, 500, -500, 333_333, -999_999, 900_000} {
		nw := sim.New(1)
		n, k := nw.Node("n"), &ticker{every: 100*ms + 7}
		n.SetDrift(ppm)
		n.Attach(k)
		nw.RunFor(time.Second)
		for i, now := range k.runs {
			require.GreaterOrEqual(t, now, int64(i)*(100*ms+7), "never early")
			require.LessOrEqual(t, now, int64(i)*(100*ms+7+2), "at most a nanosecond of the network late each time")
		}
		require.Len(t, k.runs, int((1_000_000+ppm)/100_000)+1-boolInt(ppm%100_000 == 0), ppm)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestJumpForwardMakesDeadlinesDue(t *testing.T) {
	nw := sim.New(1)
	n, k := nw.Node("n"), &ticker{every: 100 * ms}
	n.Attach(k)
	nw.RunUntil(50 * ms)
	n.JumpClock(time.Hour)
	nw.RunUntil(60 * ms)
	require.Equal(t, []int64{0, 50*ms + 3600*second}, k.runs)
}

func TestJumpBackPutsDeadlinesOff(t *testing.T) {
	nw := sim.New(1)
	n, k := nw.Node("n"), &ticker{every: 100 * ms}
	n.Attach(k)
	nw.RunUntil(50 * ms)
	n.JumpClock(-time.Second)
	require.Equal(t, -950*ms, n.Clock())
	next, _ := nw.Next()
	require.Equal(t, 1100*ms, next)
	nw.RunUntil(1100 * ms)
	require.Equal(t, []int64{0, 100 * ms}, k.runs)
}

func TestStoppedClockRunsNothingByItself(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	k := &ticker{every: ms}
	p.host.SetDrift(-1_000_000)
	p.host.Attach(k)
	p.nw.RunFor(time.Hour)
	require.Len(t, k.runs, 1)
	runs := 0
	p.host.Attach(sim.ProcessFunc(func(int64) int64 { runs++; return math.MaxInt64 }))
	p.send(t, 0, 1)
	p.nw.RunFor(time.Hour)
	require.Equal(t, 2, runs, "datagrams wake it all the same")
}
