package udp_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// steady is how often something is done before it is in its steady state, and while it is measured.
const steady = 2000

func noAllocations(t *testing.T, round func()) {
	t.Helper()
	for range steady {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(steady, round))
}

func TestAGameLoopDoesNotAllocate(t *testing.T) {
	for _, row := range []struct {
		listen   string
		protocol udp.Protocol
	}{
		{"127.0.0.1:0", udp.Secure}, {"[::]:0", udp.Secure}, {"127.0.0.1:0", udp.Base}, {"0.0.0.0:0", udp.Base}, {"[::]:0", udp.Base},
	} {
		t.Run(row.protocol.String()+" "+row.listen, func(t *testing.T) {
			config := udp.Config{Protocol: row.protocol, Driving: udp.GameLoop}
			h := listenOn(t, row.listen, config)
			to := netAddr(h, "127.0.0.1")
			client, err := udp.Dial(context.Background(), to, config)
			require.NoError(t, err)
			t.Cleanup(func() { finish(client) })
			loop(t, func() bool { return client.ID() != 0 && len(h.Conns()) == 1 }, func(transport.Event) {}, h, client)

			payload := make([]byte, 200)
			noAllocations(t, func() {
				for _, o := range []transport.SendOptions{ordered, unreliable} {
					_ = client.Send(payload, o)
					_ = h.Broadcast(payload, o)
				}
				client.Flush()
				for _, d := range [...]driver{h, client} {
					d.Poll()
					for _, ok := d.Next(); ok; _, ok = d.Next() {
					}
					d.Flush()
				}
			})
			require.Positive(t, client.Stats().MessagesReceived)
		})
	}
}

func TestSendAndReceiveDoNotAllocate(t *testing.T) {
	for _, row := range []struct {
		protocol udp.Protocol
		mode     transport.Delivery
	}{
		{udp.Secure, transport.Unreliable}, {udp.Secure, transport.Sequenced}, {udp.Secure, transport.ReliableUnordered},
		{udp.Secure, transport.ReliableOrdered}, {udp.Secure, transport.ReliableSequenced},
		{udp.Base, transport.Unreliable}, {udp.Base, transport.ReliableOrdered},
	} {
		t.Run(row.protocol.String()+" "+row.mode.String(), func(t *testing.T) {
			o := transport.SendOptions{Delivery: row.mode}
			h := listen(t, udp.Config{Protocol: row.protocol})
			client := dial(t, h, udp.Config{Protocol: row.protocol})
			peer := accept(t, h)
			payload, buf := make([]byte, 200), make([]byte, 0, 1200)
			ctx := context.Background()
			noAllocations(t, func() {
				_ = client.Send(payload, o)
				_, _ = peer.Receive(ctx, buf)
			})
			require.GreaterOrEqual(t, peer.(*udp.Conn).Stats().MessagesReceived, uint64(2*steady))
		})
	}
}

func TestReceivingInAHandlerDoesNotAllocate(t *testing.T) {
	got := make(chan struct{}, 1)
	h := listen(t, udp.Config{Handler: func(ev transport.Event) {
		if ev.Kind == transport.Message {
			got <- struct{}{}
		}
	}})
	client := dial(t, h, udp.Config{})
	payload := make([]byte, 200)
	noAllocations(t, func() {
		_ = client.Send(payload, ordered)
		<-got
	})
}

func TestALoopThatWaitsDoesNotAllocate(t *testing.T) {
	h := echoHost(t, udp.Config{})
	client := dial(t, h, udp.Config{Driving: udp.GameLoop})
	echoes(t, client, 1)
	payload := make([]byte, 200)
	noAllocations(t, func() {
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
}

func TestManyDatagramsAtOnceDoNotAllocate(t *testing.T) {
	h, conns := crowd(t, 70)
	payload := make([]byte, 200)
	round := func() {
		_ = h.Broadcast(payload, unreliable)
		h.Flush()
		for _, c := range conns {
			c.Poll()
			for _, ok := c.Next(); ok; _, ok = c.Next() {
			}
			_ = c.Send(payload, unreliable)
			c.Flush()
		}
		h.Poll()
		for _, ok := h.Next(); ok; _, ok = h.Next() {
		}
	}
	for range 50 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(50, round))
	require.Positive(t, h.Stats().DatagramsReceived)
}

func TestAFullQueueDoesNotAllocate(t *testing.T) {
	config := udp.Config{Driving: udp.GameLoop, SendQueueMessages: 1}
	h := listen(t, config)
	client := dial(t, h, config)
	loop(t, func() bool { return client.ID() != 0 }, func(transport.Event) {}, h, client)
	send(t, client, "one that waits", ordered)
	payload := make([]byte, 64)
	noAllocations(t, func() {
		if err := client.Send(payload, ordered); err != transport.ErrQueueFull {
			t.Fatal(err)
		}
	})
}

func TestAStreamDoesNotAllocate(t *testing.T) {
	h := listen(t, udp.Config{})
	writer, reader := udp.Stream(dial(t, h, udp.Config{})), udp.Stream(accept(t, h))
	payload, buf, failed := make([]byte, 200), make([]byte, 200), 0
	noAllocations(t, func() {
		_, wrote := writer.Write(payload)
		_, read := io.ReadFull(reader, buf)
		if wrote != nil || read != nil {
			failed++
		}
	})
	require.Zero(t, failed)
}
