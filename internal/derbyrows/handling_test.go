package derbyrows

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

var handlingRows = map[string]func(*testing.T){
	"N054": func(t *testing.T) {
		l := newLobby(t)
		ann := l.connects()
		ann.says(&hello)
		l.turn()
		require.Equal(t, []string{"Welcome", "Roster"}, ann.names())
		ann.says(&derby.SetBatter{BatterID: "elk", Cosmetics: []derby.ItemID{"hat"}})
		l.turn()
		require.Equal(t, []derby.PlayerInfo{{ID: 1, Name: "Ann", BatterID: "elk", Cosmetics: []derby.ItemID{"hat"}, Connected: true}}, last[derby.Roster](ann).Players)
		for _, m := range []msgs.Message{&derby.Welcome{}, &derby.Refuse{}, &derby.Roster{}, &derby.StartRun{}} {
			ann.says(m)
		}
		l.turn()
		require.Equal(t, "direction=4", l.drops())
		require.NoError(t, ann.ended)

		g := newGuest(t)
		require.Equal(t, derby.Hello{Protocol: "DERBY-1", Version: "1.0", Player: derby.PlayerInfo{Name: "Ann", BatterID: "ox", Cosmetics: []derby.ItemID{}}},
			*withCosmetics(last[derby.Hello](g.host)))
		g.hears(&derby.Hello{}, &derby.SetBatter{})
		require.Equal(t, "direction=2", g.drops())
		g.hears(&derby.Welcome{Player: 5}, &derby.Roster{Players: []derby.PlayerInfo{{ID: 5, Name: "Ann"}}}, &derby.StartRun{Seed: 3})
		require.Equal(t, []derby.PlayerID{5}, g.wel)
		require.EqualValues(t, 5, g.ID())
		require.Equal(t, 1, g.tables)
		require.Equal(t, "Ann", g.Roster()[0].Name)
		require.EqualValues(t, 3, g.runs[0].Seed)
		g.hears(&derby.Refuse{Reason: "no"})
		var refused *derby.RefusedError
		require.ErrorAs(t, g.ends[0], &refused)
		require.Equal(t, "no", refused.Reason)
	},
	"N055": func(t *testing.T) {
		g := inRun(t)
		g.hears(&derby.Leave{})
		require.Equal(t, []error{derby.ErrHostLeft}, g.ends)
		g.turn()
		require.Len(t, g.ends, 1, "a session ends once")
		require.Error(t, g.host.ended)

		l := newLobby(t)
		list := l.joined(3)
		list[0].says(&derby.Leave{})
		l.pump()
		require.Len(t, l.Roster(), 3, "he may still change his mind")
		l.turn()
		require.Len(t, l.Roster(), 2, "his connection is over")
		require.Len(t, last[derby.Roster](list[1]).Players, 2)
		list[1].conn.Abort()
		l.turn()
		require.Len(t, l.Roster(), 1, "and hers, without a word")
		require.Len(t, last[derby.Roster](list[2]).Players, 1)
		list[2].says(&derby.Leave{})
		l.pump()
		list[2].conn.Abort()
		l.turn()
		require.Empty(t, l.Roster(), "both at once are one departure")
		require.Len(t, l.rosters, 3)
	},
	"N056": func(t *testing.T) {
		g := inRun(t)
		g.hears(&derby.RoundStart{}, &derby.TurnStart{}, &derby.RoundEnd{}, &derby.ReadyState{}, &derby.IntroProgress{})
		require.Equal(t, []string{"RoundStart", "TurnStart", "RoundEnd", "ReadyState", "IntroProgress"}, g.shown)

		l := newLobby(t, withSelf)
		ann := l.joined(1)[0]
		require.NoError(t, l.StartRun(derby.StartRun{Order: []derby.PlayerID{0, 1}}))
		require.Equal(t, []string{"0: IntroProgress"}, l.shown, "the host's copy, at once")
		require.NoError(t, l.StartRound(derby.RoundStart{}))
		require.NoError(t, l.StartTurn(derby.TurnStart{Batter: 1}))
		require.NoError(t, l.EndRound(derby.RoundEnd{Cleared: true}))
		require.Equal(t, []string{"0: IntroProgress", "0: RoundStart", "0: TurnStart", "0: RoundEnd", "0: IntroProgress", "0: ReadyState"}, l.shown)
		l.turn()
		require.Equal(t, []string{"StartRun", "IntroProgress", "RoundStart", "TurnStart", "RoundEnd", "IntroProgress", "ReadyState"}, ann.names())
		l.forget()
		for _, m := range []msgs.Message{&derby.RoundStart{}, &derby.TurnStart{}, &derby.RoundEnd{}, &derby.ReadyState{}, &derby.IntroProgress{}} {
			ann.says(m)
		}
		l.turn()
		require.Equal(t, "direction=5", l.drops())
		require.Empty(t, l.shown)
	},
	"N057": func(t *testing.T) {
		l := newLobby(t, withSelf)
		list := l.joined(3)
		l.plays(list[0])
		list[1].says(&derby.PlayFeed{Batter: 1, Headline: "I am Ann", HomeRun: true})
		l.turn()
		want := derby.PlayFeed{Batter: 2, Headline: "I am Ann", HomeRun: true}
		require.Equal(t, want, *last[derby.PlayFeed](list[0]))
		require.Equal(t, want, *last[derby.PlayFeed](list[2]))
		require.Empty(t, list[1].names())
		require.Equal(t, []string{"2: PlayFeed"}, l.shown)
		require.Equal(t, &want, l.lastShown[0])
		require.EqualValues(t, 1, l.Stats().Forged)

		list[1].says(&want)
		l.turn()
		require.Equal(t, want, *last[derby.PlayFeed](list[0]))
		require.EqualValues(t, 1, l.Stats().Forged, "nothing was wrong with this one")

		g := inRun(t)
		g.hears(&derby.PlayFeed{Batter: 9, Headline: "Gone!"})
		require.Equal(t, []string{"PlayFeed"}, g.shown)
	},
	"N058": func(t *testing.T) {
		g := inRun(t)
		g.hears(&derby.TurnEnd{}, &derby.ShopReady{}, &derby.IntroDone{})
		require.Equal(t, "direction=3", g.drops())
		require.Empty(t, g.shown)

		l := newLobby(t)
		list := l.joined(2)
		l.plays(list[0])
		list[1].says(&derby.TurnEnd{ScoreGained: 99})
		list[0].says(&derby.TurnEnd{ScoreGained: 7, HomeRuns: 200, LongestFt: 9999})
		list[0].says(&derby.TurnEnd{ScoreGained: 7})
		l.turn()
		require.Equal(t, []string{"1: TurnEnd"}, l.shown)
		require.Equal(t, &derby.TurnEnd{ScoreGained: 7}, l.lastShown[0])
		require.EqualValues(t, 2, l.Stats().OutOfTurn)
		require.Empty(t, list[1].names(), "it is nobody else's")
		_, batting := l.Batter()
		require.False(t, batting)

		list[0].says(&derby.IntroDone{})
		list[1].says(&derby.IntroDone{})
		l.turn()
		require.Equal(t, 1, l.intros)
		require.NoError(t, l.EndRound(derby.RoundEnd{Cleared: true}))
		list[0].says(&derby.ShopReady{})
		list[1].says(&derby.ShopReady{})
		l.turn()
		require.Equal(t, 1, l.shops)
	},
	"N059": func(t *testing.T) {
		l := newLobby(t, withSelf)
		list := l.joined(3)
		ann, bob, eve := list[0], list[1], list[2]
		tries := func(r *raw) {
			l.forget()
			r.says(&derby.AtBatBegin{Batter: l.id(r)})
			for _, m := range []msgs.Message{&derby.AtBatPose{T: float32(l.now)}, &derby.AtBatPitch{}, &derby.AtBatSwing{}, &derby.AtBatResult{}} {
				r.says(m)
			}
			l.turn()
		}
		relayed := []string{"AtBatBegin", "AtBatPose", "AtBatPitch", "AtBatSwing", "AtBatResult"}

		require.NoError(t, l.StartRun(derby.StartRun{}))
		tries(ann)
		require.NotContains(t, bob.names(), "AtBatBegin", "no inning is played")
		require.NoError(t, l.StartRound(derby.RoundStart{}))
		l.turn()
		tries(ann)
		require.Empty(t, bob.names(), "nobody is at the plate")
		require.NoError(t, l.StartTurn(derby.TurnStart{Batter: l.id(ann)}))
		l.turn()
		tries(ann)
		require.Equal(t, relayed, bob.names())
		require.Equal(t, relayed, eve.names())
		require.Empty(t, ann.names())
		require.Equal(t, []string{"1: AtBatBegin", "1: AtBatPose", "1: AtBatPitch", "1: AtBatSwing", "1: AtBatResult"}, l.shown, "the host is a spectator as well")
		tries(bob)
		require.Empty(t, eve.names(), "somebody else bats")
		require.Empty(t, l.shown)

		before := l.Stats()
		bob.says(&derby.AtBatBegin{Batter: l.id(ann)})
		ann.says(&derby.AtBatBegin{Batter: l.id(bob)})
		l.turn()
		require.Empty(t, eve.names(), "and nobody bats as somebody else")
		require.EqualValues(t, 2, l.Stats().Forged-before.Forged)

		ann.says(&derby.TurnEnd{})
		l.turn()
		tries(ann)
		require.Empty(t, bob.names(), "her turn is over")
		require.NoError(t, l.StartTurn(derby.TurnStart{Batter: l.id(bob)}))
		require.NoError(t, l.EndRound(derby.RoundEnd{}))
		l.turn()
		tries(bob)
		require.Empty(t, ann.names(), "the inning is over")
		require.EqualValues(t, 25, l.Stats().OutOfTurn)
		require.Equal(t, "none", l.drops())
	},
	"N060": func(t *testing.T) {
		l := newLobby(t)
		list := l.joined(3)
		l.plays(list[0])
		list[0].says(&derby.AtBatBegin{Batter: 1})
		l.turn()
		for i, m := range []msgs.Message{
			&derby.PlayFeed{Batter: 1, Headline: "é", DistanceFt: 1.5}, &derby.AtBatBegin{Batter: 1, BatUpgradeID: "oak"}, &derby.AtBatPose{T: 3, Twist: -1},
			&derby.AtBatPitch{Decoys: make([]derby.Vec3, 16)}, &derby.AtBatSwing{PressTime: 3.25}, &derby.AtBatResult{MadeContact: true, Score: 5},
		} {
			l.forget()
			list[0].says(m)
			l.turn()
			for _, r := range list[1:] {
				require.Len(t, r.heard, 1, "message %d", i)
				require.Equal(t, encoded(m), r.heard[0].Payload)
				require.Equal(t, m.Descriptor().Entry.Delivery, r.heard[0].Delivery)
			}
			require.Empty(t, list[0].names())
		}
	},
	"N061": func(t *testing.T) {
		for _, e := range derby.Catalogue.Entries {
			m, from := kinds[e.ID](), senders[e.ID]
			require.Equal(t, from, e.From, e.Name)
			if from == msgs.Host {
				l := newLobby(t)
				ann := l.joined(1)[0]
				before := l.Roster()
				ann.says(m)
				l.turn()
				require.Equal(t, "direction=1", l.drops(), e.Name)
				require.Equal(t, before, l.Roster())
				require.Empty(t, l.shown)
				require.NoError(t, ann.ended)
				require.Contains(t, l.log.String(), "Malformed message from player 1 ignored")
			}
			if from == msgs.Client {
				g := inRun(t)
				g.hears(m)
				require.Equal(t, "direction=1", g.drops(), e.Name)
				require.Empty(t, g.shown)
				require.Empty(t, g.ends)
			}
		}
		g := inRun(t)
		require.ErrorIs(t, derby.Roster{}.Send(g.ToAll()), msgs.ErrDirection)
		l := newLobby(t)
		l.joined(1)
		require.ErrorIs(t, derby.TurnEnd{}.Send(l.ToAll()), msgs.ErrDirection)
	},
}

// senders says who sends each message. What a batter sends comes from a client, and goes to the others from the host.
var senders = map[uint16]msgs.Side{
	1: msgs.Both, 2: msgs.Both,
	10: msgs.Client, 11: msgs.Host, 12: msgs.Host, 13: msgs.Host, 14: msgs.Client, 15: msgs.Host, 16: msgs.Both,
	30: msgs.Host, 31: msgs.Host, 32: msgs.Both, 33: msgs.Client, 34: msgs.Host, 35: msgs.Client, 36: msgs.Host, 37: msgs.Client, 38: msgs.Host,
	40: msgs.Both, 41: msgs.Both, 42: msgs.Both, 43: msgs.Both, 44: msgs.Both,
}

// withCosmetics has no nil list, so that it can be compared.
func withCosmetics(m *derby.Hello) *derby.Hello {
	m.Player.Cosmetics = append([]derby.ItemID{}, m.Player.Cosmetics...)
	return m
}

func TestTextThatIsNoneIsNotRelayed(t *testing.T) {
	l := newLobby(t)
	list := l.joined(4)
	l.plays(list[0])
	for _, bad := range []string{"\xff", "\xc0\x80", "\xed\xa0\x80", "\xe2\x82", "\xf5\x80\x80\x80", strings.Repeat("\x80", 200)} {
		b := encoded(&derby.PlayFeed{Batter: 1, Headline: strings.Repeat("x", len(bad))})
		copy(b[4:], bad)
		list[0].bytes(b, transport.ReliableOrdered)
	}
	odd := derby.PlayFeed{Batter: 1, Headline: "a zero \x00 and \u202e turned around"}
	list[0].says(&odd)
	l.turn()
	for _, r := range list[1:] {
		require.Len(t, r.heard, 1)
		require.Equal(t, odd, *last[derby.PlayFeed](r), "that is text; what is shown of it is for the game to say")
	}
	require.Equal(t, "malformed=6", l.drops())
	require.NoError(t, list[0].ended)
	for _, c := range l.log.String() {
		require.True(t, c == '\n' || unicode.IsPrint(c))
	}
}

func TestWhoLeavesBeforeTheConnectionStandsNeverJoins(t *testing.T) {
	c, err := derby.NewClient(derby.ClientConfig{Self: derby.PlayerInfo{Name: "Ann"}})
	require.NoError(t, err)
	require.NoError(t, c.Leave())
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop})
	require.NoError(t, err)
	c.Router().Pump(client)
	r := &raw{T: t, conn: host}
	r.listen()
	require.Empty(t, r.names())
	require.Error(t, r.ended)
}

// The checks of a Hello are no row of their own, but whoever is refused has to read why.
func TestWhoIsRefusedReadsWhy(t *testing.T) {
	odd := func(change func(*derby.Hello)) []byte {
		m := hello
		change(&m)
		return encoded(&m)
	}
	long := append([]byte{10, 44, 1}, strings.Repeat("y", 300)...)
	for _, c := range []struct {
		why    string
		hello  []byte
		reason string
	}{
		{"an older protocol", odd(func(m *derby.Hello) { m.Protocol = "DERBY-0" }), `the host speaks DERBY-1 (version "1.0"), you speak "DERBY-0" (version "1.0")`},
		{"a newer one", odd(func(m *derby.Hello) { m.Protocol = "DERBY-2" }), `you speak "DERBY-2"`},
		{"none", odd(func(m *derby.Hello) { m.Protocol = "" }), `you speak ""`},
		{"another case", odd(func(m *derby.Hello) { m.Protocol = "derby-1" }), `you speak "derby-1"`},
		{"300 bytes of it", append(long, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), `you speak "yyy`},
		{"another form", append(odd(func(m *derby.Hello) { m.Protocol = "DERBY-9" }), 1, 2, 3), `you speak "DERBY-9"`},
		{"a name that is no text", []byte("\x0a\x07\x00DERBY-1\x00\x00\x00\x01\x00\xff\x00\x00\x00\x00"), "the hello cannot be read"},
		{"a policy", odd(func(m *derby.Hello) { m.Player.Name = "Eve" }), "not you"},
	} {
		l := newLobby(t, func(c *derby.HostConfig) {
			c.Admit = func(m *derby.Hello) string {
				if m.Player.Name == "Eve" {
					return "not you"
				}
				return ""
			}
		})
		ann := l.joined(1)[0]
		r := l.connects()
		r.bytes(c.hello, transport.ReliableOrdered)
		l.turn()
		require.Contains(t, last[derby.Refuse](r).Reason, c.reason, c.why)
		l.turn()
		require.Error(t, r.ended, c.why)
		require.Len(t, l.Roster(), 1, c.why)
		require.Empty(t, ann.names(), "%s: nobody else hears of it", c.why)
		require.EqualValues(t, 1, l.Stats().Refused)
	}
}
