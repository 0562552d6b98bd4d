// Command planted shows that the soak finds bugs: it breaks the code in one way at a time, as the patches beside it say, and plays worlds until an invariant
// does not hold. "go run ./internal/soak/planted" does so for all of them, with names for some.
//
// A patch is never applied to the tree: the compiler is given the patched files in the place of those there.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// options are what the flags say.
type options struct {
	limit time.Duration // CPU time for each bug
	span  time.Duration // of a world
	first uint64        // seed
}

func main() {
	o := options{}
	flag.DurationVar(&o.limit, "cpu", time.Minute, "CPU `TIME` after which a bug counts as not caught")
	flag.DurationVar(&o.span, "span", 5*time.Minute, "`TIME` with faults, in each world")
	flag.Uint64Var(&o.first, "first", 1, "seed `S` of the first world")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: go run ./internal/soak/planted [FLAGS] [NAME...]\n\nBreaks the code as each patch says, or each that is named, and plays worlds until an invariant does not hold.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

// run plants the bugs and prints a row for each.
func run(o options, names []string) error {
	bugs, err := choose(names)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	y := &yard{root: root, dir: dir, options: o}
	fmt.Printf("%-26s  %6s  %7s  %s\n", "planted bug", "seed", "CPU", "caught by")
	missed, most := 0, 0
	for _, b := range bugs {
		c, err := y.catch(b)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		fmt.Println(c)
		if !c.caught() {
			missed++
		}
		most = max(most, c.worlds)
	}
	whole, err := y.playWhole(most)
	if err != nil {
		return err
	}
	fmt.Println(whole)
	if missed > 0 || whole.broken != "" {
		return errors.New("not all is as it should be")
	}
	return nil
}
