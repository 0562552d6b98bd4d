package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/gannet-net/gannet/internal/dumbbell"
	"github.com/gannet-net/gannet/sim"
)

// isBulk reports whether udpecho sim is to measure bulk.
func isBulk(args []string) bool {
	for _, a := range args {
		if name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "="); name == "bulk" && strings.HasPrefix(a, "-") {
			return true
		}
	}
	return false
}

// bulkOptions are the flags of udpecho sim -bulk.
type bulkOptions struct {
	plan         dumbbell.Plan
	link         float64
	loss         float64
	step         float64
	delay        time.Duration
	delays       string
	flows        int
	against      string
	json         bool
	queueIsGiven bool
}

func runBulk(con console, args []string) error {
	o, err := parseBulk(con, args)
	if err != nil {
		return err
	}
	report, err := o.plan.Do()
	switch {
	case err != nil:
		return err
	case o.json:
		return con.json(report)
	}
	con.printf("%s", bulkText(o, report))
	return nil
}

func parseBulk(con console, args []string) (*bulkOptions, error) {
	o := &bulkOptions{}
	p := &o.plan
	fs := newFlags("sim", "sim -bulk BYTES [FLAGS]", "Sends bulk from clients to hosts through one bottleneck in virtual time, on the packets of the secure protocol but\n"+
		"without its cipher. A game sends 30 messages a second beside it: one on the connection of the first flow, and one on\n"+
		"a connection of its own. Reports goodput, the queue, what both games notice, and how flows share.")
	fs.Int64Var(&p.Bytes, "bulk", 0, "`BYTES` that each flow sends, at most for -for")
	fs.DurationVar(&p.For, "for", time.Minute, "`TIME` after which the run ends")
	fs.Float64Var(&o.link, "link", 20, "capacity of the bottleneck in `MBIT`/s, headers included")
	fs.IntVar(&p.Queue, "queue", 0, "`BYTES` that wait before it; more is lost (what the link holds in one round trip)")
	fs.IntVar(&p.Police, "police", 0, "a policer with a bucket of `BYTES` in place of the queue")
	fs.DurationVar(&o.delay, "delay", 25*time.Millisecond, "`TIME` from one end to the other, each way")
	fs.StringVar(&o.delays, "delays", "", "a `TIME,TIME...` for each flow in place of -flows and -delay")
	fs.IntVar(&o.flows, "flows", 1, "`N` flows at once; 0 for a flow of -against alone")
	fs.StringVar(&o.against, "against", "", "`KIND` of a flow that is not ours: cubic")
	fs.Float64Var(&o.loss, "loss", 0, "`PCT` of the datagrams that are lost behind the bottleneck, each way")
	fs.DurationVar(&p.Jitter, "jitter", 0, "`TIME` added to or taken from the delay, uniform; it reorders")
	fs.DurationVar(&p.Late, "late", 0, "`TIME` by which turns of the ends, and datagrams on their way, come late at most, uniform; order is kept")
	fs.Float64Var(&o.step, "step", 0, "capacity in `MBIT`/s in the second third of the time")
	fs.BoolVar(&p.Background, "background", false, "let bulk give way to what is not ours")
	fs.Uint64Var(&p.Seed, "seed", 1, "`SEED` of what is random")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	if err := con.parse(fs, args); err != nil {
		return nil, err
	}
	o.queueIsGiven = fs.given("queue")
	return o, firstError(fs.noMore(), o.check(), o.settle())
}

func (o *bulkOptions) check() error {
	p := &o.plan
	switch {
	case p.Bytes < 1:
		return usagef("-bulk %d: must be at least 1", p.Bytes)
	case p.For < 4*time.Second || p.For > time.Hour:
		return usagef("-for %v: must be from 4s to 1h", p.For)
	case !(o.link >= 0.1 && o.link <= 1000):
		return usagef("-link %v: must be from 0.1 to 1000 Mbit/s", o.link)
	case !(o.step == 0 || o.step >= 0.1 && o.step <= 1000):
		return usagef("-step %v: must be from 0.1 to 1000 Mbit/s", o.step)
	case !(o.loss >= 0 && o.loss <= 50):
		return usagef("-loss %v: must be from 0 to 50 per cent", o.loss)
	case o.delay < time.Millisecond || o.delay > time.Second:
		return usagef("-delay %v: must be from 1ms to 1s", o.delay)
	case p.Jitter < 0 || p.Jitter > time.Second:
		return usagef("-jitter %v: must be from 0s to 1s", p.Jitter)
	case p.Late < 0 || p.Late > time.Second || p.Late > 0 && p.Jitter > 0:
		return usagef("-late %v: must be from 0s to 1s, without -jitter", p.Late)
	case o.queueIsGiven && p.Queue < dumbbell.Packet:
		return usagef("-queue %d: must be at least a packet of %d", p.Queue, dumbbell.Packet)
	case p.Police != 0 && p.Police < dumbbell.Packet:
		return usagef("-police %d: must be at least a packet of %d", p.Police, dumbbell.Packet)
	case p.Police != 0 && (o.step != 0 || o.queueIsGiven):
		return usagef("-police stands in place of -queue, and its rate has no -step")
	case o.against != "" && o.against != "cubic":
		return usagef("-against %q: no such kind: use cubic", o.against)
	case o.flows == 0 && o.against == "":
		return usagef("-flows 0: nothing would be sent: set -against")
	}
	return firstError(checkRange("flows", o.flows, 0, 100), checkRange("queue", p.Queue, 0, 1<<30), checkRange("police", p.Police, 0, 1<<30))
}

// settle makes a plan of the flags.
func (o *bulkOptions) settle() error {
	p := &o.plan
	p.Rate, p.Step, p.Loss = int64(o.link*1e6), int64(o.step*1e6), sim.Percent(o.loss)
	p.Trip, p.Cubic = 2*o.delay, o.against == "cubic"
	for range o.flows {
		p.Trips = append(p.Trips, p.Trip)
	}
	if o.delays != "" {
		p.Trips = nil
		for _, text := range strings.Split(o.delays, ",") {
			delay, err := time.ParseDuration(text)
			if err != nil || delay < time.Millisecond || delay > time.Second {
				return usagef("-delays %q: times from 1ms to 1s, such as 12.5ms,50ms", o.delays)
			}
			p.Trips = append(p.Trips, 2*delay)
		}
	}
	if !o.queueIsGiven {
		p.Queue = max(dumbbell.Packet, int(float64(p.Rate)/8*p.Trip.Seconds()))
	}
	return nil
}

func bulkText(o *bulkOptions, r dumbbell.Report) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("goodput", "%.2f Mbit/s of all flows, %.1f %% of what can be: %.2f", r.Goodput, 100*r.Goodput/r.Ceiling, r.Ceiling)
	line("queue", "mean %.1f ms, p95 %.1f ms, p99 %.1f ms, start-up left out", r.QueueMean, r.QueueP95, r.QueueP99)
	line("start-up", "at most %.1f ms of queue, for %.0f ms above 10", r.Overshoot, r.OvershootTime)
	line("game", "p99 later by %.1f ms on the same connection, by %.1f ms on another", r.GameAdded, r.GameAddedApart)
	line("lost", "%.2f %% of the packets of bulk, at the bottleneck", r.BulkLoss)
	if r.Jain != nil {
		line("fairness", "index %.3f, the fastest flow %.2f times as fast as the slowest", *r.Jain, *r.Ratio)
	}
	if r.Share != nil {
		line("share", "%.1f %% of what came through; CUBIC %.2f Mbit/s", *r.Share, *r.Cubic)
	}
	if r.StepQueue != nil {
		line("step", "%.0f ms until the queue stayed below 15 ms, %.0f ms until 90 %% of the old rate", *r.StepQueue, *r.StepRate)
	}
	line("trace hash", "%s", r.TraceHash)
	return b.String()
}
