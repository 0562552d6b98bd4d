package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// catch is what came of a bug.
type catch struct {
	outcome

	bug   bug
	alone []outcome // the same worlds with one side of its pair left out
}

// caught reports whether the soak found the bug, by the invariant that has to see it, and for a pair whether neither side shows it alone.
func (c *catch) caught() bool {
	for _, o := range c.alone {
		if o.broken != "" {
			return false
		}
	}
	return c.broken != "" && c.seen()
}

// seen reports whether the right invariant was broken.
func (c *catch) seen() bool {
	number, _, _ := strings.Cut(c.broken, " ")
	for one := range strings.SplitSeq(c.bug.seenBy, ", ") {
		if strings.HasPrefix(one, number+" ") {
			return true
		}
	}
	return false
}

// String gives the rows of a catch.
func (c *catch) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-26s  %s", c.bug.name, row(c.outcome))
	if c.broken == "" {
		fmt.Fprintf(&b, "NOT CAUGHT in %d worlds", c.worlds)
	} else if !c.seen() {
		fmt.Fprintf(&b, " (NOT %s)", c.bug.seenBy)
	}
	for i, o := range c.alone {
		fmt.Fprintf(&b, "\n  without %s: %s", strings.Join(c.bug.pair[i], ", "), row(o))
		if o.broken == "" {
			fmt.Fprintf(&b, "holds in the same %d worlds", o.worlds)
		} else {
			b.WriteString(" (BUT MUST HOLD)")
		}
	}
	return b.String()
}

func row(o outcome) string {
	seed := "-"
	if o.broken != "" {
		seed = fmt.Sprint(o.seed)
	}
	text := o.broken
	if len(text) > 200 {
		text = text[:200] + "..."
	}
	return fmt.Sprintf("%6s  %5.1f s  %s", seed, o.cpu.Seconds(), text)
}

// catch builds a program with a bug and plays worlds with it.
func (y *yard) catch(b bug) (*catch, error) {
	program, err := y.build(&b)
	if err != nil {
		return nil, err
	}
	c := &catch{bug: b}
	c.outcome, err = y.play(program, math.MaxInt, y.limit, nil)
	if err != nil || c.broken == "" {
		return c, err
	}
	for _, side := range b.pair {
		o, err := y.play(program, c.worlds, time.Hour, side)
		if err != nil {
			return nil, err
		}
		c.alone = append(c.alone, o)
	}
	return c, nil
}

// playWhole plays the same worlds with nothing broken.
func (y *yard) playWhole(worlds int) (*whole, error) {
	b := bug{name: "whole"}
	program, err := y.build(&b)
	if err != nil {
		return nil, err
	}
	o, err := y.play(program, worlds, time.Hour, nil)
	return &whole{o}, err
}

// whole is what came of the code as it is.
type whole struct{ outcome }

func (w *whole) String() string {
	if w.broken != "" {
		return fmt.Sprintf("%-26s  %s (BUT NOTHING IS PLANTED)", "nothing", row(w.outcome))
	}
	return fmt.Sprintf("%-26s  %sholds in all %d worlds", "nothing", row(w.outcome), w.worlds)
}
