package system_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
)

func nineSteps(t *testing.T) {
	s := newShelf(100)
	w := newWorld(t, s.serve, func(c *system.ServerConfig) { c.Methods, c.ClientMethods = calls(1), 1 })
	kept := &store{content: map[uint64][]byte{1: slices.Clone(s.content[1])}} // the file is there already
	methods := func(c *system.ClientConfig) { c.Methods, c.ServerMethods = calls(1), 1 }
	other := w.join(kept.use, methods)

	var steps []string
	g := w.dial(kept.use, methods)
	watch := func(e *end, side string, names []string, idBits int) {
		e.lose = func(b []byte, _ options) bool {
			if name := names[int(b[0])&(1<<idBits-1)]; name != "ping" {
				steps = append(steps, side+name)
			}
			return false
		}
	}
	client := []string{"GetWorkshopFiles", "ReadyToConnect", "Authenticate", "", "ping", "ping", "InvokeMethod", "ValidateAssets", "GracefullyDisconnect"}
	host := []string{"", "", "ping", "ping", "Shutdown", "PlayerConnected", "PlayerDisconnected", "DownloadWorkshopFiles", "Verify", "Accepted", "Rejected", "Banned", "Kicked",
		"Admined", "Unadmined", "", "QueuePositionChanged", "InvokeMethod", "ReplicateConfig"}
	watch(g.end, "", client, 4)
	watch(g.host, "", host, 5)
	watch(other.host, "to others: ", host, 5)
	for !g.Playing() {
		w.frames(1)
	}
	require.NoError(t, g.Invoke(reliably, 0, nil))
	require.NoError(t, w.server.Invoke(g.player().Peer(), reliably, 0, nil))
	require.Equal(t, []string{
		"Authenticate", "DownloadWorkshopFiles", "GetWorkshopFiles", "Accepted", "ReplicateConfig",
		"PlayerConnected", // the newcomer learns who is there
		"to others: PlayerConnected", "InvokeMethod", "InvokeMethod",
	}, steps)
	before := g.player().Quality().Answered
	w.pass(5 * time.Second)
	require.InDelta(t, 5, g.player().Quality().Answered-before, 1)
}

func shutdownFlow(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.MaxPlayers = 2 })
	a, b, waiting := w.join(), w.join(), w.dial()
	w.frames(10)
	w.server.Shutdown("maintenance", 3*time.Second)
	late := w.dial()
	w.frames(5)
	require.Equal(t, []any{system.EndRejected, system.ReasonShutdown}, []any{late.ending.Cause, late.ending.Reason})
	w.pass(2500 * time.Millisecond)
	for _, g := range []*guest{a, b, waiting} {
		require.Contains(t, g.news, "shutdown in 3: maintenance")
		require.Nil(t, g.ending, "first they are told, then it waits")
	}
	require.False(t, w.server.Done())
	w.pass(time.Second)
	for _, g := range []*guest{a, b, waiting} {
		require.Equal(t, []any{system.EndShutdown, "maintenance"}, []any{g.ending.Cause, g.ending.Text})
	}
	require.True(t, w.server.Done())
	require.Equal(t, []string{"joined 1", "joined 2", "left 1", "left 2"}, w.news, "and nobody moves up from the queue")
}

// timedOut ends a connection as a transport does whose peer is silent.
func (e *end) timedOut() {
	e.ended = &transport.DisconnectError{Cause: transport.TimedOut}
	e.inbox = []letter{{e.w.now, transport.Event{Kind: transport.Disconnected, Conn: e, Err: e.ended}}}
}
