package main

import (
	"math"
	"slices"
)

// distribution is a set of times in nanoseconds, sorted.
type distribution []int64

func newDistribution(times []int64) distribution {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return sorted
}

// quantile is the nearest rank for a share in parts per thousand: the smallest value that at least that share does not exceed. It is 0 if there
// are no values.
func (d distribution) quantile(perMille int) int64 {
	if len(d) == 0 {
		return 0
	}
	rank := (len(d)*perMille + 999) / 1000
	return d[max(rank, 1)-1]
}

// max is the largest value, 0 if there are none.
func (d distribution) max() int64 {
	if len(d) == 0 {
		return 0
	}
	return d[len(d)-1]
}

// maximaBlock is how many messages a block has in meanOfMaxima.
const maximaBlock = 10_000

// maxima gives the largest of each block of 10,000 values, in the order given. What is left over makes a block only if it is all there is.
func maxima(times []int64) []int64 {
	var all []int64
	for len(times) >= maximaBlock {
		all = append(all, slices.Max(times[:maximaBlock]))
		times = times[maximaBlock:]
	}
	if len(all) == 0 && len(times) > 0 {
		all = append(all, slices.Max(times))
	}
	return all
}

func mean[T int64 | float64](values []T) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}

// standardError is how far the mean of the values may be from that of more runs: their standard deviation by the root of their number.
func standardError(values []int64) float64 {
	n, m, sum := float64(len(values)), mean(values), 0.0
	if n < 2 {
		return 0
	}
	for _, v := range values {
		sum += (float64(v) - m) * (float64(v) - m)
	}
	return math.Sqrt(sum / (n - 1) / n)
}

// milliseconds converts nanoseconds, to the microsecond.
func milliseconds(nanoseconds float64) float64 { return math.Round(nanoseconds/1e3) / 1e3 }

// rounded cuts x to four digits after the point.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// latencyReport is how latencies are reported, in milliseconds.
type latencyReport struct {
	P50  float64 `json:"p50_ms"`
	P90  float64 `json:"p90_ms"`
	P99  float64 `json:"p99_ms"`
	P999 float64 `json:"p999_ms"`
	Max  float64 `json:"max_ms"`
}

// report gives the quantiles and the greatest value.
func (d distribution) report() latencyReport {
	ms := func(ns int64) float64 { return milliseconds(float64(ns)) }
	return latencyReport{ms(d.quantile(500)), ms(d.quantile(900)), ms(d.quantile(990)), ms(d.quantile(999)), ms(d.max())}
}
