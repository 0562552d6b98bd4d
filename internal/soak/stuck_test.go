package soak

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
)

func TestOnlyWhatOvertakesTakesTheSendCeilingFromOthers(t *testing.T) {
	for _, of := range [...]struct {
		ceiling int64
		s       stream
		left    []time.Duration // of three sweeps
	}{
		{64 << 10, stream{urgent: true}, []time.Duration{0, 25 * time.Millisecond, sweepEvery}},
		{32 << 10, stream{urgent: true}, []time.Duration{0, 0, 0}},
		{0, stream{urgent: true}, []time.Duration{sweepEvery - 3*time.Millisecond, sweepEvery, sweepEvery}},
		{64 << 10, stream{}, []time.Duration{sweepEvery, sweepEvery, sweepEvery}},
		{64 << 10, stream{urgent: true, delivery: transport.ReliableOrdered}, []time.Duration{sweepEvery, sweepEvery, sweepEvery}},
	} {
		e := &end{w: &world{plan: &Plan{ceiling: of.ceiling, budget: 200}}}
		e.overtakes(&of.s, 5000)
		e.overtakes(&of.s, 500)
		for i, left := range of.left {
			e.overtake()
			require.InDelta(t, left, e.rest, float64(time.Millisecond), "%+v, sweep %d", of, i)
		}
	}
}

// The books say that a message was sent which is nowhere, while everything else comes and goes.
func TestAStreamThatStandsStillIsNoticedUnlessItsReaderIsStopped(t *testing.T) {
	for name, faults := range map[string][]Fault{
		"nothing hinders it": nil,
		"nobody reads":       {fault("consumer stopped", theHost, 3*time.Second, time.Minute)},
	} {
		p := scene(time.Minute, faults...)
		p.streams[1].every = math.MaxInt // never
		w := newWorld(&p, &Census{})
		w.start()
		w.run(3 * time.Second)
		w.players[0].end.out[1].sent++
		w.run(stuckAfter + 2*time.Second)
		require.Equal(t, faults == nil, w.broken != nil, name)
		if w.broken != nil {
			require.Equal(t, Live, w.broken.Invariant)
			require.Contains(t, w.broken.Text, "stands still")
		}
	}
}
