package bench

import (
	"testing"
	"time"

	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/sim"
)

// BenchmarkSimulatedHours plays whole connections in virtual time: 60 unreliable and 5 reliable messages a second each way, 10 % loss. It
// reports how many hours of connection one minute of one core simulates.
func BenchmarkSimulatedHours(b *testing.B) {
	const pairs, slice = 16, time.Second
	w := newWorld(1, pairs, sim.Conditions{Delay: 25 * time.Millisecond, Loss: sim.Percent(10)}, time.Second/60, time.Second/5)
	w.network.RunFor(10 * time.Second)
	before := w.network.Counts().Sent
	b.ReportAllocs()
	var spent stopwatch.Watch
	spent.Start()
	for b.Loop() {
		w.network.RunFor(slice)
	}
	spent.Stop()
	sent := w.network.Counts().Sent - before
	hours := pairs * float64(b.N) * slice.Hours()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(hours/spent.Total().Minutes(), "connection-hours/min")
	b.ReportMetric(spent.Per(float64(sent)), "ns/datagram")
}
