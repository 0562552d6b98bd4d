package system_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/wire"
)

func alignment(t *testing.T) {
	g := legacyGuest(newWorld(t))
	require.NoError(t, system.SendLegacy(g.player().Peer(), true, []byte("ab")))
	require.Equal(t, [][]byte{{0, 'a', 'b'}}, g.host.payloads(), "the id takes 5 bits of a byte, and the rest of it is skipped")
	g.fromHost(lossily, 1, 'c')
	require.Equal(t, []string{"legacy false: c at 1"}, g.news)
	g.fromHost(lossily, 1|0x80, 'c')
	require.Len(t, g.news, 1)
}

func legacyReader(t *testing.T) {
	w := newWorld(t)
	var numbers []any
	g := w.join(func(c *system.ClientConfig) {
		c.Legacy = func(_ bool, packet []byte, offset, size int) {
			r := wire.NewReader(packet[offset : offset+size])
			numbers = append(numbers, r.Uint16(), r.Uint32(), r.Len())
		}
	})
	g.fromHost(reliably, 0, 1, 2, 3, 4, 5, 6)
	require.Equal(t, []any{uint16(0x0201), uint32(0x06050403), 0}, numbers)
}

func positions(t *testing.T) {
	all := []system.Entity{
		{NetID: 5, At: system.Position{X: 1, Y: 2, Z: 3}, Angle: 90, Velocity: system.Position{X: -1}, Animation: 7},
		{NetID: 6, At: system.Position{X: 100}},
		{NetID: 7, At: system.Position{Z: -49}},
	}
	p := system.Positions{Range: 50}
	b := p.Append(nil, system.Position{}, all)
	require.Equal(t, []byte{2, 0, 5, 0, 0, 0, 0, 0, 0x80, 0x3F}, b[:10], "how many, and the first: its id and X")
	require.Len(t, b, 2+2*33)
	got, err := system.ParsePositions(nil, b)
	require.NoError(t, err)
	require.Equal(t, []system.Entity{all[0], all[2]}, got, "what is in sight")
	for i := range b {
		_, err := system.ParsePositions(nil, b[:i])
		require.ErrorIs(t, err, wire.ErrShort)
	}

	for hz, want := range map[int]int{0: 15, 10: 10, 20: 20, 1: 10, 100: 20} {
		p := system.Positions{Hz: hz}
		sent := 0
		for now := range int64(1000) {
			if p.Due(now * int64(time.Millisecond)) {
				sent++
			}
		}
		require.InDelta(t, want, sent, 1)
	}

	w := newWorld(t)
	var seen []system.Entity
	var reliable []bool
	g := w.join(func(c *system.ClientConfig) {
		var receiver system.LegacyReceiver
		c.Legacy = func(r bool, packet []byte, offset, size int) {
			if whole := receiver.Receive(r, packet, offset, size); whole != nil {
				list, err := system.ParsePositions(nil, whole)
				require.NoError(t, err)
				seen, reliable = append(seen, list...), append(reliable, r)
			}
		}
	})
	sender := system.LegacySender{}
	require.NoError(t, sender.Send(g.player().Peer(), false, b))
	require.NoError(t, sender.Send(g.player().Peer(), true, p.Append(nil, system.Position{X: 100}, all)), "a change that must not be missed")
	w.frames(2)
	require.Equal(t, []system.Entity{all[0], all[2], all[1]}, seen)
	require.Equal(t, []bool{false, true}, reliable)
}
