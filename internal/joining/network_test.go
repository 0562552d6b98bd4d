package joining

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// network is a server on a simulated network, to which players come and go. Everything runs in virtual time.
type network struct {
	*testing.T
	*sim.Network
	node   *sim.Node
	server *match
}

const port = 7777

func newNetwork(t *testing.T, c sim.Conditions, change ...func(*system.ServerConfig)) *network {
	nw := &network{T: t, Network: sim.New(5)}
	nw.SetDefault(c)
	nw.node = nw.Node("server")
	nw.server = newMatch(t, nw.node.Clock, change...)
	h, err := udp.Listen("", nw.config(nw.node, port))
	require.NoError(t, err)
	nw.drive(nw.node, func() { nw.server.frame(h) })
	t.Cleanup(func() { require.NoError(t, nw.Audit()) })
	return nw
}

func (nw *network) config(n *sim.Node, port uint16) udp.Config {
	socket, err := n.Listen(port)
	require.NoError(nw, err)
	return udp.Config{Protocol: udp.Base, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Timeout: system.Timeout,
		Socket: socket, Clock: n.Clock, Seed: [32]byte{1}, Poison: true}
}

// drive runs frames of a game on n, 30 a second. A datagram waits for the next one.
func (nw *network) drive(n *sim.Node, frame func()) {
	due := n.Clock()
	n.Attach(sim.ProcessFunc(func(now int64) int64 {
		if now >= due {
			due = now + int64(time.Second/30)
			frame()
		}
		return due
	}))
}

// joins lets a player come from a node of its own.
func (nw *network) joins(name string, change ...func(*system.ClientConfig)) (*player, *sim.Node) {
	n := nw.Node(name)
	p := newPlayer(nw.T, n.Clock, name, change...)
	conn, err := udp.Dial(context.Background(), nw.node.AddrPort(port).String(), nw.config(n, 0))
	require.NoError(nw, err)
	nw.drive(n, func() { p.frame(conn) })
	return p, n
}

var lossy = sim.Conditions{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: sim.Percent(10), Duplicate: sim.Percent(2)}

func TestEightPlayersJoinOverANetworkThatLosesATenth(t *testing.T) {
	for name, flow := range map[string]system.Flow{"prompt": system.PromptFlow, "patient": system.PatientFlow} {
		t.Run(name, func(t *testing.T) {
			nw := newNetwork(t, lossy, func(c *system.ServerConfig) { c.Flow = flow })
			var all []*player
			for i := range 8 {
				p, _ := nw.joins(fmt.Sprint("player", i), func(c *system.ClientConfig) { c.Flow = flow })
				all = append(all, p)
				nw.RunFor(500 * time.Millisecond)
			}
			nw.RunFor(20 * time.Second)
			lost := 0
			for _, p := range all {
				p.requireJoined(t)
				require.Len(t, p.Players(), 7, "everybody knows everybody")
				requireInOrder(t, p.numbers)
				requireInOrder(t, nw.server.heard[p.ID()])
				require.Greater(t, len(p.numbers), 300)
				require.InDelta(t, 80*time.Millisecond, p.Quality().Smoothed, float64(70*time.Millisecond))
				require.Zero(t, p.Stats().OutOfTurn)
				lost += p.Quality().Lost
			}
			require.InDelta(t, 19, lost/len(all), 10, "per cent of the pings")
			stats := nw.server.Stats()
			require.Zero(t, stats.Bad+stats.OutOfTurn+stats.Abuse)
		})
	}
}

// A network that is gone for five seconds disconnects nobody; for longer than thirty, both sides know.
func TestAnOutageOfFiveSecondsIsOnlyAStall(t *testing.T) {
	nw := newNetwork(t, lossy)
	ann, annNode := nw.joins("Ann")
	bob, bobNode := nw.joins("Bob")
	nw.RunFor(10 * time.Second)
	cut := func(n *sim.Node) { nw.Cut(n, nw.node); nw.Cut(nw.node, n) }
	heal := func(n *sim.Node) { nw.Heal(n, nw.node); nw.Heal(nw.node, n) }
	cut(annNode)
	nw.RunFor(5 * time.Second)
	heal(annNode)
	nw.RunFor(10 * time.Second)
	ann.requireJoined(t)
	requireInOrder(t, ann.numbers)
	require.Len(t, nw.server.Players(), 2)

	cut(bobNode)
	nw.RunFor(25 * time.Second)
	require.Nil(t, bob.ending)
	require.Len(t, nw.server.Players(), 2)
	nw.RunFor(8 * time.Second)
	require.Equal(t, system.EndTimeout, bob.ending.Cause)
	require.Len(t, nw.server.Players(), 1)
	require.True(t, ann.hasNews("somebody left"))
}

func TestAQueueMovesUpOverANetworkThatLosesATenth(t *testing.T) {
	nw := newNetwork(t, lossy, func(c *system.ServerConfig) { c.MaxPlayers = 1 })
	ann, _ := nw.joins("Ann")
	nw.RunFor(8 * time.Second)
	var places []int
	bob, _ := nw.joins("Bob", func(c *system.ClientConfig) { c.Queued = func(place int) { places = append(places, place) } })
	nw.RunFor(8 * time.Second)
	require.Equal(t, []int{1}, places)
	require.False(t, bob.Playing())
	ann.Disconnect()
	nw.RunFor(3 * time.Second)
	bob.requireJoined(t)
}

func TestAKickedPlayerKnowsWhyOverANetworkThatLosesATenth(t *testing.T) {
	nw := newNetwork(t, lossy)
	ann, _ := nw.joins("Ann")
	bob, _ := nw.joins("Bob")
	nw.RunFor(10 * time.Second)
	bob.requireJoined(t)
	for _, p := range nw.server.Players() {
		if p.ID() == ann.ID() {
			nw.server.Kick(p, system.ReasonOther, "shouting")
		}
	}
	nw.RunFor(3 * time.Second)
	require.Equal(t, []any{system.EndKicked, "shouting"}, []any{ann.ending.Cause, ann.ending.Text})
	require.True(t, bob.hasNews("somebody left"))
	require.True(t, bob.Playing())
}

func TestADownloadGoesOnInTheNextSessionOverANetworkThatLosesATenth(t *testing.T) {
	nw := newNetwork(t, lossy)
	var got []uint32
	ann, _ := nw.joins("Ann", func(c *system.ClientConfig) { c.Progress = func(p system.Progress) { got = append(got, p.Bytes) } })
	nw.RunUntilDone(nw.Now()+int64(10*time.Second), func() bool { return len(got) > 10 })
	ann.Disconnect()
	nw.RunFor(time.Second)
	require.Less(t, ann.file.Len(), len(content))
	again, _ := nw.joins("Ann again", func(c *system.ClientConfig) {
		c.Store = ann
		c.Progress = func(p system.Progress) { got = append(got, p.Bytes) }
	})
	nw.RunFor(10 * time.Second)
	require.True(t, again.Playing())
	require.Equal(t, content, ann.file.Bytes())
	requireGrowing(t, got)
}

func requireGrowing(t *testing.T, list []uint32) {
	t.Helper()
	for i := 1; i < len(list); i++ {
		require.Greater(t, list[i], list[i-1])
	}
}
