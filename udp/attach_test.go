package udp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// pipe gives the two ends of a loopback connection: the local player's and the host's.
func pipe(t *testing.T, style transport.Driving) (player, atHost *loopback.Conn) {
	t.Helper()
	player, atHost, err := loopback.Pipe(loopback.Config{Driving: style, ID: 1000})
	require.NoError(t, err)
	return player, atHost
}

func TestALocalPlayerIsAPeerInAGameLoop(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	player, atHost := pipe(t, udp.GameLoop)
	require.NoError(t, h.host.Attach(atHost))
	w.run(time.Second)
	h.wants("1000 connected", "1 connected")
	require.Len(t, h.host.Conns(), 2)
	require.Equal(t, 1, h.host.Stats().Locals)

	require.NoError(t, h.host.Broadcast([]byte("all"), ordered))
	send(t, player, "from the player", ordered)
	h.node.Wake()
	w.run(time.Second)
	h.wants("1000 message from the player")
	c.wants("1 connected", "1 message all")
	player.Poll()
	require.Equal(t, []transport.EventKind{transport.Connected, transport.Message}, kinds(player))

	require.NoError(t, player.Close())
	h.node.Wake()
	w.run(time.Second)
	h.wants("1000 disconnected: connection closed by the peer")
	require.Len(t, h.host.Conns(), 1)

	player, atHost = pipe(t, udp.GameLoop)
	require.NoError(t, h.host.Attach(atHost))
	require.NoError(t, h.host.Close())
	h.node.Wake()
	w.run(time.Second)
	player.Poll()
	require.Equal(t, []transport.EventKind{transport.Connected, transport.Disconnected}, kinds(player))
	require.Len(t, h.log, 3)
}

// kinds reads the events of a connection in a game loop.
func kinds(c transport.Conn) (list []transport.EventKind) {
	for ev, ok := c.Next(); ok; ev, ok = c.Next() {
		list = append(list, ev.Kind)
	}
	return list
}

func TestALocalPlayerComesOutOfAccept(t *testing.T) {
	h := listen(t, udp.Config{})
	player, atHost := pipe(t, udp.Background)
	require.NoError(t, h.Attach(atHost))
	require.Equal(t, transport.Conn(atHost), accept(t, h))
	require.NoError(t, h.Broadcast([]byte("all"), ordered))
	require.Equal(t, "all", receive(t, player))
	require.NoError(t, player.Close())
	require.Empty(t, h.Conns())
}

func TestALocalPlayersEventsGoToTheHandler(t *testing.T) {
	events := make(chan transport.Event, 10)
	h := listen(t, udp.Config{Handler: func(ev transport.Event) {
		ev.Payload = ev.Retain()
		events <- ev
	}})
	player, atHost := pipe(t, udp.Background)
	require.NoError(t, h.Attach(atHost))
	send(t, player, "one", ordered)
	send(t, player, "two", ordered)
	client := dial(t, h, udp.Config{})
	require.NoError(t, client.Close())
	require.NoError(t, h.Close())
	var got []string
	for range 6 {
		if ev := <-events; ev.Conn.Local() {
			got = append(got, ev.Kind.String()+" "+string(ev.Payload))
		}
	}
	require.Equal(t, []string{"connected ", "message one", "message two", "disconnected "}, got)
}
