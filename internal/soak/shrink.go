package soak

import (
	"slices"
	"strings"
	"time"
)

// Shrink looks for a smaller plan that breaks the same invariant, with at most so many runs, and gives what the smallest one came to.
func Shrink(r *Result, runs int) *Result {
	s := &shrinker{best: r, left: runs}
	s.shorten()
	s.dropFaults()
	s.dropPlayers()
	s.dropStreams()
	s.dropFaults()
	s.shorten()
	return s.best
}

type shrinker struct {
	best *Result
	left int
}

// try takes p if it breaks the same invariant.
func (s *shrinker) try(p Plan) bool {
	if s.left <= 0 {
		return false
	}
	s.left--
	r := p.Run()
	if r.Broken == nil || r.Broken.Invariant != s.best.Broken.Invariant {
		return false
	}
	s.best = r
	return true
}

// shorten ends the phase of faults where the invariant was broken, and leaves out what would come later.
func (s *shrinker) shorten() {
	p := s.best.Plan
	p.Span = min(p.Span, s.best.Broken.At+time.Second)
	p.Faults = slices.DeleteFunc(slices.Clone(p.Faults), func(f Fault) bool { return f.At >= p.Span })
	s.try(p)
}

// dropFaults leaves out faults: half of them, a quarter, and so on down to single ones.
func (s *shrinker) dropFaults() {
	for size := (len(s.best.Plan.Faults) + 1) / 2; size > 0; size /= 2 {
		for at := 0; at < len(s.best.Plan.Faults); {
			p := s.best.Plan
			p.Faults = slices.Delete(slices.Clone(p.Faults), at, min(at+size, len(p.Faults)))
			if !s.try(p) {
				at += size
			}
		}
	}
}

// dropPlayers leaves out players with all that befalls them.
func (s *shrinker) dropPlayers() {
	for i := range s.best.Plan.players {
		p := s.best.Plan
		p.players = slices.Clone(p.players)
		p.players[i].absent = true
		p.Faults = slices.DeleteFunc(slices.Clone(p.Faults), func(f Fault) bool { return f.Player == i })
		s.try(p)
	}
}

// dropStreams leaves out streams from the last one down to the traffic of a game.
func (s *shrinker) dropStreams() {
	for n := len(s.best.Plan.streams); n > len(theGame); n-- {
		p := s.best.Plan
		p.streams = p.streams[:n-1]
		s.try(p)
	}
}

// Story plays the plan of r again and gives the last lines of its trace, with words for each datagram.
func (r *Result) Story(lines int, describe func(datagram []byte) string) string {
	last := &tail{lines: make([]string, 0, lines)}
	p := r.Plan
	w := newWorld(&p, &Census{})
	w.nw.Trace(last, describe)
	w.play()
	return last.String()
}

// tail keeps the last lines that were written.
type tail struct {
	lines []string
	next  int
}

func (t *tail) Write(b []byte) (int, error) {
	if len(t.lines) < cap(t.lines) {
		t.lines = append(t.lines, string(b))
	} else {
		t.lines[t.next] = string(b)
		t.next = (t.next + 1) % len(t.lines)
	}
	return len(b), nil
}

func (t *tail) String() string {
	return strings.Join(t.lines[t.next:], "") + strings.Join(t.lines[:t.next], "")
}
