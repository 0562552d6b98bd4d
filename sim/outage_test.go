package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestOutagesHaveTheirLengthAndAverage(t *testing.T) {
	want := sim.Outage{Average: sim.Percent(5), Mean: 100 * time.Millisecond}
	p := newPair(5, sim.Conditions{Outage: want})
	const packets, gap = 500_000, 20 // ms, so ten thousand seconds
	got := p.spread(t, packets, gap*time.Millisecond)
	lost, runs := gaps(got, packets)
	require.Equal(t, p.counts().Drops[sim.DropOutage], lost)
	requireShare(t, 5, lost, packets)
	// Periods that fall between two datagrams are not seen, so those that are seen are longer in the mean.
	seen := gap / (1 - math.Exp(-gap/100.0))
	require.InEpsilon(t, seen, gap*float64(lost)/float64(runs), 0.04)
}

func TestOutageEndIsTheFloorOfWhatIsSentThen(t *testing.T) {
	p := newPair(6, sim.Conditions{Delay: 25 * time.Millisecond, Outage: sim.Outage{Average: sim.Percent(30), Mean: 50 * time.Millisecond}})
	covered := 0
	for i := range 20_000 {
		now := p.nw.Now()
		end := p.nw.OutageEnd(p.client, p.host, now)
		require.GreaterOrEqual(t, end, now)
		before := p.counts().Drops[sim.DropOutage]
		p.send(t, i, i+1)
		require.Equal(t, end > now, p.counts().Drops[sim.DropOutage] > before)
		if end > now {
			covered++
			require.Equal(t, end, p.nw.OutageEnd(p.client, p.host, end-1), "bad to its last nanosecond")
			require.Equal(t, end, p.nw.OutageEnd(p.client, p.host, end), "and good from then on")
		}
		p.nw.RunFor(time.Millisecond)
	}
	require.InDelta(t, 6_000, covered, 1_000)
}

func TestAskingForOutagesInAnyOrderDisturbsNothing(t *testing.T) {
	c := sim.Conditions{Outage: sim.Outage{Average: sim.Percent(30), Mean: 50 * time.Millisecond}}
	quiet, asked := newPair(7, c), newPair(7, c)
	for _, at := range []int64{9_000, 0, 5_000, 100, 100_000, 3} {
		asked.nw.OutageEnd(asked.client, asked.host, at*ms)
	}
	require.Equal(t, quiet.spread(t, 5_000, time.Millisecond), asked.spread(t, 5_000, time.Millisecond))
	for i := range int64(5_000) {
		now := (i * 7919) % 5_000 * ms
		require.Equal(t, quiet.nw.OutageEnd(quiet.client, quiet.host, now), asked.nw.OutageEnd(asked.client, asked.host, now))
	}
}

func TestOutagesDoNotDependOnTheTraffic(t *testing.T) {
	c := sim.Conditions{Outage: sim.Outage{Average: sim.Percent(30), Mean: 50 * time.Millisecond}}
	sparse, dense := newPair(8, c), newPair(8, c)
	sparse.spread(t, 10, time.Second)
	dense.spread(t, 10_000, time.Millisecond)
	for now := int64(0); now < 10_000*ms; now += 10 * ms {
		require.Equal(t, sparse.nw.OutageEnd(sparse.client, sparse.host, now), dense.nw.OutageEnd(dense.client, dense.host, now))
	}
}

func TestOutagesDoNotDependOnWhenALinkIsFirstUsed(t *testing.T) {
	first := func(use int64) []int64 {
		p := newPair(8, sim.Conditions{})
		p.nw.SetDefault(sim.Conditions{Outage: sim.Outage{Average: sim.Percent(30), Mean: 50 * time.Millisecond}})
		other := p.nw.Node("other")
		p.nw.RunUntil(use)
		var ends []int64
		for now := 1_000 * ms; now < 3_000*ms; now += ms {
			ends = append(ends, p.nw.OutageEnd(p.client, other, now))
		}
		return ends
	}
	require.Equal(t, first(0), first(1_000*ms))
}

func TestOutagesThatChangeKeepTheirPast(t *testing.T) {
	often := sim.Conditions{Outage: sim.Outage{Average: sim.Percent(50), Mean: 20 * time.Millisecond}}
	p := newPair(9, sim.Conditions{})
	end := func(now int64) int64 { return p.nw.OutageEnd(p.client, p.host, now) }
	var past []int64
	p.nw.RunUntil(1_000 * ms)
	p.nw.SetLink(p.client, p.host, often)
	for now := 1_000 * ms; now < 2_000*ms; now += ms {
		past = append(past, end(now))
	}
	p.nw.RunUntil(2_000 * ms)
	p.nw.SetLink(p.client, p.host, sim.Conditions{Delay: time.Millisecond, Outage: often.Outage})
	require.Equal(t, past[999], end(1_999*ms), "other conditions leave the periods alone")
	p.nw.SetLink(p.client, p.host, sim.Conditions{})
	for now := int64(0); now < 1_000*ms; now += ms {
		require.Equal(t, now, end(now), "nothing was lost at first")
		require.Equal(t, min(past[now/ms], 2_000*ms), end(1_000*ms+now))
		require.Equal(t, 2_000*ms+now, end(2_000*ms+now))
	}
}

func TestOutageOfAllTimeNeverEnds(t *testing.T) {
	p := newPair(1, sim.Conditions{Outage: sim.Outage{Average: sim.Always, Mean: time.Second}})
	require.Empty(t, p.spread(t, 100, 100*time.Millisecond))
}
