package bench

import (
	"testing"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/reliable"
)

// call is one of the calls of a tick.
type call struct {
	name  string
	run   func(c *crowd, from, to func(*duo) *reliable.Endpoint)
	spent stopwatch.Watch
}

func calls() []*call {
	return []*call{
		{name: "Send", run: func(c *crowd, from, _ func(*duo) *reliable.Endpoint) {
			for _, d := range c.duos {
				d.now += int64(16 * time.Millisecond)
				if err := from(d).Send(d.now, d.payload, reliable.SendOptions{Mode: reliable.ReliableOrdered}); err != nil {
					panic(err)
				}
			}
		}},
		{name: "PollDatagram", run: func(c *crowd, from, _ func(*duo) *reliable.Endpoint) {
			for i, d := range c.duos {
				c.datagrams[i] = from(d).PollDatagram(d.now, c.datagrams[i][:0])
			}
		}},
		{name: "HandleDatagram", run: func(c *crowd, _, to func(*duo) *reliable.Endpoint) {
			for i, d := range c.duos {
				if drop := to(d).HandleDatagram(d.now, c.datagrams[i]); drop != framing.Accepted {
					panic(drop)
				}
			}
		}},
		{name: "PollEvent", run: func(c *crowd, _, to func(*duo) *reliable.Endpoint) {
			for _, d := range c.duos {
				drain(to(d))
			}
		}},
		{name: "NextDeadline", run: func(c *crowd, _, to func(*duo) *reliable.Endpoint) {
			for _, d := range c.duos {
				_ = to(d).NextDeadline()
			}
		}},
	}
}

// What BenchmarkPacketTick counts as sending and receiving, call by call: each for all connections before the next. PollEvent is called twice
// for a message, and its payload is recycled.
func BenchmarkPacketTickCalls(b *testing.B) {
	const connections = 64
	c, calls := newCrowd(connections), calls()
	for b.Loop() {
		for _, way := range [][2]func(*duo) *reliable.Endpoint{{clientOf, hostOf}, {hostOf, clientOf}} {
			for _, call := range calls {
				call.spent.Time(1, func() { call.run(c, way[0], way[1]) })
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, call := range calls {
		b.ReportMetric(call.spent.Per(float64(2*connections*b.N)), call.name+"-ns")
	}
}

// What the sealer of these benchmarks costs for such a packet, sealed and opened: two copies, which are no work of the machine.
func BenchmarkPacketFreeSealer(b *testing.B) {
	plain, sealed, opened := make([]byte, 76), make([]byte, 0, framing.MaxDatagram), make([]byte, 0, framing.MaxDatagram)
	var sealer reliable.Sealer = freeSealer{}
	defer stopwatch.Op(b)()
	for b.Loop() {
		sealed = sealer.Seal(sealed[:0], plain, 1)
		_, _, _ = sealer.Open(opened, sealed, 0)
	}
}
