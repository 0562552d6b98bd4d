package udp_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// One message there and back over real sockets, without goroutines.
func BenchmarkGameLoopEcho(b *testing.B) {
	c := udp.Config{Protocol: udp.Base, Driving: udp.GameLoop}
	h, err := udp.Listen("127.0.0.1:0", c)
	if err != nil {
		b.Fatal(err)
	}
	client, err := udp.Dial(context.Background(), h.Addr().String(), c)
	if err != nil {
		b.Fatal(err)
	}
	defer finish(h)
	defer finish(client)
	echoed := 0
	frame := func() {
		h.Poll()
		for ev, ok := h.Next(); ok; ev, ok = h.Next() {
			if ev.Kind == transport.Message {
				_ = ev.Conn.Send(ev.Payload, ordered)
			}
		}
		h.Flush()
		client.Poll()
		for ev, ok := client.Next(); ok; ev, ok = client.Next() {
			if ev.Kind == transport.Message {
				echoed++
			}
		}
		client.Flush()
	}
	for client.ID() == 0 {
		frame()
	}
	payload := make([]byte, 64)
	b.ReportAllocs()
	for b.Loop() {
		want := echoed + 1
		_ = client.Send(payload, ordered)
		client.Flush()
		for echoed < want {
			frame()
		}
	}
}

// One message from a client to a host that reads it with Receive.
func BenchmarkSendAndReceive(b *testing.B) {
	c := udp.Config{Protocol: udp.Base}
	h, err := udp.Listen("127.0.0.1:0", c)
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	ctx := context.Background()
	client, err := udp.Dial(ctx, h.Addr().String(), c)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	peer, err := h.Accept(ctx)
	if err != nil {
		b.Fatal(err)
	}
	payload, buf := make([]byte, 64), make([]byte, 0, 1200)
	b.ReportAllocs()
	for b.Loop() {
		_ = client.Send(payload, ordered)
		if _, err := peer.Receive(ctx, buf); err != nil {
			b.Fatal(err)
		}
	}
}

// Messages of 64 bytes there and back between two goroutines, beside datagrams of bare sockets. Compare p50: the mean has the hiccups of the machine.
func BenchmarkEchoBetweenGoroutines(b *testing.B) {
	payload := make([]byte, 64)
	b.Run("bare", func(b *testing.B) {
		there, back := bareUDP(b), bareUDP(b)
		go func() {
			buf := make([]byte, 1200)
			for {
				n, from, err := there.ReadFromUDPAddrPort(buf)
				if err != nil {
					return
				}
				_, _ = there.WriteToUDPAddrPort(buf[:n], from)
			}
		}()
		to, buf := there.LocalAddr().(*net.UDPAddr).AddrPort(), make([]byte, 1200)
		roundTrips(b, func() {
			_, _ = back.WriteToUDPAddrPort(payload, to)
			if _, _, err := back.ReadFromUDPAddrPort(buf); err != nil {
				b.Fatal(err)
			}
		})
	})
	for _, protocol := range bothProtocols {
		b.Run("game loops "+protocol.String(), func(b *testing.B) {
			h := echoHost(b, udp.Config{Protocol: protocol})
			client := dial(b, h, udp.Config{Protocol: protocol, Driving: udp.GameLoop})
			echoes(b, client, 1)
			roundTrips(b, func() {
				_ = client.Send(payload, ordered)
				client.Flush()
				for answered := false; !answered; {
					client.Wait(time.Hour)
					client.Poll()
					for ev, ok := client.Next(); ok; ev, ok = client.Next() {
						answered = answered || ev.Kind == transport.Message
					}
					client.Flush()
				}
			})
		})
		b.Run("background "+protocol.String(), func(b *testing.B) {
			h := listen(b, udp.Config{Protocol: protocol, Handler: func(ev transport.Event) {
				if ev.Kind == transport.Message {
					_ = ev.Conn.Send(ev.Payload, ordered)
				}
			}})
			client := dial(b, h, udp.Config{Protocol: protocol})
			ctx, buf := context.Background(), make([]byte, 0, 1200)
			roundTrips(b, func() {
				_ = client.Send(payload, ordered)
				if _, err := client.Receive(ctx, buf); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func bareUDP(b *testing.B) *net.UDPConn {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}

// roundTrips measures one after another and reports the quantiles.
func roundTrips(b *testing.B, once func()) {
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		once()
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
}
