package soak

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
)

func sealed(id, word byte) []byte {
	d := make([]byte, handshake.MinSealed)
	d[0], d[1], d[5] = byte(handshake.KindSealed), id, word
	return d
}

func TestACopyOfASealedDatagramIsNotHeard(t *testing.T) {
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

func TestWhoTakesTheAddressOfAnotherDoesNotHearWhatIsSentToThatOne(t *testing.T) {
	at := netip.MustParseAddrPort("10.1.0.1:9")
	for _, way := range []struct {
		session      uint32
		mine, others []byte
		othersAt     netip.AddrPort
	}{
		{5, sealed(5, 1), sealed(6, 2), at},
		{9, []byte{byte(framing.KindHeartbeat)}, []byte{byte(framing.KindHeartbeat)}, netip.AddrPortFrom(at.Addr(), 8)},
	} {
		f := flow{session: way.session}
		f.deliver(&sim.Event{Time: 1, Payload: way.mine}, at, 1)
		f.deliver(&sim.Event{Time: 2, Payload: way.others}, way.othersAt, 2)
		require.EqualValues(t, 1, f.delivered)
	}
}

func TestAPlayerIsHeardInWhatIsForwarded(t *testing.T) {
	w := &world{players: []*player{{index: 0}, {index: 1}}}
	w.strangers.w = w
	require.Same(t, w.players[1], w.strangers.forwardedFrom(forwardedAs(w.players[1])))
	require.Nil(t, w.strangers.forwardedFrom(netip.MustParseAddrPort("10.251.2.2:5")))
}
