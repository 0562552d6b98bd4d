package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/soak"
)

// soakOptions are the flags of udpecho soak.
type soakOptions struct {
	first  uint64
	seeds  int
	span   time.Duration
	fresh  bool
	kept   bool
	least  uint64
	shrink bool
	census bool
	plans  bool
	json   bool

	without string
}

const (
	soakLines  = 60  // of the trace of a world that was made smaller
	soakTrials = 300 // to make it smaller
)

func runSoak(con console, args []string) error {
	o, err := parseSoak(con, args)
	if err != nil {
		return err
	}
	worlds := o.worlds()
	if o.plans {
		for _, s := range worlds {
			p := o.draw(s)
			con.printf("%v%s", p, p.Script())
		}
		return nil
	}
	bar := newProgress(con.err, "soaking", len(worlds))
	began := time.Now()
	all := soak.RunAll(len(worlds), func(i int) soak.Plan { return o.draw(worlds[i]) }, func() { bar.add(1) })
	took := time.Since(began)
	bar.end()
	report := newSoakReport(o, all, took)
	if o.json {
		err = con.json(report)
	} else {
		con.printf("%s", report.text(all, o.census))
	}
	return errors.Join(err, o.verdict(con, all))
}

func parseSoak(con console, args []string) (*soakOptions, error) {
	o := &soakOptions{}
	fs := newFlags("soak", "soak [FLAGS]", "Plays worlds in virtual time: a host with clients that join, talk, leave, roam, sleep and crash, while the network, the sockets and\n"+
		"the machines fail in all ways. One seed is one world. The invariants I1 to I14 are held after everything that happens; then faults end, and all\n"+
		"that is reliable has to arrive, and everybody leaves. Stops at the first world that breaks an invariant.")
	fs.IntVar(&o.seeds, "seeds", 64, "`N` worlds")
	fs.Uint64Var(&o.first, "first", 1, "seed `S` of the first")
	fs.BoolVar(&o.fresh, "fresh", false, "make the first seed of the time, so that no two runs are the same")
	fs.BoolVar(&o.kept, "kept", false, "play the seeds that once failed as well")
	fs.DurationVar(&o.span, "span", 5*time.Minute, "`TIME` with faults, in each world")
	fs.Uint64Var(&o.least, "least", 0, "fail unless everything that can be reached was reached `N` times; 100 needs about 512 worlds of 5m")
	fs.BoolVar(&o.census, "census", false, "print what was reached, and how often")
	fs.BoolVar(&o.shrink, "shrink", false, "look for the smallest part of a failing world that fails in the same way, and print its trace")
	fs.BoolVar(&o.plans, "plans", false, "print what is drawn from the seeds, and play nothing")
	fs.StringVar(&o.without, "without", "", "leave out the faults of `KINDS`, separated by commas, as they are called in -census; \"any loss\" is what links lose")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	if err := con.parse(fs, args); err != nil {
		return nil, err
	}
	if o.fresh {
		o.first = uint64(time.Now().Unix())
	}
	if o.span < 5*time.Second || o.span > 24*time.Hour {
		return nil, usagef("-span %v: must be from 5s to 24h", o.span)
	}
	if err := soak.CheckKinds(o.withoutKinds()); err != nil {
		return nil, usagef("-without: %v", err)
	}
	return o, firstError(fs.noMore(), checkRange("seeds", o.seeds, 1, 1_000_000))
}

// withoutKinds are the kinds of faults that are left out.
func (o *soakOptions) withoutKinds() []string {
	if o.without == "" {
		return nil
	}
	return strings.Split(o.without, ",")
}

// draw is the plan of a world.
func (o *soakOptions) draw(s soak.Seed) soak.Plan {
	return soak.Draw(s.Seed, s.Span).Without(o.withoutKinds())
}

// worlds are what is played.
func (o *soakOptions) worlds() (all []soak.Seed) {
	if o.kept {
		all = soak.Kept()
	}
	for i := range o.seeds {
		all = append(all, soak.Seed{Seed: o.first + uint64(i), Span: o.span})
	}
	return all
}

// verdict is what went wrong, with the command that shows it again.
func (o *soakOptions) verdict(con console, all *soak.Series) error {
	r := all.Broken
	if r == nil {
		if missing := all.Census.Missing(o.least); o.least > 0 && len(missing) > 0 {
			return fmt.Errorf("reached less than %d times: %s", o.least, strings.Join(missing, "; "))
		}
		return nil
	}
	con.notef("%v%s  %v\n%s", r.Plan, r.Plan.Script(), r.Broken, r.Sessions)
	again := fmt.Sprintf("go run ./cmd/udpecho soak -seeds 1 -first %d -span %v", r.Plan.Seed, r.Plan.Span)
	if o.without != "" {
		again += fmt.Sprintf(" -without %q", o.without)
	}
	if o.shrink {
		small := soak.Shrink(r, soakTrials)
		con.notef("smaller, %d of %d faults in %v:\n%v%s  %v\n%s\nthe end of its trace:\n%s", len(small.Plan.Faults), len(r.Plan.Faults), small.Plan.Span,
			small.Plan, small.Plan.Script(), small.Broken, small.Sessions, small.Story(soakLines, datagramName))
	}
	return fmt.Errorf("broken: seed %d: %w; to see it again: %s", r.Plan.Seed, r.Broken, again)
}

// datagramName is a datagram in a word.
func datagramName(d []byte) string {
	if len(d) == 0 {
		return "empty"
	}
	kind := framing.Kind(d[0])
	if name := handshake.Name(kind); name != "" {
		return name
	}
	return fmt.Sprint("kind ", kind)
}

// soakReport is what a series came to.
type soakReport struct {
	FirstSeed       uint64  `json:"first_seed"`
	Worlds          int     `json:"worlds"`
	ConnectionHours float64 `json:"connection_hours"`
	HoursPerMinute  float64 `json:"hours_per_minute"`
	Seconds         float64 `json:"seconds"`
	Faults          uint64  `json:"faults"`
	BrokenSeed      uint64  `json:"broken_seed,omitempty"`
	Broken          string  `json:"broken,omitempty"`

	Census map[string]uint64 `json:"census"`
}

func newSoakReport(o *soakOptions, all *soak.Series, took time.Duration) *soakReport {
	r := &soakReport{
		FirstSeed: o.first, Worlds: all.Worlds, ConnectionHours: all.UpTime.Hours(), HoursPerMinute: all.UpTime.Hours() / took.Minutes(), Seconds: took.Seconds(),
		Faults: all.Faults, Census: map[string]uint64{},
	}
	for row := range all.Census.Rows() {
		r.Census[row.Name] = row.Count
	}
	if all.Broken != nil {
		r.BrokenSeed, r.Broken = all.Broken.Plan.Seed, all.Broken.Broken.Error()
	}
	return r
}

func (r *soakReport) text(all *soak.Series, census bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d worlds from seed %d: %.1f connection-hours in %.1f s, %.0f a minute; %d faults\n", r.Worlds, r.FirstSeed, r.ConnectionHours, r.Seconds, r.HoursPerMinute, r.Faults)
	if census {
		for row := range all.Census.Rows() {
			fmt.Fprintf(&b, "%10d  %s\n", row.Count, row.Name)
		}
	}
	return b.String()
}
