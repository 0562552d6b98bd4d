package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// The ceilings of what one packet or message may allocate once everything has its size. The ceilings of real sockets are in package udp.

func TestCodecAllocatesNothing(t *testing.T) {
	payload, buf := make([]byte, 64), make([]byte, 0, framing.MaxDatagram)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		buf = framing.AppendReliable(buf[:0], 7, payload)
		framing.Parse(buf, framing.Host)
		buf = framing.AppendAck(buf[:0], 7)
		framing.Parse(buf, framing.Client)
	}))
}

func TestMachineAllocatesNothingForAMessage(t *testing.T) {
	for _, mode := range []reliable.Mode{reliable.Unreliable, reliable.ReliableOrdered} {
		d := newDuo()
		for range 1000 {
			d.message(mode)
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() { d.message(mode) }), "mode %d", mode)
	}
}

func TestSimulatedGameAllocatesNothing(t *testing.T) {
	w := newWorld(1, 4, sim.Conditions{Delay: 25 * time.Millisecond, Loss: sim.Percent(10)}, time.Second/60, time.Second/5)
	w.network.RunFor(time.Minute)
	require.Less(t, testing.AllocsPerRun(10, func() { w.network.RunFor(time.Second) }), 1.0)
	for _, p := range w.players {
		require.Greater(t, p.received, 65*60, "the game is played")
	}
}

func TestPacketsAllocateNothing(t *testing.T) {
	for mode := reliable.Unreliable; mode <= reliable.ReliableSequenced; mode++ {
		d := newPacketDuo()
		for range 1000 {
			d.message(mode)
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() { d.message(mode) }), "mode %d", mode)
	}
}

func TestWindowOfPacketsAllocatesNothing(t *testing.T) {
	d := newPacketDuo()
	for range 100 {
		d.window()
	}
	require.Zero(t, testing.AllocsPerRun(100, d.window))
}

func TestTickOfPacketsAllocatesNothing(t *testing.T) {
	c := newCrowd(4)
	tick := func() {
		c.send(clientOf)
		c.receive(hostOf)
		c.send(hostOf)
		c.receive(clientOf)
	}
	for range 1000 {
		tick()
	}
	require.Zero(t, testing.AllocsPerRun(1000, tick))
	require.Positive(t, c.duos[0].host.Stats().MessagesReceived, "messages get through")
	require.Zero(t, c.duos[0].host.Stats().Repairs)
}

func TestIdlePacketsAllocateNothing(t *testing.T) {
	d := newPacketDuo()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		d.buf = d.client.PollDatagram(d.now, d.buf[:0])
		_ = d.client.NextDeadline()
	}))
}

// What one side of a connection holds, in bytes: see BenchmarkPacketMemory.
func TestConnectionsOnPacketsStaySmall(t *testing.T) {
	for _, row := range []struct {
		name string
		play func(*duo)
		most float64
	}{
		{"idle", func(*duo) {}, 7 << 9},
		{"active", (*duo).fly, 19 << 9},
	} {
		require.Less(t, memoryPerEndpoint(200, row.play), row.most, row.name)
	}
}

func TestAHostWithManyPeersAllocatesNothing(t *testing.T) {
	for _, protocol := range []udp.Protocol{udp.Secure, udp.Base} {
		tn, payload := newTown(t, protocol, 32), make([]byte, gameBytes)
		for name, step := range map[string]func(){
			"in play": func() { tn.tick(time.Second/gameRate, payload) },
			"idle":    func() { tn.step(20 * time.Millisecond) },
			"fan-out": func() { tn.broadcast(payload, transport.ReliableOrdered); tn.step(20 * time.Millisecond) },
		} {
			for range 300 {
				step()
			}
			tn.reset()
			require.Zero(t, testing.AllocsPerRun(300, step), "%v %s", protocol, name)
			require.Greater(t, tn.packets, 32*6, "everybody talks")
		}
	}
}

// What one session of the base protocol takes at a host, its tables included, in bytes: see BenchmarkEngineMemory. The ceilings of the secure protocol
// are a test of package udp.
func TestSessionsOfAHostStaySmall(t *testing.T) {
	for _, row := range []struct {
		name string
		play bool
		most float64
	}{{"idle", false, 2 << 10}, {"in play", true, 8 << 10}} {
		took := memoryPerSession(t, udp.Base, mostBasePeers, row.play)
		require.LessOrEqual(t, took, row.most, row.name)
		require.Greater(t, took, 1000.0, "it is measured")
	}
}
