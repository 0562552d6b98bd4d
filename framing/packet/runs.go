package packet

import (
	"fmt"
	"iter"

	"github.com/gannet-net/gannet/wire"
)

// Run is a row of packets that were received, and the gap that stands before it on the way down from the largest: first Missing numbers
// of which the Ack says nothing, then Received ones that it acknowledges. Both are at most MaxRun.
type Run struct{ Missing, Received int }

// Runs is the ranges of an Ack as they are on the wire: 1 to MaxRuns runs. The first ends with the largest packet received, so its Missing is 0.
// Numbers below the packet 0 are not looked for here.
//
// A Runs that was parsed is a part of the packet. The empty Runs is ready for Append.
type Runs []byte

// Len returns how many runs r has.
func (r Runs) Len() int {
	if len(r) == 0 {
		return 0
	}
	return int(r[0])
}

// Append appends the run below those of r to r, of which Len has to be below MaxRuns, in the way of the builtin append.
func (r Runs) Append(run Run) Runs {
	first := len(r) == 0
	if first && run.Missing != 0 || !first && !fitsRun(run.Missing) || !fitsRun(run.Received) || r.Len() == MaxRuns {
		panic(fmt.Sprintf("BUG: packet: run %d of %d missing and %d received", r.Len()+1, run.Missing, run.Received))
	}
	if first {
		r = append(r, 0)
	} else {
		r = appendVarint(r, run.Missing-1)
	}
	r[0]++
	return appendVarint(r, run.Received-1)
}

func fitsRun(n int) bool { return 1 <= n && n <= MaxRun }

// All yields the runs from the largest packet down. It stops where r is malformed, which no Runs from a Parser or Append is.
func (r Runs) All() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		left := wire.NewReader(r)
		for i := range int(left.Uint8()) {
			run, fault := readRun(&left, i == 0)
			if fault != Valid || !yield(run) {
				return
			}
		}
	}
}

func readRun(left *wire.Reader, first bool) (run Run, fault Fault) {
	if !first {
		if run.Missing, fault = readVarint(left); fault != Valid {
			return Run{}, fault
		}
		run.Missing++
	}
	run.Received, fault = readVarint(left)
	run.Received++
	return run, fault
}

// readRuns cuts the ranges of an Ack off the front of left.
func readRuns(left *wire.Reader) (Runs, Fault) {
	rest := left.Rest()
	inner := wire.NewReader(rest)
	count := int(inner.Uint8())
	switch {
	case inner.Err() != nil:
		return nil, FaultShort
	case count == 0, count > MaxRuns:
		return nil, FaultRanges
	}
	for i := range count {
		if _, fault := readRun(&inner, i == 0); fault != Valid {
			return nil, fault
		}
	}
	size := len(rest) - inner.Len()
	*left = wire.NewReader(rest[size:])
	return rest[:size:size], Valid
}
