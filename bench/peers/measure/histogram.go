package measure

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Histogram counts times in classes of which none is wider than a 32nd of its times. Many goroutines may add to it.
type Histogram struct {
	counts [64 * subClasses]atomic.Int64
	max    atomic.Int64
}

const (
	subBits    = 5
	subClasses = 1 << subBits
)

// Add counts a time in nanoseconds; one below 0 is 0.
func (h *Histogram) Add(t int64) {
	t = max(t, 0)
	h.counts[classOf(t)].Add(1)
	for most := h.max.Load(); t > most && !h.max.CompareAndSwap(most, t); most = h.max.Load() {
	}
}

// classOf gives short times a class each, and every power of two above as many classes of equal width.
func classOf(t int64) int {
	exponent := max(bits.Len64(uint64(t))-subBits-1, 0)
	return exponent*subClasses + int(t>>exponent)
}

// middleOf gives the time in the middle of a class.
func middleOf(class int) float64 {
	exponent := max(class/subClasses-1, 0)
	first := int64(class-exponent*subClasses) << exponent
	return float64(first) + float64(int64(1)<<exponent-1)/2
}

// Reset forgets all times.
func (h *Histogram) Reset() {
	for i := range h.counts {
		h.counts[i].Store(0)
	}
	h.max.Store(0)
}

// Count is how many times were added.
func (h *Histogram) Count() int64 {
	var n int64
	for i := range h.counts {
		n += h.counts[i].Load()
	}
	return n
}

// Quantile gives the middle of the class that holds the nearest rank, NaN if there are no times. That of 1 is exact.
func (h *Histogram) Quantile(share float64) float64 {
	n := h.Count()
	if n == 0 {
		return math.NaN()
	}
	rank := min(max(int64(math.Ceil(share*float64(n)-1e-9)), 1), n)
	if share >= 1 {
		return float64(h.max.Load())
	}
	for class := range h.counts {
		if rank -= h.counts[class].Load(); rank <= 0 {
			return middleOf(class)
		}
	}
	return float64(h.max.Load())
}
