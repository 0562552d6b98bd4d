package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// simOptions are the flags of udpecho sim.
type simOptions struct {
	plan     simPlan
	seeds    []uint64
	seedText string
	wire     string
	json     bool
	hasFloor bool
}

func runSim(ctx context.Context, con console, args []string) error {
	if isBulk(args) {
		return runBulk(con, args)
	}
	o, err := parseSim(con, args)
	if err != nil {
		return err
	}
	bar := newProgress(con.err, "simulating", len(o.seeds)*o.plan.messages)
	o.plan.done = bar.add
	runs, runErr := o.runAll(ctx)
	bar.end()
	if ctx.Err() != nil {
		return errors.New("interrupted before there was a result")
	}
	if len(runs) == 0 {
		return runErr
	}
	report := o.report(runs)
	if o.json {
		err = con.json(report)
	} else {
		con.printf("%s", report.text(o))
	}
	return errors.Join(err, runErr, brokenPromises(runs))
}

func parseSim(con console, args []string) (*simOptions, error) {
	o := &simOptions{}
	link := linkFlags{loss: 5, delay: 25 * time.Millisecond}
	fs := newFlags("sim", "sim [FLAGS]", "Sends messages from a client to a host, both whole, through a simulated link in virtual time,\n"+
		"and reports latency at delivery. Nearest-rank quantiles over all delivered messages of all seeds;\n"+
		"max is the mean of the maxima of blocks of 10,000, greatest the one greatest latency of all.\n\n"+
		"-wire secure is the secure protocol: packets, sealed with keys from a real handshake that was made before the\n"+
		"run. The seed gives the keys too, so they protect nothing outside of it.\n\n"+
		"\"udpecho sim -bulk BYTES\" measures bulk through a bottleneck instead; \"udpecho sim -bulk 1 -h\" lists its flags.")
	link.register(fs)
	fs.StringVar(&o.wire, "wire", "base", "`PROTOCOL`: base or secure")
	fs.Float64Var(&o.plan.rate, "rate", 30, "messages a second, in `HZ`, each sent up to 0.5 ms early or late")
	fs.IntVar(&o.plan.size, "size", 64, "`BYTES` of a message")
	fs.IntVar(&o.plan.messages, "n", 100_000, "`N` messages for each seed")
	fs.StringVar(&o.seedText, "seed", "1", "`SEED`, or a range such as 1-3 whose runs are pooled")
	budget := fs.Float64("budget", 1.3, "bytes for each byte sent for the first time, as a `FACTOR` from 1.0 to 4.0 (in per cent it is Config.Budget);\n"+
		strings.Repeat(" ", 25)+"it bounds further copies: a repair that is needed is always sent")
	fs.BoolVar(&o.plan.urgent, "urgent", false, "send urgent messages: bytes are spent for time")
	fs.BoolVar(&o.plan.onTick, "reverse-tick", false, "the host sends as often, unreliably, and acks wait for packets of either's tick; -wire secure")
	step := fs.Float64("loss-step", 0, "let the loss step from 0 to `PCT` after each minute and tell how long adapting takes")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	fs.BoolVar(&o.plan.explain, "explain", false, "tell what happened to the message of each seed that was most late; -wire secure")
	mode := fs.mode("ordered or unreliable; with -wire secure also unordered, sequenced or reliable-sequenced")
	fs.ofForm("udpecho sim -bulk BYTES", "link", "flows", "delays", "against", "step", "for", "background")
	if err := con.parse(fs, args); err != nil {
		return nil, err
	}
	o.plan.mode = *mode
	return o, o.check(fs, &link, *budget, *step)
}

// check settles what follows from the flags.
func (o *simOptions) check(fs *flags, link *linkFlags, budget, step float64) (err error) {
	p := &o.plan
	if o.seeds, err = parseSeeds(o.seedText); err != nil {
		return err
	}
	if step != 0 {
		if link.burst != 0 || link.burstTime != 0 {
			return usagef("-loss-step goes with independent losses only: leave out -burst and -burst-time")
		}
		link.loss, link.backGiven = 0, false
	}
	if p.forward, p.back, err = link.conditions(); err != nil {
		return err
	}
	o.hasFloor = link.burstTime > 0
	p.budget = int(math.Round(budget * 100))
	switch {
	case !(p.rate > 0 && p.rate <= 1e6):
		return usagef("-rate %v: must be above 0 and at most 1000000", p.rate)
	case !(budget >= 1 && budget <= 4):
		return usagef("-budget %v: must be a factor from 1.0 to 4.0, which is Config.Budget 100 to 400", budget)
	case !(step >= 0 && step <= 100):
		return usagef("-loss-step %v: must be from 0 to 100 per cent", step)
	case step > 0 && (link.burst > 0 || link.burstTime > 0):
		return usagef("-loss-step goes with independent losses only: leave out -burst and -burst-time")
	case o.json && p.explain:
		return usagef("-explain is for people: leave out -json")
	}
	p.step = sim.Percent(step)
	return firstError(fs.noMore(), o.checkWire(), checkRange("size", p.size, numberSize, o.maxSize()), checkRange("n", p.messages, 1, 10_000_000))
}

// checkWire settles the protocol and what only one of them has.
func (o *simOptions) checkWire() error {
	p := &o.plan
	switch {
	case o.wire == "secure":
		p.packets = true
		return nil
	case o.wire != "base":
		return usagef("-wire %q: no such protocol: use base or secure", o.wire)
	case p.onTick:
		return usagef("-reverse-tick: the base protocol acks each message at once: use -wire secure")
	case p.explain:
		return usagef("-explain: the base protocol is run with sockets, which give no trace: use -wire secure")
	case !slices.Contains(baseModes, p.mode):
		return usagef("-mode %v: the base protocol has ordered and unreliable: use -wire secure", p.mode)
	}
	return nil
}

// maxSize is the longest message that may be sent.
func (o *simOptions) maxSize() int { return maxSize(protocol(!o.plan.packets), o.plan.mode) }

// fragments is in how many packets a message travels.
func (o *simOptions) fragments() int {
	if !o.plan.packets {
		return 1
	}
	return max(1, (o.plan.size+fragmentRoom-1)/fragmentRoom)
}

// messageOnWire is what a single copy of a message takes if it has a datagram of its own.
func (o *simOptions) messageOnWire() int {
	return messageOnWire(protocol(!o.plan.packets), o.plan.mode, o.plan.size)
}

// parseSeeds reads "7" or "1-3".
func parseSeeds(text string) ([]uint64, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	first, err1 := strconv.ParseUint(low, 10, 64)
	last, err2 := strconv.ParseUint(high, 10, 64)
	if err1 != nil || err2 != nil || last < first || last-first >= 1000 {
		return nil, usagef("-seed %q: must be a number, or a range such as 1-3 of at most 1000", text)
	}
	var seeds []uint64
	for s := first; s-first <= last-first; s++ {
		seeds = append(seeds, s)
	}
	return seeds, nil
}

// runAll runs all seeds, as many at a time as there are processors. The result is in the order of the seeds, without those that
// failed before they had one.
func (o *simOptions) runAll(ctx context.Context) ([]*simRun, error) {
	runs, errs := make([]*simRun, len(o.seeds)), make([]error, len(o.seeds))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, seed := range o.seeds {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			plan := o.plan
			plan.seed = seed
			runs[i], errs[i] = plan.run(ctx)
		})
	}
	all.Wait()
	var got []*simRun
	for _, r := range runs {
		if r != nil {
			got = append(got, r)
		}
	}
	return got, errors.Join(errs...)
}

func brokenPromises(runs []*simRun) error {
	var problems []error
	for _, r := range runs {
		if err := r.ledger.broken(); err != nil {
			problems = append(problems, fmt.Errorf("broken promise, seed %d: %w", r.seed, err))
		}
	}
	return errors.Join(problems...)
}
