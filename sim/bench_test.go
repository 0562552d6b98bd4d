package sim_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/gannet-net/gannet/sim"
)

func BenchmarkDatagram(b *testing.B) {
	hard := sim.Conditions{Delay: 25 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: sim.Percent(5),
		Burst: sim.Burst{Average: sim.Percent(1), Length: 3}, Duplicate: sim.Percent(1), Reorder: sim.Percent(1)}
	for _, size := range []int{64, 1200} {
		for _, inFlight := range []int{1, 100, 10_000} {
			b.Run(fmt.Sprintf("size=%d/inflight=%d/perfect", size, inFlight), func(b *testing.B) {
				benchmarkDatagram(b, sim.Conditions{Delay: 25 * time.Millisecond}, size, inFlight)
			})
		}
		b.Run(fmt.Sprintf("size=%d/inflight=100/impaired", size), func(b *testing.B) { benchmarkDatagram(b, hard, size, 100) })
	}
}

// benchmarkDatagram takes one datagram from Write to TryRead, with others under way.
func benchmarkDatagram(b *testing.B, c sim.Conditions, size, inFlight int) {
	p := newPair(1, c)
	gap := c.Delay / time.Duration(inFlight)
	payload := make([]byte, size)
	turn := func() {
		p.c.Write(payload, p.to, netip.Addr{})
		p.nw.RunFor(gap)
		for p.h.Waiting() > 0 {
			p.h.TryRead(p.buf[:])
		}
	}
	for range 2 * inFlight {
		turn()
	}
	b.ReportAllocs()
	for b.Loop() {
		turn()
	}
}

// BenchmarkEcho takes one message to a host and back, both driven as processes, among 250 clients.
func BenchmarkEcho(b *testing.B) {
	nw := sim.New(1)
	nw.SetDefault(sim.Conditions{Delay: 25 * time.Millisecond, Loss: sim.Percent(5)})
	host := nw.Node("host")
	h, _ := host.Listen(7000)
	var buf [1500]byte
	host.Attach(sim.ProcessFunc(func(int64) int64 {
		for {
			n, from, at, _ := h.TryRead(buf[:])
			if !from.IsValid() {
				return 1<<63 - 1
			}
			h.Write(buf[:n], from, at)
		}
	}), h)
	sent := 0
	for i := range 250 {
		client := nw.Node(fmt.Sprint("client ", i))
		c, _ := client.Listen(0)
		next := int64(i) * 66_667
		client.Attach(sim.ProcessFunc(func(now int64) int64 {
			for c.Waiting() > 0 {
				c.TryRead(buf[:])
			}
			if now >= next {
				c.Write(buf[:64], host.AddrPort(7000), netip.Addr{})
				next += int64(time.Second) / 60
				sent++
			}
			return next
		}), c)
	}
	nw.RunFor(time.Second)
	b.ReportAllocs()
	for b.Loop() {
		for before := sent; sent == before; {
			nw.Step()
		}
	}
}
