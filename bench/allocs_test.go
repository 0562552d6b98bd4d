package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
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
