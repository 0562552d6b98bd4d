package workload

import (
	"fmt"
	"math"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

const manyHertz = 30

var many = Workload{
	Name: "many",
	About: "Clients that send 41 B 30 times a second, spread over the time, to a host that sends as much to each, to all at once in each of its frames; unreliable where the stack has that. Host and clients " +
		"are processes of their own on the same cores. Host CPU is in us a message, in or out, and in cores; late is from Send to the receiver's hands, at the host and at the clients, in ms; " +
		"arrived is the share of what was due. holds is the number of clients that would take 70 % of a core at this cost a client, if 99 % arrived. For 5 s after 2 s of warming up.",
	Needs:   []peer.Setup{manyPlan(1, peer.Unreliable).setup(), manyPlan(1, peer.Reliable).setup()},
	Measure: measureMany,
	Tables: []Table{{ByCase: true, Metrics: []string{
		"host CPU", "host", "clients", "host p50", "host p99", "client p50", "client p99", "host arrived", "client arrived", "resident", "allocations", "holds",
	}}},
}

func manyPlan(clients int, p peer.Promise) crowdPlan {
	return crowdPlan{Use: peer.Crowd, Clients: clients, Message: 41, Promise: p, Every: time.Second / manyHertz, Frame: time.Second / manyHertz}
}

func measureMany(r Run, d *peer.Driver) ([]Result, error) {
	promise := peer.Unreliable
	if !d.Unreliable {
		promise = peer.Reliable
	}
	var results []Result
	for _, n := range pick(r, []int{100, 1000, 4000}, []int{20}) {
		plan := manyPlan(n, promise)
		if !d.Has(plan.setup()) {
			continue
		}
		figures, err := manyOnce(r, d, plan)
		if err != nil {
			return results, fmt.Errorf("many with %d clients: %w", n, err)
		}
		results = append(results, Result{fmt.Sprintf("%d clients", n), figures})
	}
	return results, nil
}

func manyOnce(r Run, d *peer.Driver, plan crowdPlan) ([]measure.Figure, error) {
	c, err := gather(d, "many", plan)
	if err != nil {
		return nil, err
	}
	defer c.end()
	host, clients, err := c.watch(pick(r, 2*time.Second, 200*time.Millisecond), pick(r, 5*time.Second, 400*time.Millisecond))
	if err != nil {
		return nil, err
	}
	resident, _, _, err := c.memory()
	due := float64(plan.Clients*manyHertz) * host.Took.Seconds()
	messages := float64(host.Sent + host.Received)
	return []measure.Figure{
		{Metric: "host CPU", Unit: "us/message", Value: host.Usage.CPU().Seconds() * 1e6 / messages},
		{Metric: "host", Unit: "cores", Value: host.cores()},
		{Metric: "clients", Unit: "cores", Value: clients.cores()},
		{Metric: "host p50", Unit: "ms", Value: host.P50 / 1e6}, {Metric: "host p99", Unit: "ms", Value: host.P99 / 1e6},
		{Metric: "client p50", Unit: "ms", Value: clients.P50 / 1e6}, {Metric: "client p99", Unit: "ms", Value: clients.P99 / 1e6},
		{Metric: "host arrived", Unit: "share", Value: float64(host.Received) / due},
		{Metric: "client arrived", Unit: "share", Value: float64(clients.Received) / due},
		{Metric: "resident", Unit: "B/client", Value: resident},
		{Metric: "allocations", Unit: "1/message", Value: float64(host.Usage.Allocs) / messages},
		{Metric: "holds", Unit: "clients", Value: holds(plan, host, float64(min(host.Received, clients.Received))/due)},
	}, err
}

// holds is how many clients would take 70 % of a core at the cost of these. It is known only if all was done that was due.
func holds(plan crowdPlan, host sample, arrived float64) float64 {
	if arrived < 0.99 {
		return math.NaN()
	}
	return float64(plan.Clients) * 0.7 / host.cores()
}

// manyApp sends a message to each client in each frame.
type manyApp struct {
	roster
	late    *measure.Histogram
	message []byte
}

func newManyApp(p crowdPlan, late *measure.Histogram) crowdApp {
	return &manyApp{late: late, message: make([]byte, p.Message)}
}

func (a *manyApp) accept(c peer.Conn) peer.Receive {
	a.add(c)
	return func(_ int, message []byte) { a.late.Add(age(message)) }
}

func (a *manyApp) frame(counted *counted) {
	for _, c := range a.all() {
		stamp(a.message, measure.Now(), 0)
		counted.note(c.Send(0, a.message))
	}
}
