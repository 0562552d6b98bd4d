package routing

import (
	"testing"

	"github.com/stretchr/testify/require"

	catalogue "github.com/gannet-net/gannet/internal/testcatalogue/bytes"
	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

func TestAGameOverLoopbackAllocatesNothing(t *testing.T) {
	c, h, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop})
	require.NoError(t, err)
	requireNoAllocations(t, h, c)
	_ = c.Close()
}

func TestAGameOverUDPAllocatesNothing(t *testing.T) {
	h, c := overUDP(t)
	requireNoAllocations(t, h, c)
}

// requireNoAllocations plays frames in which a player moves, and everybody hears what it says and sees the world.
func requireNoAllocations(t *testing.T, h, c driver) {
	plays := func(p *msgs.Peer) { require.NoError(t, p.Enter(catalogue.StatePlaying)) }
	host := newSide(t, msgs.Config{Side: msgs.Host, Joined: plays},
		msgs.On(func(*msgs.In, *catalogue.Pose) {}),
		msgs.OnFrame(func(in *msgs.In, _ *catalogue.Texts) { _ = in.Relay(in.Router.All()) }))
	client := newSide(t, msgs.Config{Side: msgs.Client, Joined: plays},
		msgs.On(func(*msgs.In, *catalogue.Snapshot) {}),
		msgs.OnFrame(func(*msgs.In, *catalogue.Texts) {}))
	eventually(t, func() bool { host.frame(h); client.frame(c); return client.hasSeen("joined") && host.hasSeen("joined") })

	cells, lines := make([]uint16, 500), []string{"what a player", "says"}
	frame := func() {
		_ = catalogue.Pose{T: 1.5}.Send(client.Host())
		_ = catalogue.Texts{Text: "hello", Lines: lines}.Send(client.All())
		client.frame(c)
		_ = catalogue.Snapshot{Tick: 1, Cells: cells}.Send(host.All())
		host.frame(h)
	}
	const steady = 2000
	for range steady {
		frame()
	}
	require.Zero(t, testing.AllocsPerRun(steady, frame))
	for _, s := range []*side{host, client} {
		require.Greater(t, s.Stats().Handled.Messages, uint64(2*steady))
		require.Zero(t, s.Stats().Drops.Total())
		require.Zero(t, s.Stats().Unsent)
	}
}
