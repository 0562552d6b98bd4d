package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// One reliable message of 64 bytes to each of many peers, until all of it is on its way: what a host pays for fan-out. Acks are not in it.

const fanOutBytes = 64

func eachCrowd(b *testing.B, bench func(b *testing.B, peers int)) {
	for _, peers := range []int{64, 1000} {
		b.Run(fmt.Sprint(peers), func(b *testing.B) { bench(b, peers) })
	}
}

// The machines of all peers, with a seal that costs nothing.
func BenchmarkMachineFanOut(b *testing.B) {
	eachCrowd(b, func(b *testing.B, peers int) {
		c := newCrowd(peers)
		reportFanOut(b, peers, func() { c.send(hostOf) }, func() {
			c.receive(clientOf)
			for _, d := range c.duos {
				d.now += int64(60 * time.Millisecond) // an ack waits no longer
				d.exchange()
			}
		})
	})
}

// A whole host, on a socket in memory.
func BenchmarkEngineFanOut(b *testing.B) {
	eachCrowd(b, func(b *testing.B, peers int) {
		t := townOf(b, udp.Secure, peers)
		payload := make([]byte, fanOutBytes)
		reportFanOut(b, peers, func() { t.broadcast(payload, transport.ReliableOrdered); t.host.Flush() }, func() {
			for range 4 {
				t.step(20 * time.Millisecond)
			}
		})
	})
}

// A whole host, on a real socket.
func BenchmarkSocketFanOut(b *testing.B) {
	eachCrowd(b, func(b *testing.B, peers int) {
		r, payload := newRoom(b, udp.Secure, peers), make([]byte, fanOutBytes)
		reportFanOut(b, peers, func() { r.broadcast(b, payload, transport.ReliableOrdered) }, func() {
			for got := 0; got < peers; got += r.turn() {
			}
		})
	})
}

// reportFanOut reports what fanOut takes for each peer; settle has the peers read and ack.
func reportFanOut(b *testing.B, peers int, fanOut, settle func()) {
	for range 4 { // until everything has its size
		fanOut()
		settle()
	}
	var spent stopwatch.Watch
	for b.Loop() {
		spent.Time(1, fanOut)
		settle()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(spent.Per(float64(b.N*peers)), "ns/peer")
}

func (r *room) broadcast(tb testing.TB, payload []byte, mode transport.Delivery) {
	if err := r.host.Broadcast(payload, transport.SendOptions{Delivery: mode}); err != nil {
		tb.Fatal(err)
	}
	r.host.Flush()
}
