package soak

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
)

func TestOnlyWhatOvertakesAndFillsTheCeilingLeavesNoRoom(t *testing.T) {
	p := Plan{ceiling: 64 << 10, streams: []stream{{delivery: transport.Unreliable, urgent: true, every: 2, burst: 5, low: 14, high: 1014}}}
	require.True(t, p.overtaken())
	for _, change := range []func(){
		func() { p.ceiling = 0 },
		func() { p.ceiling = 256 << 10 },
		func() { p.streams[0].urgent = false },
		func() { p.streams[0].delivery = transport.ReliableOrdered },
		func() { p.streams[0].burst = 4 },
	} {
		before, stream := p.ceiling, p.streams[0]
		change()
		require.False(t, p.overtaken())
		p.ceiling, p.streams[0] = before, stream
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
