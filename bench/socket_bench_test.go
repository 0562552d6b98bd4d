package bench

import (
	"context"
	"testing"
	"time"

	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// room is a host and its clients on real loopback sockets, driven by one game loop.
type room struct {
	host    *udp.Host
	clients []*udp.Conn
}

func newRoom(tb testing.TB, protocol udp.Protocol, clients int) *room {
	tb.Helper()
	config := udp.Config{Protocol: protocol, Driving: udp.GameLoop}
	host, err := udp.Listen("127.0.0.1:0", config)
	if err != nil {
		tb.Fatal(err)
	}
	r := &room{host: host}
	tb.Cleanup(r.close)
	for len(r.clients) < clients {
		r.join(tb, config, min(50, clients-len(r.clients)))
	}
	return r
}

// join connects more clients, not so many at once that some of them would have to wait for too long.
func (r *room) join(tb testing.TB, config udp.Config, clients int) {
	for range clients {
		c, err := udp.Dial(context.Background(), r.host.Addr().String(), config)
		if err != nil {
			tb.Fatal(err)
		}
		r.clients = append(r.clients, c)
	}
	for deadline := time.Now().Add(10 * time.Second); len(r.host.Conns()) < len(r.clients) || r.connecting(); r.turn() {
		if time.Now().After(deadline) {
			tb.Fatal("not connected within 10 s")
		}
	}
}

func (r *room) connecting() bool {
	for _, c := range r.clients {
		if c.ID() == 0 {
			return true
		}
	}
	return false
}

func (r *room) close() {
	for _, c := range r.clients {
		c.Abort()
	}
	r.host.Abort()
	for range 20 {
		r.turn()
		time.Sleep(5 * time.Millisecond)
	}
}

// turn drives everyone once and counts the messages that arrived.
func (r *room) turn() (arrived int) {
	arrived += frame(r.host)
	for _, c := range r.clients {
		arrived += frame(c)
	}
	return arrived
}

type driven interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
}

func frame(d driven) (arrived int) {
	d.Poll()
	for {
		ev, ok := d.Next()
		if !ok {
			break
		}
		if ev.Kind == transport.Message {
			arrived++
		}
	}
	d.Flush()
	return arrived
}

// send sends one message and drives everyone until it has arrived.
func (r *room) send(tb testing.TB, from transport.Conn, payload []byte, o transport.SendOptions, want int) {
	if err := from.Send(payload, o); err != nil {
		tb.Fatal(err)
	}
	for got := 0; got < want; got += r.turn() {
	}
}

// eachProtocol shows what the seals cost: the rest is the same.
func eachProtocol(b *testing.B, bench func(*testing.B, udp.Protocol)) {
	for _, p := range []udp.Protocol{udp.Secure, udp.Base} {
		b.Run(p.String(), func(b *testing.B) { bench(b, p) })
	}
}

func benchmarkMessage(b *testing.B, o transport.SendOptions) {
	eachProtocol(b, func(b *testing.B, p udp.Protocol) {
		r, payload := newRoom(b, p, 1), make([]byte, 64)
		b.ReportAllocs()
		defer stopwatch.Op(b)()
		for b.Loop() {
			r.send(b, r.clients[0], payload, o, 1)
		}
	})
}

func BenchmarkSocketReliableMessage(b *testing.B) {
	benchmarkMessage(b, transport.SendOptions{Delivery: transport.ReliableOrdered})
}

// An unreliable message may be lost on loopback too, if a buffer is full; here one is on its way at a time.
func BenchmarkSocketUnreliableMessage(b *testing.B) {
	benchmarkMessage(b, transport.SendOptions{Delivery: transport.Unreliable})
}

// What one frame of a host costs while nothing happens.
func BenchmarkSocketIdleFrame(b *testing.B) {
	eachProtocol(b, func(b *testing.B, p udp.Protocol) {
		r := newRoom(b, p, 60)
		b.ReportAllocs()
		defer stopwatch.Op(b)()
		for b.Loop() {
			frame(r.host)
		}
	})
}

// Blocking style: an echo between two goroutines. This one is time that passes, since several threads work.
func BenchmarkSocketBackgroundEcho(b *testing.B) {
	eachProtocol(b, func(b *testing.B, p udp.Protocol) {
		ctx := context.Background()
		host, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: p})
		if err != nil {
			b.Fatal(err)
		}
		go echo(ctx, host)
		c, err := udp.Dial(ctx, host.Addr().String(), udp.Config{Protocol: p})
		if err != nil {
			b.Fatal(err)
		}
		payload, buf := make([]byte, 64), make([]byte, 0, 1200)
		b.ReportAllocs()
		for b.Loop() {
			if err := c.Send(payload, transport.SendOptions{Delivery: transport.ReliableOrdered}); err != nil {
				b.Fatal(err)
			}
			if _, err := c.Receive(ctx, buf); err != nil {
				b.Fatal(err)
			}
		}
		c.Abort()
		host.Abort()
	})
}

func echo(ctx context.Context, host *udp.Host) {
	conn, err := host.Accept(ctx)
	if err != nil {
		return
	}
	buf := make([]byte, 0, 1200)
	for {
		ev, err := conn.Receive(ctx, buf)
		if err != nil {
			return
		}
		_ = conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery})
	}
}
