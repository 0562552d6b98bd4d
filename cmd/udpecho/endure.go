package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gannet-net/gannet/sim/proxy"
	"github.com/gannet-net/gannet/udp"
)

// reliableRate is how many reliable messages each client sends a second, beside those of -rate.
const reliableRate = 5

// endureOptions are the flags of udpecho endure.
type endureOptions struct {
	clients int
	length  time.Duration
	every   time.Duration
	rate    float64
	link    linkFlags
	relay   proxy.Config
	json    bool
	asHost  bool
}

func runEndure(ctx context.Context, con console, args []string) error {
	o, err := parseEndure(con, args)
	if err != nil {
		return err
	}
	if o.asHost {
		return serveEnduring(con, os.Stdin)
	}
	e := &endurance{endureOptions: o, began: time.Now()}
	report, err := e.run(ctx)
	if ctx.Err() != nil {
		return errors.New("interrupted before the verdict")
	}
	if err != nil {
		return err
	}
	if err := o.print(con, report); err != nil {
		return err
	}
	if !report.Pass {
		return errors.New("a promise was broken, or something grew")
	}
	return nil
}

func (o *endureOptions) print(con console, r *endureReport) error {
	if o.json {
		return con.json(r)
	}
	con.printf("%s", r.text())
	return nil
}

func parseEndure(con console, args []string) (*endureOptions, error) {
	o := &endureOptions{link: linkFlags{loss: 5, delay: 5 * time.Millisecond}}
	fs := newFlags("endure", "endure [FLAGS]", "Lets clients play for a long time, on real UDP sockets of this machine and through a lossy relay, with an echo host that\n"+
		"is a process of its own, and tells how memory, goroutines, descriptors and latency develop. The status is 0 only if all\n"+
		"promises held, nothing was left over, and the heap grew in the second half by no more than its stalls allow; resident\n"+
		"memory and latency over time are told, and judged by nobody but you.")
	fs.IntVar(&o.clients, "clients", 64, "`N` clients")
	fs.DurationVar(&o.length, "for", time.Minute, "`TIME` during which they send")
	fs.DurationVar(&o.every, "every", 0, "`TIME` between looks; 0 is a twentieth of -for")
	fs.Float64Var(&o.rate, "rate", 60, "unreliable messages a second and client, in `HZ`; there are 5 reliable ones beside")
	fs.Uint64Var(&o.relay.Seed, "seed", 1, "`SEED` of the relay")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	fs.BoolVar(&o.asHost, "as-host", false, "be the process of the host, which another endure starts")
	o.link.register(fs)
	if err := con.parse(fs, args); err != nil {
		return nil, err
	}
	return o, firstError(fs.noMore(), o.check())
}

func (o *endureOptions) check() (err error) {
	switch {
	case !(o.rate >= reliableRate && o.rate <= 1000):
		return usagef("-rate %v: must be from %d to 1000", o.rate, reliableRate)
	case o.length < time.Second || o.length > 48*time.Hour:
		return usagef("-for %v: must be from 1s to 48h", o.length)
	case o.every < 0 || o.every > o.length:
		return usagef("-every %v: must not be longer than -for", o.every)
	}
	if o.every == 0 {
		o.every = o.length / 20
	}
	o.relay.MaxClients = o.clients
	o.relay.Up, o.relay.Down, err = o.link.conditions()
	return firstError(err, checkRange("clients", o.clients, 1, 1000))
}

// endurance is one run.
type endurance struct {
	*endureOptions
	began time.Time

	host    *hostProcess
	relayed *proxy.Proxy
	clients []*enduringClient
	times   enduredTimes

	idle, start, middle, end, after bothVitals
	points                          []endurePoint
	half                            int // points up to the middle
}

// bothVitals are those of the two processes at one time.
type bothVitals struct{ host, clients vitals }

func (e *endurance) now() int64 { return int64(time.Since(e.began)) }

// run lets it all happen. The error is what kept it from happening.
func (e *endurance) run(ctx context.Context) (r *endureReport, err error) {
	if e.host, err = startHost(ctx); err != nil {
		return nil, err
	}
	defer e.host.end()
	if e.idle, err = e.look(collect); err != nil {
		return nil, err
	}
	if err := e.open(); err != nil {
		return nil, err
	}
	err = e.play(ctx)
	broken := e.broken()
	e.close()
	if err == nil {
		e.after, err = e.lookUntil(e.idle)
	}
	if err != nil {
		return nil, err
	}
	return e.report(errors.Join(broken, e.grown())), nil
}

// open starts the relay.
func (e *endurance) open() (err error) {
	e.relay.Listen, e.relay.To = "127.0.0.1:0", e.host.addr
	if e.relayed, err = proxy.New(e.relay); err != nil {
		return fmt.Errorf("starting the relay: %w", err)
	}
	go e.relayed.Run()
	return nil
}

// play connects the clients and lets them send, and looks at both processes all the while.
func (e *endurance) play(ctx context.Context) error {
	if err := e.dialAll(ctx); err != nil {
		return err
	}
	playing, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for _, c := range e.clients {
		all.Go(func() { c.play(playing, e.rate, reliableRate) })
	}
	err := e.watch(ctx)
	stop()
	all.Wait()
	if err != nil {
		return err
	}
	e.settle(ctx)
	return nil
}

func (e *endurance) dialAll(ctx context.Context) error {
	for i := range e.endureOptions.clients {
		c := newEnduringClient(uint32(i+1), &e.times, e.now)
		if err := c.dial(ctx, e.relayed.Addr().String(), udp.Config{HostKey: e.host.key, DialTimeout: 20 * time.Second, Linger: time.Second}); err != nil {
			return fmt.Errorf("connecting client %d: %w", i+1, err)
		}
		e.clients = append(e.clients, c)
	}
	return nil
}

// watch notes a point each time that -every is over, and looks at the end.
func (e *endurance) watch(ctx context.Context) (err error) {
	start := e.now()
	for e.now()-start < int64(e.length) {
		left := int64(e.length) - (e.now() - start)
		if !pause(ctx, min(e.every, time.Duration(left))) {
			return ctx.Err()
		}
		if err := e.note(start); err != nil {
			return err
		}
		if err := e.mark(start); err != nil {
			return err
		}
	}
	e.end, err = e.lookUntil(e.start)
	e.noteLate()
	return err
}

// mark looks at what the end is compared with: what can be counted at the first point, and the heap at the one with which half of the time is over.
func (e *endurance) mark(start int64) (err error) {
	if len(e.points) == 1 {
		e.start, err = e.look(collect)
	}
	if err == nil && e.half == 0 && e.now()-start >= int64(e.length)/2 {
		e.half = len(e.points)
		e.middle, err = e.look(collect)
	}
	return err
}

// note adds a point.
func (e *endurance) note(start int64) error {
	v, err := e.look(look)
	if err != nil {
		return err
	}
	var reliable, unreliable roundTrips
	e.times.take(&reliable, &unreliable)
	e.points = append(e.points, endurePoint{
		Seconds: rounded(float64(e.now()-start) / 1e9), HostMiB: v.host.ResidentMiB, ClientsMiB: v.clients.ResidentMiB,
		HostHeap: v.host.HeapKiB, ClientHeap: v.clients.HeapKiB,
		P50: milliseconds(float64(reliable.quantile(500))), P99: milliseconds(float64(reliable.quantile(990))),
		UnreliableP50: milliseconds(float64(unreliable.quantile(500))), UnreliableP99: milliseconds(float64(unreliable.quantile(990))),
		Waited: reliable.waited + unreliable.waited,
	})
	return nil
}

// noteLate lets the last point know what waited since: the look at the end may take a few seconds.
func (e *endurance) noteLate() {
	var reliable, unreliable roundTrips
	e.times.take(&reliable, &unreliable)
	last := &e.points[len(e.points)-1]
	last.Waited = max(last.Waited, reliable.waited+unreliable.waited)
}

// look asks both processes.
func (e *endurance) look(question string) (v bothVitals, err error) {
	v.clients = ownVitals(question == collect)
	v.host, err = e.host.vitals(question)
	return v, err
}

// lookUntil looks until there is no more than there was, for a few seconds: what just ends may still be there.
func (e *endurance) lookUntil(before bothVitals) (v bothVitals, err error) {
	for range 50 {
		if v, err = e.look(collect); err != nil || grown("", before, v) == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return v, err
}

// settle waits for the last echoes.
func (e *endurance) settle(ctx context.Context) {
	for _, c := range e.clients {
		for range 2000 {
			if c.settled() || !pause(ctx, 5*time.Millisecond) {
				break
			}
		}
	}
}

// close lets all clients leave at once, and ends the relay.
func (e *endurance) close() {
	var all sync.WaitGroup
	for _, c := range e.clients {
		all.Go(func() { _ = c.conn.Close() })
	}
	all.Wait()
	_ = e.relayed.Close()
}
