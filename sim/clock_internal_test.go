package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClockShowsATimeFirstWhenItSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 100_000 {
		c := clock{net: r.Int64N(1 << 50), local: r.Int64N(1<<50) - 1<<49, rate: 1 + r.Int64N(1_900_000)}
		want := c.local + r.Int64N(1<<40)
		at := c.when(want)
		require.GreaterOrEqual(t, c.at(at), want)
		if at > c.net {
			require.Less(t, c.at(at-1), want)
		}
	}
}

func TestClockThatNeverShowsATime(t *testing.T) {
	for _, c := range []clock{{rate: 0}, {rate: million}, {rate: 1}, {rate: million, local: -5}} {
		require.Equal(t, never, c.when(never))
		require.Equal(t, c.net, c.when(c.local))
	}
	stopped, slow := clock{}, clock{rate: 1}
	require.Equal(t, never, stopped.when(1))
	require.Equal(t, never, slow.when(1<<62))
	late := clock{net: never - 5, rate: million}
	require.Equal(t, never, late.when(10))
}
