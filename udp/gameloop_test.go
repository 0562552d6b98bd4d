package udp_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// driver is what a game calls once a frame.
type driver interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
}

// loop drives both ends by turns until done, and hands their events to on.
func loop(t *testing.T, done func() bool, on func(transport.Event), drivers ...driver) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(100 * time.Microsecond) {
		require.True(t, time.Now().Before(end), "nothing happens")
		for _, d := range drivers {
			d.Poll()
			for ev, ok := d.Next(); ok; ev, ok = d.Next() {
				on(ev)
			}
			d.Flush()
		}
	}
}

func TestMessagesGoBothWaysInAGameLoop(t *testing.T) {
	h := listen(t, udp.Config{Driving: udp.GameLoop})
	client, err := udp.Dial(context.Background(), h.Addr().String(), udp.Config{Protocol: udp.Base, Driving: udp.GameLoop})
	require.NoError(t, err)
	require.ErrorIs(t, client.Send(nil, ordered), transport.ErrNotConnected)

	var log []string
	on := func(ev transport.Event) {
		side := "host"
		if ev.Conn == client {
			side = "client"
		}
		log = append(log, side+" "+ev.Kind.String()+" "+string(ev.Payload))
		switch {
		case ev.Kind == transport.Connected && side == "client":
			send(t, client, "ping", ordered)
		case string(ev.Payload) == "ping":
			send(t, ev.Conn, "pong", unreliable)
		case string(ev.Payload) == "pong":
			require.NoError(t, client.Close())
		}
	}
	loop(t, func() bool { return client.Err() != nil && len(h.Conns()) == 0 && len(log) == 6 }, on, h, client)
	require.ElementsMatch(t, []string{
		"host connected ", "client connected ", "host message ping", "client message pong", "host disconnected ", "client disconnected ",
	}, log)
}
