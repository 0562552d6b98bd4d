package main

import (
	"time"

	"github.com/gannet-net/gannet/sim"
)

const (
	quietTime = 60 * time.Second // without loss, before each step
	lossyTime = 20 * time.Second // with it
)

// lossSteps are the times at which loss sets in for -loss-step. A step comes after each minute without loss and lasts 20 s; a run that
// is too short for that has one step in its middle.
type lossSteps struct {
	start, quiet, lossy int64
	last                int64

	// What is seen of the sender: it has adapted once a repair leaves as two copies.
	stepAt  int64  // when loss set in, 0 if the sender has adapted since, or loss ended
	copies  uint64 // that had left by then
	adapted []int64
}

func newLossSteps(start, last int64) lossSteps {
	s := lossSteps{start: start, quiet: int64(quietTime), lossy: int64(lossyTime), last: last}
	if length := last - start; length < s.quiet+s.lossy {
		s.quiet, s.lossy = length/2, length-length/2
	}
	return s
}

// arrange puts the changes into the network's future.
func (s *lossSteps) arrange(r *simRun) {
	for t := s.start; t <= s.last && s.lossy > 0; t += s.quiet + s.lossy {
		r.nw.At(t, func() {
			r.setLoss(0)
			s.settle(r.nw.Now())
		})
		if t+s.quiet <= s.last {
			r.nw.At(t+s.quiet, func() {
				r.setLoss(r.step)
				s.begin(r.nw.Now(), r.client.conn)
			})
		}
	}
}

func (r *simRun) setLoss(p sim.Probability) {
	r.forward.Loss, r.back.Loss = p, p
	r.nw.SetLink(r.client.node, r.host.node, r.forward)
	r.nw.SetLink(r.host.node, r.client.node, r.back)
}

// begin notes that loss sets in. A sender that did not adapt to the step before gets all of its time.
func (s *lossSteps) begin(now int64, conn simConn) {
	s.stepAt, s.copies = now, conn.Stats().RepairCopies
}

// watch looks whether the sender has adapted.
func (s *lossSteps) watch(now int64, conn simConn) {
	if s.stepAt != 0 && conn.Stats().RepairCopies > s.copies {
		s.settle(now)
	}
}

// settle ends a step that has begun.
func (s *lossSteps) settle(now int64) {
	if s.stepAt != 0 {
		s.adapted = append(s.adapted, now-s.stepAt)
		s.stepAt = 0
	}
}
