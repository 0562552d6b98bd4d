package bench

import (
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/reliable"
)

// freeSealer takes the bytes of sealing and costs next to nothing, so that what is measured is the machine.
type freeSealer struct{}

const (
	freeHead = 9
	freeTag  = 16
)

func (freeSealer) Overhead() int { return freeHead + freeTag }

func (freeSealer) Seal(dst, packet []byte, number int64) []byte {
	var tag [freeTag]byte
	dst = append(dst, 13)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(number))
	return append(append(dst, packet...), tag[:]...)
}

func (freeSealer) Open(dst, d []byte, _ int64) ([]byte, int64, framing.Drop) {
	return append(dst, d[freeHead:len(d)-freeTag]...), int64(binary.LittleEndian.Uint64(d[1:])), framing.Accepted
}

// packetEndpoint is one side of a connection that speaks packets.
func packetEndpoint(role framing.Role, change ...func(*reliable.Config)) *reliable.Endpoint {
	c := reliable.Config{Role: role, PeerID: 1, Sealer: freeSealer{}, HandshakeRTT: 50 * time.Millisecond, Loopback: true}
	for _, f := range change {
		f(&c)
	}
	return reliable.New(0, c)
}

// newPacketDuo is two endpoints on the packet wire.
func newPacketDuo(change ...func(*reliable.Config)) *duo {
	d := &duo{payload: make([]byte, 64)}
	d.client, d.host = packetEndpoint(framing.Client, change...), packetEndpoint(framing.Host, change...)
	d.exchange()
	return d
}

func benchmarkPacketMessage(b *testing.B, mode reliable.Mode) {
	d := newPacketDuo()
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		d.message(mode)
	}
}

func BenchmarkPacketReliableMessage(b *testing.B) {
	benchmarkPacketMessage(b, reliable.ReliableOrdered)
}

func BenchmarkPacketUnreliableMessage(b *testing.B) { benchmarkPacketMessage(b, reliable.Unreliable) }

// crowd is connections that all tick at once, so that each phase of a tick can be timed by itself.
type crowd struct {
	duos      []*duo
	datagrams [][]byte
}

func newCrowd(n int) *crowd {
	c := &crowd{datagrams: make([][]byte, n)}
	for i := range n {
		c.duos = append(c.duos, newPacketDuo(func(c *reliable.Config) { c.AckOnTick = true }))
		c.datagrams[i] = make([]byte, 0, framing.MaxDatagram)
	}
	return c
}

// send lets one side of each connection send a message, in a packet that acks the one before.
func (c *crowd) send(side func(*duo) *reliable.Endpoint) {
	for i, d := range c.duos {
		e := side(d)
		d.now += int64(16 * time.Millisecond)
		if err := e.Send(d.now, d.payload, reliable.SendOptions{Mode: reliable.ReliableOrdered}); err != nil {
			panic(err)
		}
		c.datagrams[i] = e.PollDatagram(d.now, c.datagrams[i][:0])
	}
}

// receive hands those packets to the other side, which reads the message.
func (c *crowd) receive(side func(*duo) *reliable.Endpoint) {
	for i, d := range c.duos {
		e := side(d)
		e.HandleDatagram(d.now, c.datagrams[i])
		drain(e)
		_ = e.NextDeadline()
	}
}

func clientOf(d *duo) *reliable.Endpoint { return d.client }
func hostOf(d *duo) *reliable.Endpoint   { return d.host }

// Both sides of many connections send a reliable message a tick, and acks ride along: what a game costs for each packet, to send and to
// receive.
func BenchmarkPacketTick(b *testing.B) {
	const connections = 64
	c := newCrowd(connections)
	var sending, receiving stopwatch.Watch
	b.ReportAllocs()
	for b.Loop() {
		for _, way := range [][2]func(*duo) *reliable.Endpoint{{clientOf, hostOf}, {hostOf, clientOf}} {
			sending.Time(1, func() { c.send(way[0]) })
			receiving.Time(1, func() { c.receive(way[1]) })
		}
	}
	packets := float64(2 * connections * b.N)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(sending.Per(packets), "send-ns/packet")
	b.ReportMetric(receiving.Per(packets), "receive-ns/packet")
}

// A full window of messages in flight, acked as they come: what a bulk sender costs.
func BenchmarkPacketWindow(b *testing.B) {
	d := newPacketDuo()
	b.ReportAllocs()
	reportWindow(b, d)
}

func (d *duo) window() {
	d.now += int64(time.Millisecond)
	for range reliable.MaxInFlight {
		_ = d.client.Send(d.now, d.payload, reliable.SendOptions{Mode: reliable.ReliableOrdered})
	}
	d.exchange()
}

func BenchmarkPacketIdleTick(b *testing.B) {
	d := newPacketDuo()
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		d.buf = d.client.PollDatagram(d.now, d.buf[:0])
		_ = d.client.NextDeadline()
	}
}

// Memory of one side of a connection: idle, having said nothing yet; after messages came and went; and with 16 unacked messages of 64
// bytes each way. All endpoints share a pool, as those of a host do.
func BenchmarkPacketMemory(b *testing.B) {
	const pairs = 500
	for _, row := range []struct {
		name string
		play func(*duo)
	}{
		{"idle", func(*duo) {}},
		{"quiet", func(d *duo) { d.message(reliable.ReliableOrdered) }},
		{"active", (*duo).fly},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(memoryPerEndpoint(pairs, row.play), "B/conn")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// fly puts 16 messages each way into flight.
func (d *duo) fly() {
	d.message(reliable.ReliableOrdered)
	for range 16 {
		d.now += int64(time.Millisecond)
		for _, e := range []*reliable.Endpoint{d.client, d.host} {
			if err := e.Send(d.now, d.payload, reliable.SendOptions{Mode: reliable.ReliableOrdered}); err != nil {
				panic(err)
			}
			d.buf = e.PollDatagram(d.now, d.buf[:0])
		}
	}
}

// memoryPerEndpoint is what the heap grows by for each side of that many connections.
func memoryPerEndpoint(pairs int, play func(*duo)) float64 {
	pool := new(reliable.Pool)
	duos := make([]*duo, pairs)
	before := heap()
	buf, payload := make([]byte, 0, framing.MaxDatagram), make([]byte, 64)
	for i := range duos {
		duos[i] = newPacketDuo(func(c *reliable.Config) { c.Pool = pool })
		duos[i].buf, duos[i].payload = buf, payload
		play(duos[i])
	}
	grown := heap() - before
	runtime.KeepAlive(duos)
	return float64(grown) / float64(2*pairs)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
