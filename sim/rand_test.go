package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExponentialHasItsMeanAndTail(t *testing.T) {
	r := rand.NewChaCha8([32]byte{1})
	const n, mean = 200_000, 1_000_000
	sum, above := int64(0), [4]int{}
	for range n {
		x := exponential(r, mean)
		sum += x
		for k := range above {
			if x > int64(k+1)*mean {
				above[k]++
			}
		}
	}
	require.InEpsilon(t, mean, sum/n, 0.01)
	for k, got := range above {
		require.InEpsilon(t, n*math.Exp(-float64(k+1)), got, 0.05)
	}
}

func TestBelowIsUniform(t *testing.T) {
	r := rand.NewChaCha8([32]byte{2})
	var seen [7]int
	for range 70_000 {
		seen[below(r.Uint64(), 7)]++
	}
	for _, n := range seen {
		require.InDelta(t, 10_000, n, 500)
	}
}

func TestProbabilitiesAreExact(t *testing.T) {
	require.Equal(t, Probability(0), Percent(0))
	require.Equal(t, Always/2, Percent(50))
	require.Equal(t, Always, Percent(100))
	require.Equal(t, Percent(5), PerMillion(50_000))
	require.Equal(t, Always, PerMillion(1_000_000))
	require.True(t, Always.hits(math.MaxUint64))
	require.False(t, Probability(0).hits(0))
	for _, bad := range []float64{-1, 100.1, math.NaN(), math.Inf(1)} {
		require.Panics(t, func() { Percent(bad) })
	}
	require.Panics(t, func() { PerMillion(-1) })
	require.Panics(t, func() { PerMillion(1_000_001) })
}
