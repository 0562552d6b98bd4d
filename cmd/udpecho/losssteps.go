package main

import (
	"math"
	"time"

	"github.com/gannet-net/gannet/sim"
)

const (
	quietTime = 60 * time.Second // without loss, before each step
	lossyTime = 20 * time.Second // with it
	adaptBin  = 250 * time.Millisecond
)

// lossSteps are the times at which loss sets in for -loss-step. A step comes after each minute without loss and lasts 20 s; a run that
// is too short for that has one step in its middle.
type lossSteps struct {
	start, quiet, lossy int64
	last                int64
}

func newLossSteps(start, last int64) lossSteps {
	s := lossSteps{start: start, quiet: int64(quietTime), lossy: int64(lossyTime), last: last}
	if length := last - start; length < s.quiet+s.lossy {
		s.quiet, s.lossy = length/2, length-length/2
	}
	return s
}

// arrange puts the changes into the network's future.
func (s lossSteps) arrange(r *simRun) {
	for t := s.start; t <= s.last && s.lossy > 0; t += s.quiet + s.lossy {
		r.nw.At(t, func() { r.setLoss(0) })
		r.nw.At(t+s.quiet, func() { r.setLoss(r.step) })
	}
}

func (r *simRun) setLoss(p sim.Probability) {
	r.forward.Loss, r.back.Loss = p, p
	r.nw.SetLink(r.client.node, r.host.node, r.forward)
	r.nw.SetLink(r.host.node, r.client.node, r.back)
}

// sinceStep gives how long before t the loss set in; false if there was none at t.
func (s lossSteps) sinceStep(t int64) (int64, bool) {
	since := (t-s.start)%(s.quiet+s.lossy) - s.quiet
	return since, since >= 0
}

// adaptation collects the latencies after each step by how long after it the message was sent.
type adaptation struct {
	bins [int(lossyTime / adaptBin)][]int64
}

func (a *adaptation) add(r *simRun) {
	for i := range r.ledger.entries {
		e := &r.ledger.entries[i]
		since, lossy := r.steps.sinceStep(e.sentAt)
		if bin := int(since / int64(adaptBin)); lossy && e.arrived && bin < len(a.bins) {
			a.bins[bin] = append(a.bins[bin], e.latency)
		}
	}
}

// time is how long after a step latency is as it stays: up to the last quarter of a second in which more messages than chance explains are
// above the p99.9 latency of the second half of the lossy time, by a tenth and a millisecond. It takes some hundred
// thousand messages to see much.
func (a *adaptation) time() time.Duration {
	half := len(a.bins) / 2
	var settled []int64
	for _, bin := range a.bins[half:] {
		settled = append(settled, bin...)
	}
	limit := newDistribution(settled).quantile(999)*11/10 + int64(time.Millisecond)
	for i := half - 1; i >= 0; i-- {
		if late := countAbove(a.bins[i], limit); float64(late) > byChance(len(a.bins[i])) {
			return time.Duration(i+1) * adaptBin
		}
	}
	return 0
}

func countAbove(values []int64, limit int64) int {
	n := 0
	for _, v := range values {
		if v > limit {
			n++
		}
	}
	return n
}

// byChance is how many of n messages may be among the slowest in a thousand: the mean and three standard deviations.
func byChance(n int) float64 {
	mean := float64(n) / 1000
	return mean + 3*math.Sqrt(mean)
}
