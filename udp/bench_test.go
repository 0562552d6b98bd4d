package udp_test

import (
	"context"
	"testing"

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
