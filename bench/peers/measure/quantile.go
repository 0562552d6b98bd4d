package measure

import (
	"math"
	"slices"
)

// Quantile gives the nearest rank of sorted values: the smallest that at least the share does not exceed. It is NaN if there are none.
func Quantile(sorted []int64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	// A rank is a whole number but for what floats make of it: 0.999 x 1000 is 999, not a bit more.
	rank := int(math.Ceil(share*float64(len(sorted)) - 1e-9))
	return float64(sorted[min(max(rank, 1), len(sorted))-1])
}

// Latencies gives the quantiles of times in nanoseconds, which it sorts, as figures in units of so many nanoseconds.
func Latencies(times []int64, unit string, nanoseconds float64) []Figure {
	slices.Sort(times)
	figure := func(name string, share float64) Figure {
		return Figure{Metric: name, Unit: unit, Value: Quantile(times, share) / nanoseconds}
	}
	return []Figure{figure("p50", 0.5), figure("p99", 0.99), figure("p99.9", 0.999), figure("max", 1)}
}
