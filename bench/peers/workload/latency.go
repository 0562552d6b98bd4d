package workload

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/sim"
)

const (
	pathDelay   = 25 * time.Millisecond // one way
	latencySize = 64
)

var latencyRates = []int{60, 30} // messages a second

var latency = Workload{
	Name: "latency",
	About: "Reliable messages of 64 B from a client to a host, 60 and 30 a second, through a relay that delays by 25 ms each way and loses datagrams both ways, acks included. " +
		"j0 and j5: jitter of 0 or 5 ms, either way, which reorders. Outages: a twentieth of the time lies in periods of 50 ms, in the mean, that lose 80 %; 0.5 % are lost otherwise. " +
		"Runs of 3: 5 % of all datagrams are lost, in runs of 3 in the mean. Latency is one way, in ms, from Send to the receiver's hands. A message that has not come 5 s after the last " +
		"one was sent counts with the time that it was waited for. Bytes have the headers of IPv4 and UDP in them. All links of a stack run at once, in one process with both ends and the relay.",
	Needs:   []peer.Setup{latencySetup()},
	Relay:   true,
	Measure: measureLatency,
	Tables:  latencyTables(),
}

func latencyTables() []Table {
	var tables []Table
	for _, rate := range latencyRates {
		prefix := fmt.Sprintf("%d Hz ", rate)
		tables = append(tables,
			Table{Title: prefix + "latency, p50 / p99 / p99.9 / max, ms:", Prefix: prefix, Metrics: []string{"p50", "p99", "p99.9", "max"}},
			Table{Title: prefix + "bytes a message, up / down:", Prefix: prefix, Metrics: []string{"up", "down"}},
			Table{Title: prefix + "packets a message, up / down:", Prefix: prefix, Metrics: []string{"packets up", "packets down"}},
			Table{Title: prefix + "messages not delivered:", Prefix: prefix, Metrics: []string{"undelivered"}},
		)
	}
	return tables
}

func latencySetup() peer.Setup {
	return peer.Setup{Use: peer.Sparse, Lanes: []peer.Promise{peer.Reliable}, Message: latencySize, Clients: latencyFlows, Path: peer.Path{RTT: 2 * pathDelay}}
}

// latencyFlows is how many clients each link carries, for more messages in the same time.
const latencyFlows = 2

// link is one case of the way that datagrams take.
type link struct {
	name     string
	up, down func(seed uint64) sim.Conditions
}

func latencyLinks() []link {
	var all []link
	for _, jitter := range []time.Duration{0, 5 * time.Millisecond} {
		for _, loss := range []float64{0, 1, 5, 10, 20} {
			c := sim.Conditions{Delay: pathDelay, Jitter: jitter, Loss: sim.Percent(loss)}
			same := func(uint64) sim.Conditions { return c }
			all = append(all, link{fmt.Sprintf("%g %% j%d", loss, jitter.Milliseconds()), same, same})
		}
	}
	outages := func(direction uint64) func(uint64) sim.Conditions {
		return func(seed uint64) sim.Conditions {
			return sim.Conditions{Delay: pathDelay, Drop: badPeriods(seed, direction, measure.Now)}
		}
	}
	runs := func(uint64) sim.Conditions {
		return sim.Conditions{Delay: pathDelay, Burst: sim.Burst{Average: sim.Percent(5), Length: 3}}
	}
	return append(all, link{"outages", outages(0), outages(1)}, link{"runs of 3", runs, runs})
}

func measureLatency(r Run, d *peer.Driver) ([]Result, error) {
	var results []Result
	for _, rate := range latencyRates {
		its, err := latencyAtRate(r, d, rate)
		results = append(results, its...)
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

// latencyAtRate runs all links at once.
func latencyAtRate(r Run, d *peer.Driver, rate int) ([]Result, error) {
	links := latencyLinks()
	if r.Short {
		links = []link{links[0], links[9], links[10], links[11]}
	}
	results, errs := make([]Result, len(links)), make([]error, len(links))
	var all sync.WaitGroup
	for i, l := range links {
		all.Go(func() {
			results[i].Case = fmt.Sprintf("%d Hz %s", rate, l.name)
			results[i].Figures, errs[i] = latencyOfLink(r, d, l, rate)
		})
	}
	all.Wait()
	return results, errors.Join(errs...)
}

func latencyOfLink(r Run, d *peer.Driver, l link, rate int) ([]measure.Figure, error) {
	name := fmt.Sprintf("%d Hz %s", rate, l.name)
	path, err := openPath(r, d, latencySetup(), name, l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer path.close()
	count := pick(r, 20*rate, rate/4)
	flows := make([]*flow, latencyFlows)
	for i := range flows {
		flows[i] = newFlow(r, fmt.Sprint(name, i), 0, count, latencySize, time.Second/time.Duration(rate))
		if err := path.add(flows[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := path.run(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return latencyFigures(flows, path), nil
}

func latencyFigures(flows []*flow, p *path) []measure.Figure {
	var times []int64
	messages, undelivered, misordered := 0, 0, 0
	for _, f := range flows {
		its, missing := f.latencies()
		times = append(times, its...)
		messages, undelivered, misordered = messages+len(its), undelivered+missing, misordered+int(f.misordered.Load())
	}
	n := float64(messages)
	return append(measure.Latencies(times, "ms", 1e6),
		measure.Figure{Metric: "up", Unit: "B", Value: p.up.bytes / n}, measure.Figure{Metric: "down", Unit: "B", Value: p.down.bytes / n},
		measure.Figure{Metric: "packets up", Value: p.up.packets / n}, measure.Figure{Metric: "packets down", Value: p.down.packets / n},
		measure.Figure{Metric: "undelivered", Value: float64(undelivered)}, measure.Figure{Metric: "out of order", Value: float64(misordered)})
}
