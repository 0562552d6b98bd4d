package workload

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

var echo = Workload{
	Name: "echo",
	About: "A message of 64 B and the same one back, one at a time, over loopback, without loss; reliable where the stack has that. Both ends are in one process; " +
		"processor time and allocations are of both.",
	Needs:   []peer.Setup{echoSetup(peer.Reliable), echoSetup(peer.Unreliable)},
	Measure: measureEcho,
	Tables:  []Table{{Title: "", ByCase: true, Metrics: []string{"p50", "p99", "p99.9", "CPU", "allocations", "allocated"}}},
}

func echoSetup(p peer.Promise) peer.Setup {
	return peer.Setup{Use: peer.Echo, Lanes: []peer.Promise{p}, Message: 64, Clients: 1}
}

// promised gives what a stack has: reliable messages, or else unreliable ones.
func promised(d *peer.Driver) peer.Promise {
	if d.Reliable {
		return peer.Reliable
	}
	return peer.Unreliable
}

// echoing sends the next message from where the answer to the one before comes in, so no goroutine wakes another one for the harness's sake.
type echoing struct {
	*pair
	message []byte
	times   []int64
	got     atomic.Int64
	want    int64
	failed  atomic.Bool
}

func measureEcho(r Run, d *peer.Driver) ([]Result, error) {
	e := &echoing{message: make([]byte, 64)}
	var err error
	if e.pair, err = connect(d, echoSetup(promised(d)), e.answer, e.next, nil); err != nil {
		return nil, err
	}
	defer e.close()
	if err := e.rounds(pick(r, 5_000, 100)); err != nil {
		return nil, err
	}
	n := pick(r, 50_000, 300)
	used := measure.Used()
	if err := e.rounds(n); err != nil {
		return nil, err
	}
	it := measure.Used().Since(used)
	figures := append(measure.Latencies(e.times, "us", 1e3),
		measure.Figure{Metric: "CPU", Unit: "us/round trip", Value: it.CPU().Seconds() * 1e6 / float64(n)},
		measure.Figure{Metric: "allocations", Unit: "1/round trip", Value: float64(it.Allocs) / float64(n)},
		measure.Figure{Metric: "allocated", Unit: "B/round trip", Value: float64(it.AllocBytes) / float64(n)})
	return []Result{{"64 B", figures}}, nil
}

func (e *echoing) answer(c peer.Conn) peer.Receive {
	return func(lane int, message []byte) {
		if c.Send(lane, message) != nil {
			e.failed.Store(true)
		}
	}
}

func (e *echoing) next(c peer.Conn) peer.Receive {
	return func(_ int, message []byte) {
		e.times = append(e.times, age(message))
		if got := e.got.Add(1); got < e.want {
			e.send(c, got)
		}
	}
}

func (e *echoing) send(c peer.Conn, number int64) {
	stamp(e.message, measure.Now(), uint64(number))
	if c.Send(0, e.message) != nil {
		e.failed.Store(true)
	}
}

// rounds makes so many round trips.
func (e *echoing) rounds(n int) error {
	e.times = append(make([]int64, 0, n), e.times[:0]...)
	e.got.Store(0)
	e.want = int64(n)
	e.send(e.client, 0)
	e.client.Flush()
	last, deadline := int64(0), time.Now().Add(patience)
	for e.got.Load() < e.want {
		e.client.Drive(5 * time.Millisecond)
		if got := e.got.Load(); got > last {
			last, deadline = got, time.Now().Add(patience)
		}
		if e.failed.Load() || time.Now().After(deadline) {
			return fmt.Errorf("echo ended after %d of %d round trips", e.got.Load(), n)
		}
	}
	return nil
}
