package derbyrows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

var routingRows = map[string]func(*testing.T){
	"N019": func(t *testing.T) {
		l := newLobby(t)
		ann := l.connects()
		ann.bytes(nil, transport.ReliableOrdered)
		ann.bytes([]byte{99, 1}, transport.ReliableOrdered)
		ann.bytes([]byte{13}, transport.ReliableOrdered) // short, but that it is a host's message is seen first
		ann.says(&derby.Ping{})
		l.turn()
		require.Equal(t, "empty=1 unknown=1 direction=1", l.drops())
		require.Equal(t, []string{"Pong"}, ann.names())
	},
	"N020": func(t *testing.T) {
		l := newLobby(t)
		ann := l.connects()
		ann.says(&derby.Ping{Sent: 12.25})
		l.turn()
		require.Equal(t, derby.Pong{Sent: 12.25}, *last[derby.Pong](ann), "before anything else was said")
		require.Empty(t, l.shown)

		bob := l.joins()
		_, measured := l.RoundTrip(l.id(bob))
		require.False(t, measured)
		bob.says(&derby.Pong{Sent: 0})
		l.turn()
		_, measured = l.RoundTrip(l.id(bob))
		require.False(t, measured, "nobody asked")
		require.NoError(t, l.Ping(l.id(bob)))
		l.turn()
		ping := last[derby.Ping](bob)
		l.now += int64(40 * time.Millisecond)
		bob.says(&derby.Pong{Sent: 1e9})
		l.turn()
		_, measured = l.RoundTrip(l.id(bob))
		require.False(t, measured, "nor for this")
		sent := derby.Pong(*ping)
		bob.says(&sent)
		l.turn()
		took, measured := l.RoundTrip(l.id(bob))
		require.True(t, measured)
		require.InDelta(t, 40*time.Millisecond+2*time.Second/60, took, float64(time.Microsecond))

		g := admitted(t)
		require.NoError(t, g.Ping())
		g.turn()
		answer := derby.Pong(*last[derby.Ping](g.host))
		g.hears(&answer, &derby.Ping{Sent: 3})
		_, measured = g.RoundTrip()
		require.True(t, measured)
		require.Equal(t, derby.Pong{Sent: 3}, *last[derby.Pong](g.host))
		require.Empty(t, g.shown)
	},
	"N021": func(t *testing.T) {
		g := admitted(t)
		g.hears(&derby.Roster{Players: []derby.PlayerInfo{{ID: 5}}}, &derby.StartRun{}, &derby.Ping{})
		require.Empty(t, g.shown)
		require.Len(t, g.Roster(), 1)
		g.hears(&derby.RoundStart{}, &derby.PlayFeed{}, &derby.AtBatBegin{})
		require.Equal(t, []string{"RoundStart", "PlayFeed", "AtBatBegin"}, g.shown)
	},
	"N022": func(t *testing.T) {
		l := newLobby(t)
		list := l.joined(2)
		l.plays(list[0])
		list[0].says(&derby.PlayFeed{Batter: 1, Headline: "first"})
		list[1].says(&derby.PlayFeed{Batter: 2, Headline: "second"})
		list[0].says(&derby.SetBatter{BatterID: "elk"})
		l.pump()
		require.Empty(t, l.shown, "the frame has not come")
		require.EqualValues(t, "elk", l.Roster()[0].BatterID, "the lobby does not wait")
		l.Router().RunFrame()
		require.Equal(t, []string{"1: PlayFeed", "2: PlayFeed"}, l.shown)

		g := inRun(t)
		g.host.says(&derby.RoundStart{Inning: 3})
		g.Router().Pump(g.conn)
		require.Empty(t, g.shown)
		g.Router().RunFrame()
		require.Equal(t, []string{"RoundStart"}, g.shown)
	},
	"N023": func(t *testing.T) {
		g := inRun(t)
		require.NoError(t, derby.PlayFeed{Headline: "hi"}.Send(g.ToAll()))
		require.NoError(t, derby.AtBatSwing{}.Send(g.ToAll()))
		g.turn()
		require.Equal(t, []string{"PlayFeed", "AtBatSwing"}, g.host.names())
		var peers []*msgs.Peer
		for p := range g.Router().Peers() {
			peers = append(peers, p)
		}
		require.Equal(t, []*msgs.Peer{g.Router().Host()}, peers)
	},
	"N024": func(t *testing.T) {
		l := newLobby(t)
		list := l.joined(3)
		stranger := l.connects()
		require.NoError(t, derby.Ping{Sent: 1}.Send(l.ToAll()))
		l.turn()
		for _, r := range list {
			require.Equal(t, []string{"Ping"}, r.names())
		}
		require.Empty(t, stranger.names(), "who was not admitted is not all")

		g := admitted(t)
		require.NoError(t, derby.Ping{Sent: 1}.Send(g.ToAll()))
		g.turn()
		require.Equal(t, []string{"Ping"}, g.host.names())
	},
	"N025": func(t *testing.T) {
		l := newLobby(t, withSelf)
		list := l.joined(3)
		require.NoError(t, derby.Ping{}.Send(l.To(l.id(list[1]))))
		l.turn()
		require.Empty(t, list[0].names())
		require.Equal(t, []string{"Ping"}, list[1].names())
		require.Empty(t, list[2].names())
		require.ErrorIs(t, derby.Ping{}.Send(l.To(77)), msgs.ErrNoPeer)
		require.ErrorIs(t, derby.Ping{}.Send(l.To(0)), msgs.ErrNoPeer)
	},
	"N026": func(t *testing.T) {
		l := newLobby(t, withSelf)
		list := l.joined(3)
		stranger := l.connects()
		require.NoError(t, derby.Ping{}.Send(l.ToAllExcept(l.id(list[1]))))
		l.turn()
		require.Equal(t, []string{"Ping"}, list[0].names())
		require.Empty(t, list[1].names())
		require.Equal(t, []string{"Ping"}, list[2].names())
		require.Empty(t, stranger.names())
	},
	"N027": func(t *testing.T) {
		for _, e := range derby.Catalogue.Entries {
			want := transport.ReliableOrdered
			if e.Name == "AtBatPose" {
				want = transport.Unreliable
			}
			require.Equal(t, want, e.Delivery, e.Name)
			require.Zero(t, e.Channel, "one order for all")
		}
	},
}
