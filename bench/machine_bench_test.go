package bench

import (
	"testing"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/reliable"
)

// duo is two connected endpoints with a wire that is a slice.
type duo struct {
	client, host *reliable.Endpoint
	now          int64
	buf          []byte
	payload      []byte
}

func newDuo() *duo {
	d := &duo{payload: make([]byte, 64)}
	d.client = reliable.New(0, reliable.Config{Role: framing.Client, Loopback: true})
	d.buf = d.client.PollDatagram(0, d.buf[:0]) // the Connect, which whoever admits a client takes
	d.host = reliable.New(0, reliable.Config{Role: framing.Host, PeerID: 1, Loopback: true})
	d.exchange()
	return d
}

// exchange carries everything that both sides send until both are silent, and reads all events.
func (d *duo) exchange() {
	for d.carry(d.client, d.host) || d.carry(d.host, d.client) {
	}
	drain(d.client)
	drain(d.host)
}

func (d *duo) carry(from, to *reliable.Endpoint) bool {
	d.buf = from.PollDatagram(d.now, d.buf[:0])
	if len(d.buf) == 0 {
		return false
	}
	to.HandleDatagram(d.now, d.buf)
	return true
}

func drain(e *reliable.Endpoint) {
	for {
		ev, ok := e.PollEvent()
		if !ok {
			return
		}
		if ev.Kind == reliable.EventMessage {
			e.Recycle(ev.Payload)
		}
	}
}

// message sends one message from client to host, to the end: queued, sent, received, read, acked.
func (d *duo) message(mode reliable.Mode) {
	d.now += int64(33 * time.Millisecond)
	if err := d.client.Send(d.now, d.payload, reliable.SendOptions{Mode: mode}); err != nil {
		panic(err)
	}
	d.exchange()
}

func BenchmarkMachineReliableMessage(b *testing.B) {
	d := newDuo()
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		d.message(reliable.ReliableOrdered)
	}
}

func BenchmarkMachineUnreliableMessage(b *testing.B) {
	d := newDuo()
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		d.message(reliable.Unreliable)
	}
}

// A full window of messages in flight, acked in order: what a bulk sender costs.
func BenchmarkMachineReliableWindow(b *testing.B) {
	d := newDuo()
	b.ReportAllocs()
	reportWindow(b, d)
}

// reportWindow runs windows of messages, and reports what a message takes of both sides.
func reportWindow(b *testing.B, d *duo) {
	var spent stopwatch.Watch
	spent.Start()
	for b.Loop() {
		d.window()
	}
	spent.Stop()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(spent.Per(float64(b.N*reliable.MaxInFlight)), "ns/message")
}

func BenchmarkMachineIdleTick(b *testing.B) {
	d := newDuo()
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		d.buf = d.client.PollDatagram(d.now, d.buf[:0])
		_ = d.client.NextDeadline()
	}
}

func BenchmarkMachineNewSession(b *testing.B) {
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		newDuo()
	}
}
