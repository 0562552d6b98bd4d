package bench

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/internal/testflag"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// The rate and the size of the messages of a game that sends the state of a player to everybody.
const (
	gameRate  = 30
	gameBytes = 41
)

// A host with clients that all send it 30 messages a second and get as many, on a socket in memory: what a packet costs the host without the
// kernel. Half of the packets come, half go. Many peers do not fit into the caches of a processor, which is why a packet of theirs costs more.
func BenchmarkEngineManyPeers(b *testing.B) {
	for _, row := range []struct {
		protocol udp.Protocol
		peers    int
	}{{udp.Secure, 64}, {udp.Secure, 1000}, {udp.Base, mostBasePeers}} {
		b.Run(fmt.Sprintf("%v/%d", row.protocol, row.peers), func(b *testing.B) {
			t, payload := townOf(b, row.protocol, row.peers), make([]byte, gameBytes)
			for range gameRate { // until everything has its size
				t.tick(time.Second/gameRate, payload)
			}
			t.reset()
			b.ReportAllocs()
			for b.Loop() {
				t.tick(time.Second/gameRate, payload)
			}
			if t.received < b.N*row.peers {
				b.Fatalf("%d messages in %d ticks", t.received, b.N)
			}
			t.report(b, float64(b.N)/gameRate, row.peers)
		})
	}
}

// The same on real sockets: what the host pays for its system calls too. A tenth of the clients at a time says something before the host reads, since
// the buffer of its socket would not hold all of them.
func BenchmarkSocketManyPeers(b *testing.B) {
	for _, row := range []struct {
		protocol udp.Protocol
		peers    int
	}{{udp.Secure, 1000}, {udp.Base, mostBasePeers}} {
		b.Run(fmt.Sprintf("%v/%d", row.protocol, row.peers), func(b *testing.B) {
			r, payload := newRoom(b, row.protocol, row.peers), make([]byte, gameBytes)
			for range 10 {
				r.tick(b, &stopwatch.Watch{}, payload)
			}
			var spent stopwatch.Watch
			before, received := r.packets(), 0
			b.ReportAllocs()
			for b.Loop() {
				received += r.tick(b, &spent, payload)
			}
			if 10*received < 9*b.N*row.peers {
				b.Fatalf("%d messages in %d ticks: too many are lost", received, b.N)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(spent.Per(r.packets()-before), "ns/packet")
			b.ReportMetric(spent.Per(float64(b.N*row.peers)/gameRate), "ns/peer-second")
		})
	}
}

// tick has everybody say something to the host and the host to everybody, and gives how many messages have come to the host.
func (r *room) tick(tb testing.TB, spent *stopwatch.Watch, payload []byte) (received int) {
	o := transport.SendOptions{Delivery: transport.Unreliable}
	for group := range slices.Chunk(r.clients, len(r.clients)/10) {
		for _, c := range group {
			if err := c.Send(payload, o); err != nil {
				tb.Fatal(err)
			}
			c.Flush()
		}
		spent.Time(1, func() { received += frame(r.host) })
	}
	spent.Time(1, func() { r.broadcast(tb, payload, transport.Unreliable) })
	for _, c := range r.clients {
		frame(c)
	}
	return received
}

// packets is how many the host has read and written.
func (r *room) packets() float64 {
	s := r.host.Stats()
	return float64(s.DatagramsReceived + s.DatagramsSent)
}

// report tells what the host has spent, on a packet and on a connection in a second.
func (t *town) report(b *testing.B, seconds float64, peers int) {
	b.ReportMetric(0, "ns/op") // it would count the clients
	b.ReportMetric(t.spent.Per(float64(t.packets)), "ns/packet")
	b.ReportMetric(t.spent.Per(seconds*float64(peers)), "ns/peer-second")
}

// Connections that say nothing but that they are there, once a second: timers, heartbeats and acks, sealed and opened. -long has 10,000 and
// 50,000 of them.
func BenchmarkEngineIdle(b *testing.B) {
	for _, peers := range []int{1000, 10_000, 50_000} {
		b.Run(fmt.Sprint(peers), func(b *testing.B) {
			if peers > 1000 {
				testflag.NeedLong(b)
			}
			const step = 20 * time.Millisecond
			t := townOf(b, udp.Secure, peers)
			t.reset()
			b.ReportAllocs()
			for b.Loop() {
				t.step(step)
			}
			t.report(b, float64(b.N)*step.Seconds(), peers)
		})
	}
}

// What the heap of a host grows by for a session, its tables included: one that idles, and one in play, which has heard and said 16 messages
// of 64 bytes and has as many in flight. -long has 10,000 of them.
func BenchmarkEngineMemory(b *testing.B) {
	for _, row := range []struct {
		protocol udp.Protocol
		peers    int
	}{{udp.Secure, 1000}, {udp.Secure, 10_000}, {udp.Base, mostBasePeers}} {
		for _, play := range []bool{false, true} {
			name := map[bool]string{false: "idle", true: "play"}[play]
			b.Run(fmt.Sprintf("%v/%s/%d", row.protocol, name, row.peers), func(b *testing.B) {
				if row.peers > 1000 {
					testflag.NeedLong(b)
				}
				for b.Loop() {
					b.ReportMetric(memoryPerSession(b, row.protocol, row.peers, play), "B/session")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func memoryPerSession(tb testing.TB, protocol udp.Protocol, peers int, play bool) float64 {
	before := heap()
	t := newTown(tb, protocol, peers, func(c *udp.Config) { c.Heartbeat, c.Timeout = 10*time.Minute, time.Hour })
	if play {
		t.play()
	}
	t.leave()
	if play {
		t.fly()
	}
	grown := heap() - before
	runtime.KeepAlive(t)
	return float64(grown) / float64(peers)
}

// play has everybody say 16 reliable messages to the host and the host to everybody, until all are acked.
func (t *town) play() {
	payload := make([]byte, 64)
	for range 16 {
		for i, c := range t.clients {
			if err := c.Send(t.now, payload, reliable.SendOptions{Mode: reliable.ReliableOrdered}); err != nil {
				panic(err)
			}
			t.speak(i)
		}
		t.broadcast(payload, transport.ReliableOrdered)
		t.step(20 * time.Millisecond)
	}
	for range 10 {
		t.step(20 * time.Millisecond)
	}
}

// fly puts 16 reliable messages into flight to everybody.
func (t *town) fly() {
	for range 16 {
		t.now += int64(time.Millisecond)
		t.frame(func() { t.broadcast(make([]byte, 64), transport.ReliableOrdered) })
	}
}
