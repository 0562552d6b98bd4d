package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// upTo gives 1..n.
func upTo(n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i + 1)
	}
	return values
}

func TestQuantilesAreTheNearestRank(t *testing.T) {
	for _, row := range []struct{ n, perMille, want int }{
		{1, 500, 1}, {1, 999, 1}, {2, 500, 1}, {2, 501, 2}, {10, 500, 5}, {10, 900, 9}, {10, 901, 10}, {10, 990, 10},
		{100, 990, 99}, {1000, 999, 999}, {1000, 990, 990}, {1001, 999, 1000}, {100, 0, 1}, {100, 1000, 100},
	} {
		values := upTo(row.n)
		slices.Reverse(values)
		require.EqualValues(t, row.want, newDistribution(values).quantile(row.perMille), "%d of %d", row.perMille, row.n)
	}
}

func TestQuantilesOfNothingAreZero(t *testing.T) {
	d := newDistribution(nil)
	require.Zero(t, d.quantile(500))
	require.Zero(t, d.max())
	require.Zero(t, d.report())
	require.Empty(t, d.histogram())
	require.Empty(t, maxima(nil))
	require.Zero(t, mean[int64](nil))
}

func TestDistributionLeavesTheTimesAsTheyAre(t *testing.T) {
	times := []int64{3, 1, 2}
	newDistribution(times)
	require.Equal(t, []int64{3, 1, 2}, times)
}

func TestMaximaAreThoseOfBlocksInTheOrderGiven(t *testing.T) {
	require.Equal(t, []int64{500}, maxima(upTo(500)), "what is too short is one block")
	require.Equal(t, []int64{10_000}, maxima(upTo(10_000)))
	require.Equal(t, []int64{10_000, 20_000}, maxima(upTo(25_000)), "the rest is left out")
	require.Equal(t, 15_000.0, mean(maxima(upTo(25_000))))
}

func TestReportIsInMilliseconds(t *testing.T) {
	times := make([]int64, 1000)
	for i := range times {
		times[i] = int64(i+1) * 1e6
	}
	require.Equal(t, latencyReport{P50: 500, P90: 900, P99: 990, P999: 999, Max: 1000}, newDistribution(times).report())
	require.Equal(t, 0.123, milliseconds(123_456))
}

func TestHistogramHasOneRowForTheTail(t *testing.T) {
	times := slices.Concat(slices.Repeat([]int64{21e6}, 2000), slices.Repeat([]int64{26e6, 40e6}, 1000), []int64{900e6})
	require.Equal(t, `
      20 ..    22 ms    2000 ########################################
      22 ..    24 ms       0
      24 ..    26 ms       0
      26 ..    28 ms    1000 ####################
      28 ..    30 ms       0
      30 ..    32 ms       0
      32 ..    34 ms       0
      34 ..    36 ms       0
      36 ..    38 ms       0
      38 ..    40 ms       0
      40 ..    42 ms    1000 ####################
      42 ..    44 ms       0
      44 ms and up        1 #
`, "\n"+newDistribution(times).histogram())
}

func TestHistogramEndsWithItsLastValue(t *testing.T) {
	require.Equal(t, `
      25 ..  25.1 ms       2 ########################################
`, "\n"+newDistribution([]int64{25e6, 25e6}).histogram())
}

func TestStandardErrorIsThatOfTheMean(t *testing.T) {
	require.Zero(t, standardError(nil))
	require.Zero(t, standardError([]int64{7}))
	require.InDelta(t, 1, standardError([]int64{1, 3}), 1e-12)
	require.InDelta(t, 0.5773, standardError([]int64{1, 3, 1, 3}), 1e-4)
}
