package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAQuantileIsTheNearestRank(t *testing.T) {
	thousand := make([]int64, 1000)
	for i := range thousand {
		thousand[i] = int64(i + 1)
	}
	for _, row := range []struct {
		of    []int64
		share float64
		want  float64
	}{
		{thousand, 0.5, 500}, {thousand, 0.99, 990}, {thousand, 0.999, 999}, {thousand, 0.9991, 1000}, {thousand, 1, 1000}, {thousand, 0, 1},
		{[]int64{7}, 0.5, 7}, {[]int64{7, 9}, 0.5, 7}, {[]int64{7, 9}, 0.51, 9},
	} {
		require.Equal(t, row.want, Quantile(row.of, row.share), row)
	}
	require.True(t, math.IsNaN(Quantile(nil, 0.5)))
}

func TestLatenciesAreSortedAndInUnits(t *testing.T) {
	require.Equal(t, []Figure{{"p50", "ms", 2}, {"p99", "ms", 3}, {"p99.9", "ms", 3}, {"max", "ms", 3}},
		Latencies([]int64{3e6, 1e6, 2e6}, "ms", 1e6))
}

func TestAHistogramIsWithinAThirtySecondOfTheQuantile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var all []int64
	for range 20_000 {
		v := int64(random.ExpFloat64() * float64(random.Int64N(1e9)+1))
		h.Add(v)
		all = append(all, v)
	}
	slices.Sort(all)
	require.EqualValues(t, len(all), h.Count())
	for _, share := range []float64{0.001, 0.1, 0.5, 0.9, 0.99, 0.999} {
		require.InEpsilon(t, Quantile(all, share), h.Quantile(share), 1.0/32, share)
	}
	require.Equal(t, float64(all[len(all)-1]), h.Quantile(1))
	h.Reset()
	require.True(t, math.IsNaN(h.Quantile(0.5)))
}

func TestShortTimesHaveAClassEach(t *testing.T) {
	for v := range int64(64) {
		var h Histogram
		h.Add(v)
		require.Equal(t, float64(v), h.Quantile(0.5))
	}
}

func TestEveryTimeHasAClass(t *testing.T) {
	var h Histogram
	for _, v := range []int64{-1, 0, math.MaxInt64} {
		h.Add(v)
	}
	require.EqualValues(t, 3, h.Count())
	require.Zero(t, h.Quantile(0.5))
}

func TestUsageCountsWhatIsUsed(t *testing.T) {
	before := Used()
	var kept [][]byte
	for Used().Since(before).CPU() < time.Millisecond {
		kept = append(kept, make([]byte, 1<<10))
	}
	used := Used().Since(before)
	require.GreaterOrEqual(t, used.Allocs, uint64(len(kept)))
	require.GreaterOrEqual(t, used.AllocBytes, uint64(len(kept))<<10)
	require.Equal(t, used.User+used.System, used.CPU())
}

func TestMemoryGrowsWithWhatIsHeld(t *testing.T) {
	const size = 64 << 20
	before := Held()
	kept := make([]byte, size)
	for i := range kept {
		kept[i] = 1
	}
	after := Held()
	require.InEpsilon(t, size, after.Heap-before.Heap, 0.05)
	require.InEpsilon(t, size, after.Resident-before.Resident, 0.2)
	require.Equal(t, byte(1), kept[size-1])
}

func TestRowsHaveTheMedianOfTheRepeats(t *testing.T) {
	var rows Rows
	for _, v := range []float64{3, 1, 2} {
		rows.Add("w", "c", "p", []Figure{{"m", "ms", v}, {"none", "ms", math.NaN()}})
	}
	for _, v := range []float64{4, 1} {
		rows.Add("w", "c", "q", []Figure{{"m", "ms", v}})
	}
	require.Equal(t, []Row{
		{Key{"w", "c", "p", "m", "ms"}, 2, 1, 3, 3},
		{Key{"w", "c", "q", "m", "ms"}, 2.5, 1, 4, 2},
	}, rows.All())
}
