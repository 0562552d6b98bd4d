package workload

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

var flood = Workload{
	Name: "flood",
	About: "One client sends as fast as it goes, over loopback, without loss. Both ends are in one process; processor time and allocations are of both. " +
		"For 2 s of each case after 0.3 s of warming up.",
	Needs:   []peer.Setup{floodSetup(floodCases[0]), floodSetup(floodCases[3])},
	Measure: measureFlood,
	Tables: []Table{
		{Title: "Messages a second:", Metrics: []string{"messages"}},
		{Title: "MB/s:", Metrics: []string{"rate"}},
		{Title: "CPU seconds a million messages / allocations a message:", Metrics: []string{"CPU", "allocations"}},
		{Title: "Share that arrived:", Metrics: []string{"arrived"}},
	},
}

type floodCase struct {
	name    string
	size    int
	promise peer.Promise
}

var floodCases = []floodCase{
	{"64 B", 64, peer.Reliable},
	{"1 KiB", 1 << 10, peer.Reliable},
	{"64 KiB", 64 << 10, peer.Reliable},
	{"41 B unreliable", 41, peer.Unreliable},
	{"1100 B unreliable", 1100, peer.Unreliable},
}

// outstanding is how many unreliable messages may be on their way: without a bound most of them would be lost at a full buffer.
const outstanding = 2048

func floodSetup(c floodCase) peer.Setup {
	return peer.Setup{Use: peer.Bulk, Lanes: []peer.Promise{c.promise}, Message: c.size, Clients: 1}
}

func measureFlood(r Run, d *peer.Driver) ([]Result, error) {
	var results []Result
	for _, c := range floodCases {
		if !d.Has(floodSetup(c)) {
			continue
		}
		figures, err := floodOnce(r, d, c)
		if err != nil {
			return results, fmt.Errorf("flood %s: %w", c.name, err)
		}
		results = append(results, Result{c.name, figures})
	}
	return results, nil
}

// flooding is a flood that runs.
type flooding struct {
	*pair
	message []byte
	promise peer.Promise
	sent    int64
	lost    int64         // may be wrong, and is only for hold: unreliable messages that are not waited for any more
	some    chan struct{} // has one element after every so many received

	_        [lineOfCache]byte // else each end waits for what the other writes, at millions of messages a second
	received atomic.Int64
	_        [lineOfCache]byte
}

// lineOfCache is what processors fetch at once: two lines of 64 bytes.
const lineOfCache = 128

// count gives what counts at the host.
func (f *flooding) count(peer.Conn) peer.Receive {
	return func(int, []byte) {
		if f.received.Add(1)%(outstanding/4) == 0 {
			select {
			case f.some <- struct{}{}:
			default:
			}
		}
	}
}

func floodOnce(r Run, d *peer.Driver, c floodCase) ([]measure.Figure, error) {
	f := &flooding{message: make([]byte, c.size), promise: c.promise, some: make(chan struct{}, 1)}
	var err error
	if f.pair, err = connect(d, floodSetup(c), f.count, nothing, nil); err != nil {
		return nil, err
	}
	defer f.close()
	if err := f.flood(pick(r, 300*time.Millisecond, 10*time.Millisecond)); err != nil {
		return nil, err
	}
	sent, received, used, began := f.sent, f.received.Load(), measure.Used(), time.Now()
	if err := f.flood(pick(r, 2*time.Second, 30*time.Millisecond)); err != nil {
		return nil, err
	}
	took := time.Since(began).Seconds()
	return floodFigures(c, float64(f.sent-sent), float64(f.received.Load()-received), took, measure.Used().Since(used)), nil
}

func floodFigures(c floodCase, sent, received, took float64, used measure.Usage) []measure.Figure {
	figures := []measure.Figure{
		{Metric: "messages", Unit: "1/s", Value: received / took},
		{Metric: "rate", Unit: "MB/s", Value: received * float64(c.size) / took / 1e6},
		{Metric: "CPU", Unit: "s/million", Value: used.CPU().Seconds() / received * 1e6},
		{Metric: "allocations", Unit: "1/message", Value: float64(used.Allocs) / received},
	}
	if c.promise == peer.Unreliable {
		figures = append(figures, measure.Figure{Metric: "arrived", Unit: "share", Value: min(received/sent, 1)})
	}
	return figures
}

// flood sends for a time.
func (f *flooding) flood(d time.Duration) error {
	for deadline := time.Now().Add(d); time.Now().Before(deadline); {
		for range 64 { // reading the clock costs as much as a short message
			if err := f.send(); err != nil {
				return err
			}
		}
	}
	f.client.Flush()
	return nil
}

// send sends a message as soon as there is room.
func (f *flooding) send() error {
	if f.promise == peer.Unreliable {
		f.hold()
	}
	for {
		err := f.client.Send(0, f.message)
		if err == nil {
			f.sent++
			return nil
		}
		if !errors.Is(err, peer.ErrFull) {
			return err
		}
		f.client.Await()
	}
}

// hold waits while too many are on their way, and gives them up if none comes for a millisecond or two.
func (f *flooding) hold() {
	if f.onTheWay() < outstanding {
		return
	}
	f.client.Flush()
	late := time.NewTimer(time.Millisecond)
	defer late.Stop()
	for before := f.received.Load(); f.onTheWay() >= outstanding; {
		select {
		case <-f.some:
		case <-late.C:
			if now := f.received.Load(); now != before {
				before = now
				late.Reset(time.Millisecond)
				break
			}
			f.lost += f.onTheWay()
		}
		f.client.Drive(0)
	}
}

func (f *flooding) onTheWay() int64 { return f.sent - f.lost - f.received.Load() }
