package workload

import (
	"fmt"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

var idle = Workload{
	Name: "idle",
	About: "Connections on which nothing is said but the heartbeats of the stack, one a second each where it has them: 10,000, and 50,000 with one in 5 s for stacks that need less than 16 KiB for each of the " +
		"10,000. Memory is by how much the host's process grew, after a garbage collection; what the kernel keeps for sockets is not in it. CPU is of the host, in cores, in its own code and in the " +
		"kernel apart. For 10 s after 5 s.",
	Needs:   []peer.Setup{idlePlan(1, time.Second, peer.Reliable).setup(), idlePlan(1, time.Second, peer.Unreliable).setup()},
	Measure: measureIdle,
	Tables:  []Table{{ByCase: true, Metrics: []string{"resident", "heap", "stacks", "user", "system", "clients"}}},
}

func idlePlan(n int, heartbeat time.Duration, p peer.Promise) crowdPlan {
	return crowdPlan{Use: peer.Crowd, Clients: n, Message: 64, Promise: p, Heartbeat: heartbeat}
}

// frugal is what a connection may need if 50,000 are to be tried.
const frugal = 16 << 10

func measureIdle(r Run, d *peer.Driver) ([]Result, error) {
	var results []Result
	for _, c := range []struct {
		n         int
		heartbeat time.Duration
	}{{pick(r, 10_000, 50), time.Second}, {pick(r, 50_000, 100), 5 * time.Second}} {
		plan := idlePlan(c.n, c.heartbeat, promised(d))
		if !d.Has(plan.setup()) {
			continue
		}
		figures, resident, err := idleOnce(r, d, plan)
		if err != nil {
			return results, fmt.Errorf("idle with %d connections: %w", c.n, err)
		}
		results = append(results, Result{fmt.Sprintf("%d connections", c.n), figures})
		if resident > frugal && !r.Short {
			break
		}
	}
	return results, nil
}

func idleOnce(r Run, d *peer.Driver, plan crowdPlan) (figures []measure.Figure, resident float64, err error) {
	c, err := gather(d, "idle", plan)
	if err != nil {
		return nil, 0, err
	}
	defer c.end()
	host, clients, err := c.watch(pick(r, 5*time.Second, 100*time.Millisecond), pick(r, 10*time.Second, 200*time.Millisecond))
	if err != nil {
		return nil, 0, err
	}
	resident, heap, stacks, err := c.memory()
	return []measure.Figure{
		{Metric: "resident", Unit: "B/connection", Value: resident},
		{Metric: "heap", Unit: "B/connection", Value: heap},
		{Metric: "stacks", Unit: "B/connection", Value: stacks},
		{Metric: "user", Unit: "cores", Value: host.Usage.User.Seconds() / host.Took.Seconds()},
		{Metric: "system", Unit: "cores", Value: host.Usage.System.Seconds() / host.Took.Seconds()},
		{Metric: "clients", Unit: "cores", Value: clients.cores()},
	}, resident, err
}
