package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrendIsTheLineThroughTheSecondHalf(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	steep := trendOf(x, []float64{100, 0, 900, 3, 10, 12, 14, 16})
	require.InDelta(t, 2, steep.slope, 1e-9, "what happened in the first half does not count")
	require.InDelta(t, 100*2*3/13.0, steep.driftPercent(), 1e-9)

	require.InDelta(t, -1, trendOf(x, []float64{0, 0, 0, 0, 9, 8, 7, 6}).slope, 1e-9)
	require.InDelta(t, 0.2, trendOf(x, []float64{0, 0, 0, 0, 1, 3, 1, 3}).slope*0.5, 1e-9, "the least squares")
}

func TestTrendOfTooLittleIsFlat(t *testing.T) {
	for _, xy := range [][]float64{nil, {1}, {1, 1}, {5, 5, 5, 5}} {
		require.Zero(t, trendOf(xy, xy).slope)
		require.Zero(t, trendOf(xy, xy).driftPercent())
	}
}
