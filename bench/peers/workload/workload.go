// Package workload has what the stacks are measured with, one file for each workload. Stacks are what package peer says, nothing else is known of them here.
package workload

import (
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

// Run says how much is to be measured.
type Run struct {
	Seed  uint64 // of everything that is random, the same for every stack
	Short bool   // just enough to see that it works; the figures mean nothing
}

// pick gives one of two values.
func pick[T any](r Run, usual, short T) T {
	if r.Short {
		return short
	}
	return usual
}

// Result is what came out of a case.
type Result struct {
	Case    string
	Figures []measure.Figure
}

// Workload is one way to use the stacks.
type Workload struct {
	Name  string
	About string // what is measured, in a few sentences, for above the tables
	// Needs are setups of which a stack has to have at least one, else it is left out.
	Needs []peer.Setup
	// Relay is set if datagrams pass a relay, where only UDP can.
	Relay  bool
	Tables []Table
	// Measure runs all cases that the stack can do, once.
	Measure func(Run, *peer.Driver) ([]Result, error)
}

// Table says which figures a table shows. Its rows are the stacks.
type Table struct {
	Title   string
	Prefix  string   // of the cases that it is of
	Metrics []string // joined in one cell, or with ByCase one column each
	ByCase  bool     // a table for each case; else a column for each
}

// Fits reports whether a stack can be measured.
func (w *Workload) Fits(d *peer.Driver) bool {
	if w.Relay && d.NoRelay {
		return false
	}
	for _, s := range w.Needs {
		if d.Has(s) {
			return true
		}
	}
	return false
}

// All gives every workload, in the order of the tables.
func All() []Workload {
	return []Workload{latency, flood, bottleneck, rooms, many, idle, echo}
}

// patience is how long connections may take.
const patience = 10 * time.Second
