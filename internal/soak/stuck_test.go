package soak

import (
	"testing"

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
