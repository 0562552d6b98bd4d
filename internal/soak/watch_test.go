package soak

import (
	"net/netip"
	"testing"
	"time"

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
	at, other := netip.MustParseAddrPort("10.1.0.1:9"), netip.MustParseAddrPort("10.1.0.1:8")
	for _, way := range []struct {
		session      session
		mine, others []byte
		othersAt     netip.AddrPort
	}{
		{session{id: 5}, sealed(5, 1), sealed(6, 2), at},
		{session{player: at}, []byte{byte(framing.KindHeartbeat)}, []byte{byte(framing.KindHeartbeat)}, other},
	} {
		f := flow{session: way.session}
		f.deliver(&sim.Event{Time: 1, Payload: way.mine}, at, 1)
		f.deliver(&sim.Event{Time: 2, Payload: way.others}, way.othersAt, 2)
		require.EqualValues(t, 1, f.delivered)
	}
}

// A stranger is faster than the way of a player. The host hears nothing in what comes from the player himself later.
func TestAPlayerIsHeardInWhatStrangersCopyAndNotInWhatTheyForge(t *testing.T) {
	p := scene(time.Second)
	w := newWorld(&p, &Census{})
	host, stranger, of := w.host.node, w.strangers.node, w.players[0]
	player := of.node.AddrPort(5)
	up := &of.flow[toHost]
	up.session = session{id: 7}
	w.strangers.tape = []taped{{payload: sealed(7, 2)}}
	for _, came := range []struct {
		what  string
		at    int64
		node  *sim.Node
		from  netip.AddrPort
		d     []byte
		heard int64
	}{
		{"forwarded", 1, stranger, forwardedAs(of), sealed(7, 1), 1},
		{"late", 2, of.node, player, sealed(7, 1), 1},
		{"replayed", 3, stranger, player, sealed(7, 2), 3},
		{"late", 4, of.node, player, sealed(7, 2), 3},
		{"forged", 5, stranger, player, sealed(7, 3), 3},
		{"by himself", 6, of.node, player, sealed(7, 3), 6},
	} {
		w.delivered(&sim.Event{Time: came.at, From: came.node, To: host, Source: came.from, Payload: came.d})
		require.Equal(t, came.heard, up.delivered, came.what)
	}
}
