package udp_test

import (
	"context"
	"testing"

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
	for _, listen := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::]:0"} {
		t.Run(listen, func(t *testing.T) {
			h := listenOn(t, listen, udp.Config{Driving: udp.GameLoop})
			to := netAddr(h, "127.0.0.1")
			client, err := udp.Dial(context.Background(), to, udp.Config{Protocol: udp.Base, Driving: udp.GameLoop})
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
	for _, o := range []transport.SendOptions{ordered, unreliable} {
		t.Run(o.Delivery.String(), func(t *testing.T) {
			h := listen(t, udp.Config{})
			client := dial(t, h, udp.Config{})
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
