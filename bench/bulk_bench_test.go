package bench

import (
	"testing"
	"time"

	"github.com/gannet-net/gannet/internal/dumbbell"
	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/sim"
)

// BenchmarkBulk is ten seconds of bulk through a link of 20 Mbit/s that loses 1 %, both sides and the simulator.
func BenchmarkBulk(b *testing.B) {
	p := dumbbell.Plan{
		Seed: 1, Rate: 20e6, Queue: 125_000, Trips: []time.Duration{50 * time.Millisecond}, Trip: 50 * time.Millisecond,
		Loss: sim.Percent(1), Bytes: 1 << 40, For: 10 * time.Second,
	}
	goodput := 0.0
	var spent stopwatch.Watch
	spent.Start()
	for b.Loop() {
		r, err := p.Do()
		if err != nil {
			b.Fatal(err)
		}
		goodput = r.Goodput
	}
	spent.Stop()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(goodput, "Mbit/s")
	b.ReportMetric(spent.Per(float64(b.N)*goodput*10e6/8/1170), "ns/packet")
}
