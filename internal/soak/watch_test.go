package soak

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

func TestACopyOfASealedDatagramIsNotHeard(t *testing.T) {
	sealed := func(id, word byte) []byte {
		d := make([]byte, handshake.MinSealed)
		d[0], d[1], d[5] = byte(handshake.KindSealed), id, word
		return d
	}
	var c copies
	for _, d := range [][]byte{sealed(1, 7), sealed(1, 9), sealed(1, 8), sealed(2, 7)} {
		require.True(t, c.fresh(d))
		require.False(t, c.fresh(d))
	}
	heartbeat := []byte{byte(framing.KindHeartbeat)}
	for range 2 {
		require.True(t, c.fresh(heartbeat), "the base protocol knows no copies")
	}
}

func TestAPlayerIsHeardInWhatIsForwarded(t *testing.T) {
	w := &world{players: []*player{{index: 0}, {index: 1}}}
	w.strangers.w = w
	require.Same(t, w.players[1], w.strangers.forwardedFrom(forwardedAs(w.players[1])))
	require.Nil(t, w.strangers.forwardedFrom(netip.MustParseAddrPort("10.251.2.2:5")))
}
