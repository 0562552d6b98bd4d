package workload

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/sim"
)

const (
	narrowRate  = 20_000_000 // bits a second
	narrowQueue = 250_000    // bytes
	narrowBulk  = 1 << 10    // bytes of a message
	narrowHertz = 30
)

var bottleneck = Workload{
	Name: "bottleneck",
	About: "Reliable messages of 1 KiB, as many as go through 20 Mbit/s with a queue of 250 kB that drops what does not fit, 25 ms each way, with loss behind the queue, both ways. " +
		"Beside them a reliable message of 64 B 30 times a second on a channel of its own, where the stack has channels, else in the same stream. Goodput is the payload of the large " +
		"messages that arrived and offered is what the sender put on the wire, both as a share of the link; latencies are of the small messages, one way, in ms. For 10 s after 3 s of warming up. " +
		"All rates of loss run at once, each with a link of its own.",
	Needs:   []peer.Setup{narrowSetup()},
	Relay:   true,
	Measure: measureBottleneck,
	Tables: []Table{
		{Title: "Goodput / offered, share of the link:", Metrics: []string{"goodput", "offered"}},
		{Title: "Latency of the small messages, p50 / p99 / max, ms:", Metrics: []string{"p50", "p99", "max"}},
		{Title: "Small messages not delivered:", Metrics: []string{"undelivered"}},
	},
}

func narrowSetup() peer.Setup {
	return peer.Setup{
		Use: peer.Bottleneck, Lanes: []peer.Promise{peer.Reliable, peer.Reliable}, Message: narrowBulk, Clients: 1,
		Path: peer.Path{Rate: narrowRate, RTT: 2 * pathDelay},
	}
}

func measureBottleneck(r Run, d *peer.Driver) ([]Result, error) {
	losses := []float64{0, 1, 2, 5}
	results, errs := make([]Result, len(losses)), make([]error, len(losses))
	var all sync.WaitGroup
	for i, loss := range losses {
		all.Go(func() {
			results[i].Case = fmt.Sprintf("%g %%", loss)
			results[i].Figures, errs[i] = throughBottleneck(r, d, loss)
		})
	}
	all.Wait()
	return results, errors.Join(errs...)
}

// narrow is bulk through a bottleneck, and a flow beside it.
type narrow struct {
	*pair
	relay    *relay
	message  []byte
	small    *flow
	received atomic.Int64 // bytes of bulk
}

func throughBottleneck(r Run, d *peer.Driver, loss float64) ([]measure.Figure, error) {
	name := fmt.Sprintf("bottleneck %g", loss)
	warm, long := pick(r, 3*time.Second, 300*time.Millisecond), pick(r, 10*time.Second, 300*time.Millisecond)
	n := &narrow{message: make([]byte, narrowBulk)}
	n.small = newFlow(r, name, 1, int((warm+long).Seconds()*narrowHertz), 64, time.Second/narrowHertz)
	up := sim.Conditions{Delay: pathDelay, Loss: sim.Percent(loss), Rate: narrowRate, Queue: narrowQueue}
	down := sim.Conditions{Delay: pathDelay, Loss: sim.Percent(loss)}
	var err error
	n.pair, err = connect(d, narrowSetup(), n.take, nothing, func(to string) (string, error) {
		var err error
		if n.relay, err = newRelay(to, r, name, up, down); err != nil {
			return "", err
		}
		return n.relay.Addr().String(), nil
	})
	if n.relay != nil {
		defer n.relay.Close()
	}
	if err != nil {
		return nil, err
	}
	defer n.close()
	return n.measure(warm, long)
}

// take receives both flows at the host.
func (n *narrow) take(peer.Conn) peer.Receive {
	return func(_ int, message []byte) {
		if len(message) == len(n.message) {
			n.received.Add(int64(len(message)))
			return
		}
		n.small.receive(message)
	}
}

func (n *narrow) measure(warm, long time.Duration) ([]measure.Figure, error) {
	n.small.start()
	if err := n.press(warm); err != nil {
		return nil, err
	}
	began, received, first := time.Now(), n.received.Load(), len(n.small.sent)
	n.relay.begin()
	if err := n.press(long); err != nil {
		return nil, err
	}
	link := float64(narrowRate) / 8 * time.Since(began).Seconds()
	received = n.received.Load() - received
	up, _ := n.relay.sent()
	times, undelivered := n.small.after(first)
	return append(measure.Latencies(times, "ms", 1e6),
		measure.Figure{Metric: "goodput", Unit: "share", Value: float64(received) / link},
		measure.Figure{Metric: "offered", Unit: "share", Value: up.bytes / link},
		measure.Figure{Metric: "undelivered", Value: float64(undelivered)}), nil
}

// press sends bulk as fast as it goes, and small messages when they are due.
func (n *narrow) press(d time.Duration) error {
	for deadline := time.Now().Add(d); time.Now().Before(deadline); {
		if !n.small.done() && n.small.left() <= 0 {
			if err := n.small.send(n.client, true); err != nil {
				return err
			}
		}
		err := n.client.Send(0, n.message)
		if errors.Is(err, peer.ErrFull) {
			n.client.Await()
		} else if err != nil {
			return err
		}
	}
	return nil
}
