package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBucketsGiveQuantilesWithinAHundredth(t *testing.T) {
	for _, step := range []int64{1, 999, 1_000_003, math.MaxInt64 / 1000} {
		var b buckets
		for i := range int64(1000) {
			b.add((i + 1) * step)
		}
		for _, perMille := range []int{1, 500, 990, 1000} {
			exact := float64(int64(perMille) * step)
			got := float64(b.quantile(perMille))
			require.GreaterOrEqual(t, got, exact)
			require.LessOrEqual(t, got, exact*(1+1.0/128), "%d per mille of step %d", perMille, step)
		}
	}
}

func TestBucketsTellShortTimesExactly(t *testing.T) {
	var b buckets
	for _, time := range []int64{-5, 0, 3, 255} {
		b.add(time)
	}
	require.EqualValues(t, 0, b.quantile(500))
	require.EqualValues(t, 3, b.quantile(750))
	require.EqualValues(t, 255, b.quantile(1000))
	require.Zero(t, new(buckets).quantile(500))
}
