package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/gannet-net/gannet/reliable"
)

// story is what both sides decided about messages, in the order of time.
type story []chapter

type chapter struct {
	side string
	reliable.TraceEvent
}

// trace is the hook of one side; nil unless the run is to be explained.
func (r *simRun) trace(side string) func(reliable.TraceEvent) {
	if !r.explain {
		return nil
	}
	return func(ev reliable.TraceEvent) { r.story = append(r.story, chapter{side, ev}) }
}

// explanation tells what happened while the message of a run was on its way that came latest after the earliest time possible.
func (r *simRun) explanation() string {
	number, over := 0, int64(0)
	for i, floor := range r.floors() {
		if late := r.ledger.entries[i].latency - floor; late > over {
			number, over = i, late
		}
	}
	m := r.ledger.entries[number]
	var b strings.Builder
	fmt.Fprintf(&b, "the latest message of seed %d is number %d: %v ms, %v ms more than possible. Times are ms since it was sent.\n",
		r.seed, number, milliseconds(float64(m.latency)), milliseconds(float64(over)))
	before := int64(2 * (r.forward.Delay + r.back.Delay))
	for _, c := range r.story {
		if c.At >= m.sentAt-before && c.At <= m.sentAt+m.latency+int64(r.back.Delay) {
			b.WriteString(c.line(m.sentAt))
		}
	}
	return b.String()
}

func (c *chapter) line(since int64) string {
	text := fmt.Sprintf("%9.3f  %-6s  %-10v message %d", float64(c.At-since)/float64(time.Millisecond), c.side, c.Kind, c.Seq)
	if c.Round > 0 {
		text += fmt.Sprintf(", round %d", c.Round)
	}
	if c.Deadline > 0 {
		text += fmt.Sprintf(", due again at %.3f", float64(c.Deadline-since)/float64(time.Millisecond))
	}
	if c.Kind == reliable.TraceRebuilt {
		text += ", from parity"
	}
	return text + "\n"
}
