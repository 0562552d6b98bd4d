// Package stopwatch measures the processor time of parts of a benchmark, so that neither what else the machine does nor what the benchmark does
// around them is in it. Where the system does not tell the time of a thread it is the time that passes.
package stopwatch

import (
	"runtime"
	"testing"
	"time"
)

// Watch sums up parts, which do not overlap. The zero Watch has measured nothing. It measures the goroutine that calls it, and none that works for it.
type Watch struct {
	began, total time.Duration
}

// Start begins a part.
func (w *Watch) Start() {
	runtime.LockOSThread()
	w.began = threadTime()
}

// Stop ends the part.
func (w *Watch) Stop() {
	w.total += threadTime() - w.began
	runtime.UnlockOSThread()
}

// Time runs f n times, as one part.
func (w *Watch) Time(n int, f func()) {
	w.Start()
	for range n {
		f()
	}
	w.Stop()
}

// Total is the time of all parts.
func (w *Watch) Total() time.Duration { return w.total }

// Per is that in nanoseconds for each of n.
func (w *Watch) Per(n float64) float64 { return float64(w.total.Nanoseconds()) / n }

// Op makes ns/op of a benchmark the processor time from this call to that of stop.
//
//	defer stopwatch.Op(b)()
//	for b.Loop() {
func Op(b *testing.B) (stop func()) {
	var w Watch
	w.Start()
	return func() {
		w.Stop()
		b.ReportMetric(w.Per(float64(b.N)), "ns/op")
	}
}
