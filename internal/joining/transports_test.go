package joining

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// patience bounds every wait. Nothing waits that long unless it fails.
const patience = 20 * time.Second

func eventually(t *testing.T, frame func(), done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it takes too long")
		frame()
	}
}

var began = time.Now()

func clock() int64 { return int64(time.Since(began)) }

func TestAClientJoinsInOneProcess(t *testing.T) {
	c, h, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Poison: true})
	require.NoError(t, err)
	var now int64
	virtual := func() int64 { return now }
	server, ann := newMatch(t, virtual), newPlayer(t, virtual, "Ann")
	frame := func() {
		now += int64(20 * time.Millisecond)
		server.frame(h)
		ann.frame(c)
	}
	for range 100 {
		frame()
	}
	ann.requireJoined(t)
	requireInOrder(t, ann.numbers)
	requireInOrder(t, server.heard[ann.ID()])
	ann.Disconnect()
	for range 3 {
		frame()
	}
	require.Equal(t, system.EndLeft, ann.ending.Cause)
	require.Empty(t, server.Players())
	require.Zero(t, server.Stats())
}

// overUDP is a host, with the time-out that the system needs.
func overUDP(t *testing.T, server *match) (config udp.Config, h *udp.Host) {
	config = udp.Config{Protocol: udp.Base, Driving: udp.GameLoop, Timeout: system.Timeout, Poison: true}
	h, err := udp.Listen("127.0.0.1:0", config)
	require.NoError(t, err)
	t.Cleanup(func() {
		h.Abort()
		eventually(t, h.Poll, h.Closed)
	})
	return config, h
}

func TestClientsJoinOverUDP(t *testing.T) {
	server := newMatch(t, clock)
	config, h := overUDP(t, server)
	ann, bob := newPlayer(t, clock, "Ann"), newPlayer(t, clock, "Bob")
	annConn, err := udp.Dial(context.Background(), h.Addr().String(), config)
	require.NoError(t, err)
	bobConn, err := udp.Dial(context.Background(), h.Addr().String(), config)
	require.NoError(t, err)
	frame := func() { server.frame(h); ann.frame(annConn); bob.frame(bobConn) }
	eventually(t, frame, func() bool {
		return ann.Playing() && bob.Playing() && len(ann.Players()) == 1 && len(bob.Players()) == 1 && len(ann.numbers) > 20 && len(bob.numbers) > 20 && ann.RTT() > 0
	})
	for _, p := range []*player{ann, bob} {
		p.requireJoined(t)
		requireInOrder(t, p.numbers)
		requireInOrder(t, server.heard[p.ID()])
	}
	ann.Disconnect()
	eventually(t, frame, func() bool { return bob.hasNews("somebody left") && ann.ending != nil })
	require.Len(t, server.Players(), 1)

	server.Shutdown("maintenance", 50*time.Millisecond)
	eventually(t, frame, func() bool { return server.Done() && bob.ending != nil })
	require.Equal(t, system.EndShutdown, bob.ending.Cause)
	require.True(t, bob.hasNews("shutdown: maintenance"))
	require.Zero(t, server.Stats())
}

// On the base protocol anybody may send under the address of a player.
func TestOverUDPBadMessagesEndNobody(t *testing.T) {
	server := newMatch(t, clock)
	config, h := overUDP(t, server)
	ann := newPlayer(t, clock, "Ann")
	conn, err := udp.Dial(context.Background(), h.Addr().String(), config)
	require.NoError(t, err)
	frame := func() { server.frame(h); ann.frame(conn) }
	eventually(t, frame, ann.Playing)
	for range 50 {
		require.NoError(t, conn.Send([]byte{0x0F}, transport.SendOptions{}))
	}
	eventually(t, frame, func() bool { return server.Stats().InvalidID == 50 })
	require.Positive(t, server.Stats().Abuse)
	eventually(t, frame, func() bool { return len(server.heard[ann.ID()]) > 5 })
	require.True(t, ann.Playing())
	ann.Disconnect()
	eventually(t, frame, func() bool { return ann.ending != nil })
}

// What the transport counts is not the number and size of messages.
func TestTrafficIsThatOfTheSocket(t *testing.T) {
	var h *udp.Host
	traffic := func() system.Traffic {
		if h == nil {
			return system.Traffic{}
		}
		s := h.Stats()
		return system.Traffic{BytesSent: s.BytesSent, BytesReceived: s.BytesReceived, PacketsSent: s.DatagramsSent, PacketsReceived: s.DatagramsReceived}
	}
	server := newMatch(t, clock, func(c *system.ServerConfig) { c.Traffic = traffic })
	var config udp.Config
	config, h = overUDP(t, server)
	ann := newPlayer(t, clock, "Ann")
	conn, err := udp.Dial(context.Background(), h.Addr().String(), config)
	require.NoError(t, err)
	frame := func() { server.frame(h); ann.frame(conn) }
	eventually(t, frame, ann.Playing)
	require.Equal(t, traffic(), server.Traffic())
	require.Greater(t, server.Traffic().BytesSent, server.Router().Stats().Out.Bytes)
	server.LevelLoaded()
	require.Zero(t, server.Traffic())
	ann.Disconnect()
	eventually(t, frame, func() bool { return ann.ending != nil })
	require.Positive(t, server.Traffic().PacketsReceived)
}
