package loopback

import (
	"testing"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

// messages are sizes and modes that a frame may hold.
var messages = []struct {
	size int
	o    transport.SendOptions
}{
	{0, transport.SendOptions{}},
	{40, transport.SendOptions{Delivery: transport.Sequenced, Channel: 63}},
	{1200, transport.SendOptions{Delivery: transport.ReliableUnordered, Urgent: true}},
	{70_000, transport.SendOptions{Delivery: transport.ReliableOrdered, Receipt: 9}},
}

func TestFrameAllocatesNothing(t *testing.T) {
	client, host := connected(t, Config{Driving: transport.GameLoop})
	payload := make([]byte, 70_000)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, m := range messages {
			_ = client.Send(payload[:m.size], m.o)
		}
		client.Flush()
		host.Poll()
		for ev, ok := host.Next(); ok; ev, ok = host.Next() {
			_ = host.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery})
		}
		client.Poll()
		for _, ok := client.Next(); ok; _, ok = client.Next() {
		}
	}))
}

func TestReceiveIntoABufferAllocatesNothing(t *testing.T) {
	client, host := connected(t, Config{})
	payload := make([]byte, 70_000)
	buf := make([]byte, 70_000)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, m := range messages {
			_ = client.Send(payload[:m.size], m.o)
			_, _ = host.Receive(t.Context(), buf)
		}
		_, _ = client.Receive(t.Context(), buf) // the outcome
	}))
}

func TestPushingOutAllocatesNothing(t *testing.T) {
	client, _ := connected(t, Config{Driving: transport.GameLoop, QueueMessages: 10})
	payload := make([]byte, 300)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = client.Send(payload, transport.SendOptions{})
	}))
}
