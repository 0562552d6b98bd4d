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
