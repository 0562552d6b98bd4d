package listenserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inBothStyles runs a test in virtual time with a game loop, and on real sockets with handlers.
func inBothStyles(t *testing.T, test func(t *testing.T, s func(*testing.T) style)) {
	t.Run("game loop", func(t *testing.T) {
		test(t, func(t *testing.T) style { return newFrames(t) })
	})
	t.Run("background", func(t *testing.T) {
		test(t, func(t *testing.T) style { return &handlers{T: t} })
	})
}

// way is one in which a session ends while the host stays, and what both sides see then.
type way struct {
	name             string
	leave            func(s *session)
	atPlayer, atHost string
}

var ways = []way{
	{"close", func(s *session) { s.player.Close() }, "disconnected, closed locally", "disconnected, closed by the peer"},
	{"abort", func(s *session) { s.player.Abort() }, "disconnected, closed locally", "disconnected, closed by the peer"},
	{"kick", func(s *session) { s.peer.(transport.Kicker).Kick(1, "") }, "disconnected, closed by the peer", "disconnected, kicked"},
	{"closed by the host", func(s *session) { s.peer.Close() }, "disconnected, closed by the peer", "disconnected, closed locally"},
	{"aborted by the host", func(s *session) { s.peer.Abort() }, "disconnected, closed by the peer", "disconnected, closed locally"},
}

// The third player leaves and comes back while two others play on, and then the host closes.
func TestTheLocalPlayerComesAndGoesAsAnyOther(t *testing.T) {
	inBothStyles(t, func(t *testing.T, newStyle func(*testing.T) style) {
		for _, way := range ways {
			t.Run(way.name, func(t *testing.T) {
				overUDP := newParty(t, newStyle(t))
				want := overUDP.play(way, overUDP.remote)
				inProcess := newParty(t, newStyle(t))
				require.Equal(t, want, inProcess.play(way, inProcess.localPlayer))
			})
		}
	})
}

// play returns what both sides of each session have seen.
func (p *party) play(way way, join func() *session) (logs [][]string) {
	ann, bob, eve := p.remote(), p.remote(), join()
	p.says(eve, "hello")
	p.everybodyHears("three of us", ann, bob, eve)
	way.leave(eve)
	p.seen(eve, way.atPlayer, way.atHost)
	p.everybodyHears("two of us", ann, bob)
	p.says(ann, "where is Eve?")
	back := join()
	p.says(back, "here")
	p.everybodyHears("three again", ann, bob, back)

	p.host.Close()
	for _, s := range []*session{ann, bob, back} {
		p.seen(s, "disconnected, closed by the peer", "disconnected, closed locally")
	}
	require.Equal(p, []string{"connected", "message three of us", way.atPlayer}, eve.atPlayer)
	require.Equal(p, []string{"connected", "message hello", way.atHost}, eve.atHost)
	for _, s := range p.sessions {
		logs = append(logs, s.atPlayer, s.atHost)
	}
	return logs
}

func TestTheLocalPlayerIsCountedAmongThePeers(t *testing.T) {
	inBothStyles(t, func(t *testing.T, newStyle func(*testing.T) style) {
		p := newParty(t, newStyle(t))
		remote, local := p.remote(), p.localPlayer()
		require.Equal(t, []transport.Conn{remote.peer, local.peer}, p.host.Conns())
		require.False(t, remote.peer.Local())
		require.True(t, local.peer.Local())
		require.NotEqual(t, remote.peer.ID(), local.peer.ID())

		local.player.Close()
		p.seen(local, "disconnected, closed locally", "disconnected, closed by the peer")
		require.Equal(t, []transport.Conn{remote.peer}, p.host.Conns())
		require.NoError(t, remote.peer.Err())
		p.host.Abort()
		p.seen(remote, "disconnected, closed by the peer", "disconnected, closed locally")
	})
}

// A message that only one of them could take is no message for all.
func TestABroadcastIsForLocalAndRemotePlayersOrForNone(t *testing.T) {
	inBothStyles(t, func(t *testing.T, newStyle func(*testing.T) style) {
		p := newParty(t, newStyle(t))
		remote, local := p.remote(), p.localPlayer()
		tooLarge := make([]byte, remote.peer.MaxPayload(transport.ReliableOrdered)+1)
		require.Error(t, p.host.Broadcast(tooLarge, ordered))
		require.ErrorIs(t, p.host.Broadcast(nil, transport.SendOptions{Delivery: transport.Sequenced}), transport.ErrNotOnBase)
		p.everybodyHears("short enough", remote, local)
		require.Equal(t, []string{"connected", "message short enough"}, local.atPlayer)
		p.host.Close()
		p.seen(local, "disconnected, closed by the peer", "disconnected, closed locally")
		p.seen(remote, "disconnected, closed by the peer", "disconnected, closed locally")
	})
}
