package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/bench/peers/drivers"
	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/bench/peers/report"
	"github.com/gannet-net/gannet/bench/peers/workload"
)

func main() {
	if workload.IsProcess() {
		if err := workload.Serve(drivers.Find, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	workloads []workload.Workload
	drivers   []peer.Driver
	repeats   int
	run       workload.Run
	json      bool
}

func run(args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	r := o.measure(progress)
	r.Environment = report.Here(append([]string{"go run ."}, args...))
	r.LeftOut = drivers.LeftOut()
	if o.json {
		err = r.JSON(out)
	} else {
		err = r.Tables(out)
	}
	if err == nil && len(r.Failures) > 0 {
		err = fmt.Errorf("%d runs failed", len(r.Failures))
	}
	return err
}

func parse(args []string, out io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("peers", flag.ContinueOnError)
	fs.SetOutput(out)
	workloads := fs.String("workload", "", "`NAMES` of workloads, with commas; all of them if empty")
	peers := fs.String("peers", "", "`NAMES` of stacks, with commas; gannet is gannet and all gannet-...; all of them if empty")
	fs.IntVar(&o.repeats, "repeats", 3, "how `OFTEN` each stack is measured, in turn with the others")
	fs.Uint64Var(&o.run.Seed, "seed", 1, "`SEED` of losses and jitter; each repeat has the next one, the same for all stacks")
	fs.BoolVar(&o.run.Short, "short", false, "run only long enough to see that everything works; the figures mean nothing")
	fs.BoolVar(&o.json, "json", false, "print one JSON object with every figure")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 || o.repeats < 1 {
		return nil, fmt.Errorf("usage: peers [FLAGS], with 1 repeat or more; -help lists the flags")
	}
	var err error
	if o.workloads, err = chosen(workload.All(), *workloads, func(w workload.Workload) string { return w.Name }); err != nil {
		return nil, err
	}
	o.drivers, err = chosen(drivers.All(), *peers, func(d peer.Driver) string { return d.Name })
	return o, err
}

// chosen gives those of all whose names are listed, or begin with a listed name and a hyphen.
func chosen[T any](all []T, list string, nameOf func(T) string) ([]T, error) {
	if list == "" {
		return all, nil
	}
	var some []T
	wanted := strings.Split(list, ",")
	found := make([]bool, len(wanted))
	for _, one := range all {
		taken := false
		for i, w := range wanted {
			if name := nameOf(one); name == w || strings.HasPrefix(name, w+"-") {
				taken, found[i] = true, true
			}
		}
		if taken {
			some = append(some, one)
		}
	}
	for i, w := range wanted {
		if !found[i] {
			return nil, fmt.Errorf("there is no %q", w)
		}
	}
	return some, nil
}

// inTurn is the order of the stacks in a repeat.
func inTurn(drivers []peer.Driver, repeat int) []peer.Driver {
	order := slices.Clone(drivers)
	if repeat%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

// measure runs everything. Repeats are outside, so that what the machine does meanwhile meets all stacks alike, and every other one goes
// backwards, so that none always comes behind the same other.
func (o *options) measure(progress io.Writer) *report.Report {
	r := &report.Report{Drivers: o.drivers, Workloads: o.workloads}
	var rows measure.Rows
	for _, w := range o.workloads {
		for repeat := range o.repeats {
			for _, d := range inTurn(o.drivers, repeat) {
				if !w.Fits(&d) {
					continue
				}
				fmt.Fprintf(progress, "%s %d/%d %s\n", w.Name, repeat+1, o.repeats, d.Name)
				its := o.run
				its.Seed += uint64(repeat)
				results, err := w.Measure(its, &d)
				for _, c := range results {
					rows.Add(w.Name, c.Case, d.Name, c.Figures)
				}
				if err != nil {
					r.Failures = append(r.Failures, report.Failure{Workload: w.Name, Peer: d.Name, Repeat: repeat + 1, Error: err.Error()})
				}
			}
		}
	}
	r.Rows = rows.All()
	return r
}
