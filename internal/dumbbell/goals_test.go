package dumbbell

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/testflag"
	"github.com/gannet-net/gannet/sim"
)

const (
	ms = time.Millisecond
	// bdp is what the link of usual holds in a round trip.
	bdp = 125_000
)

// usual is one flow for as long as the test may take over a link of 20 Mbit/s and 50 ms, whose buffer holds as much as the link.
func usual() Plan {
	p := Plan{Seed: 1, Rate: 20e6, Queue: bdp, Trips: []time.Duration{50 * ms}, Trip: 50 * ms, Bytes: 1 << 40, For: 20 * time.Second}
	if testflag.Long() {
		p.For = time.Minute
	}
	return p
}

// run3 carries out a plan; with -long with three seeds.
func run3(t *testing.T, p Plan, check func(r Report)) {
	t.Helper()
	seeds := uint64(1)
	if testflag.Long() {
		seeds = 3
	}
	for seed := range seeds {
		p.Seed = seed + 1
		r, err := p.Do()
		require.NoError(t, err)
		t.Logf("seed %d: %+v", p.Seed, r)
		check(r)
	}
}

func TestBulkUsesTheLinkWhateverItLosesAndKeepsItsQueueShort(t *testing.T) {
	for _, row := range []struct {
		loss, goodput float64 // per cent; of the ceiling
	}{{0, 0.95}, {1, 0.95}, {2, 0.93}, {5, 0.90}} {
		for _, queue := range []int{bdp, 4 * bdp} {
			t.Run(fmt.Sprint("loss ", row.loss, " queue ", queue), func(t *testing.T) {
				p := usual()
				p.Loss, p.Queue = sim.Percent(row.loss), queue
				run3(t, p, func(r Report) {
					require.GreaterOrEqual(t, r.Goodput, row.goodput*r.Ceiling)
					require.LessOrEqual(t, r.QueueMean, 6.0)
					require.LessOrEqual(t, r.QueueP95, 10.0)
					require.LessOrEqual(t, r.QueueP99, 20.0)
					require.LessOrEqual(t, r.Overshoot, 50.0, "what the link holds in a round trip")
					require.LessOrEqual(t, r.OvershootTime, 200.0, "four round trips")
				})
			})
		}
	}
}

func TestBulkUsesALinkThatLosesAFifth(t *testing.T) {
	p := usual()
	p.Loss = sim.Percent(20)
	run3(t, p, func(r Report) { require.GreaterOrEqual(t, r.Goodput, 0.85*r.Ceiling) })
}

func TestAGameBesideBulkHardlyNotices(t *testing.T) {
	for _, loss := range []float64{0, 2} { // at 1 % the 99th of 100 is lost or not
		p := usual()
		p.Loss, p.For = sim.Percent(loss), time.Minute // quantiles need the messages
		run3(t, p, func(r Report) {
			require.LessOrEqual(t, r.GameAdded, 5.0)
			require.LessOrEqual(t, r.GameAddedApart, 5.0, "12 would do")
		})
	}
}

func TestBulkFollowsALinkThatGetsSlowerAndFaster(t *testing.T) {
	for _, queue := range []int{bdp, 4 * bdp} {
		p := usual()
		p.Queue, p.Step = queue, 5e6
		run3(t, p, func(r Report) {
			require.LessOrEqual(t, *r.StepQueue, 1000.0)
			require.LessOrEqual(t, *r.StepRate, 2000.0)
		})
	}
}

func TestFlowsShareALink(t *testing.T) {
	for _, row := range []struct {
		name  string
		trips []time.Duration
		jain  float64
		ratio float64
	}{
		{"two", []time.Duration{50 * ms, 50 * ms}, 0.95, 2},
		{"ten", []time.Duration{50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms, 50 * ms}, 0.9, 2},
		{"near and far", []time.Duration{25 * ms, 100 * ms}, 0.9, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := usual()
			p.Trips, p.For = row.trips, time.Minute
			run3(t, p, func(r Report) {
				require.GreaterOrEqual(t, *r.Jain, row.jain)
				require.LessOrEqual(t, *r.Ratio, row.ratio)
			})
		})
	}
}

func TestCubicBehavesAsItsModel(t *testing.T) {
	p := usual()
	p.Trips, p.Cubic, p.For = nil, true, time.Minute
	run3(t, p, func(r Report) { require.GreaterOrEqual(t, *r.Cubic, 0.9*20) })

	p.Loss = sim.Percent(1)
	mean := 0.0
	for p.Seed = 1; p.Seed <= 3; p.Seed++ {
		r, err := p.Do()
		require.NoError(t, err)
		mean += *r.Cubic / 3
	}
	require.InDelta(t, 2.3, mean, 0.15*2.3)
}

func TestBulkSharesALinkWithCubic(t *testing.T) {
	for _, queue := range []int{bdp, 2 * bdp} {
		p := usual()
		p.Queue, p.Cubic, p.For = queue, true, time.Minute
		run3(t, p, func(r Report) {
			require.GreaterOrEqual(t, *r.Share, 35.0)
			require.LessOrEqual(t, *r.Share, 65.0)
		})
	}
}

func TestBulkIsRestrainedAgainOnceARivalHasGone(t *testing.T) {
	p := usual()
	p.Queue, p.Cubic, p.CubicFor, p.For = 4*bdp, true, 20*time.Second, time.Minute
	r := p.start()
	r.nw.RunUntil(int64(20 * time.Second))
	require.Greater(t, r.bottleneck.Wait(), 50*ms, "the rival has filled the buffer")
	r.nw.RunUntil(int64(40 * time.Second))
	require.Less(t, r.bottleneck.Wait(), 10*ms)
}

func TestBulkInTheBackgroundGivesWay(t *testing.T) {
	p := usual()
	p.Background = true
	run3(t, p, func(r Report) {
		require.GreaterOrEqual(t, r.Goodput, 0.8*r.Ceiling, "of a link that nobody else uses")
		require.LessOrEqual(t, r.QueueP99, 20.0)
	})
	p.Cubic = true
	run3(t, p, func(r Report) { require.LessOrEqual(t, *r.Share, 10.0) })
}

func TestBulkHardlyLosesWhereNoQueueShows(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"a short buffer":                       func(p *Plan) { p.Queue = bdp / 10 },
		"a policer":                            func(p *Plan) { p.Police = bdp },
		"a policer with a small bucket":        func(p *Plan) { p.Police = bdp / 10 },
		"a policer, and losses that it is not": func(p *Plan) { p.Police, p.Loss = bdp/10, sim.Percent(2) },
	} {
		t.Run(name, func(t *testing.T) {
			p := usual()
			p.For = time.Minute
			change(&p)
			run3(t, p, func(r Report) {
				require.LessOrEqual(t, r.BulkLoss, 2.0)
				require.LessOrEqual(t, r.GameAdded, 5.0)
				require.GreaterOrEqual(t, r.Goodput, 0.8*r.Ceiling)
			})
		})
	}
}

func TestJitterIsNotTakenForAQueue(t *testing.T) {
	for _, jitter := range []time.Duration{1 * ms, 2 * ms, 5 * ms} {
		p := usual()
		p.Jitter = jitter
		run3(t, p, func(r Report) { require.GreaterOrEqual(t, r.Goodput, 0.85*r.Ceiling, jitter) })
	}
}

func TestLatenessIsNotTakenForAQueue(t *testing.T) {
	for _, late := range []time.Duration{1 * ms, 2 * ms} {
		for _, loss := range []float64{0, 2} {
			p := usual()
			p.Late, p.Loss = late, sim.Percent(loss)
			run3(t, p, func(r Report) {
				require.GreaterOrEqual(t, r.Goodput, 0.9*r.Ceiling, "%v, loss %v", late, loss)
				require.LessOrEqual(t, r.QueueP99, 10.0)
			})
		}
	}
}

func TestALongerPathIsNotTakenForAQueueForLong(t *testing.T) {
	for _, longer := range []time.Duration{10 * ms, 100 * ms} {
		p := usual()
		p.Longer, p.For = longer, time.Minute
		run3(t, p, func(r Report) {
			require.GreaterOrEqual(t, r.Goodput, 0.8*r.Ceiling, longer)
			require.Less(t, r.QueueMean, 20.0)
		})
	}
}

func TestAcksOfBulkDoNotWaitForATick(t *testing.T) {
	p := usual()
	p.AckOnTick = true
	run3(t, p, func(r Report) {
		require.GreaterOrEqual(t, r.Goodput, 0.8*r.Ceiling)
		require.LessOrEqual(t, r.QueueP99, 10.0)
	})
}

func TestLinksOfManyKinds(t *testing.T) {
	for _, row := range []struct {
		rate    int64
		trip    time.Duration
		goodput float64
	}{
		{1e6, 50 * ms, 0.85}, {1e6, 200 * ms, 0.75}, {5e6, 10 * ms, 0.9}, {20e6, 2 * ms, 0.9}, {20e6, 200 * ms, 0.75}, {100e6, 10 * ms, 0.9},
	} {
		t.Run(fmt.Sprint(row.rate/1e6, " Mbit/s ", row.trip), func(t *testing.T) {
			p := usual()
			p.Rate, p.Trip, p.Trips = row.rate, row.trip, []time.Duration{row.trip}
			p.Queue = max(16*Packet, 2*int(row.rate/8*int64(row.trip)/int64(time.Second)))
			run3(t, p, func(r Report) { require.GreaterOrEqual(t, r.Goodput, row.goodput*r.Ceiling) })
		})
	}
}

func TestOneSeedIsOneRun(t *testing.T) {
	p := usual()
	p.For, p.Loss = 5*time.Second, sim.Percent(2)
	first, err := p.Do()
	require.NoError(t, err)
	again, err := p.Do()
	require.NoError(t, err)
	require.Equal(t, first, again)
	p.Seed = 2
	other, err := p.Do()
	require.NoError(t, err)
	require.NotEqual(t, first.TraceHash, other.TraceHash)
}

func TestBytesThatAreAskedForArrive(t *testing.T) {
	p := usual()
	p.Bytes, p.Loss = 10_000_001, sim.Percent(5)
	r := p.start()
	require.True(t, r.nw.RunUntilDone(int64(p.For), r.done))
	require.EqualValues(t, p.Bytes, r.flows[0].receiver.got)
	require.NoError(t, r.nw.Audit())
}
