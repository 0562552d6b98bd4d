package derbyrows

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

var numberRows = map[string]func(*testing.T){
	"N066": func(t *testing.T) {
		require.EqualValues(t, 30, time.Second/derby.PoseInterval)
		for _, e := range derby.Catalogue.Entries {
			if e.Name == "AtBatPose" {
				require.Equal(t, []int{41, 41}, []int{e.MinSize, e.MaxSize})
			}
		}
		// A second of them, as they are and turned around by the network.
		g := inRun(t)
		g.hears(&derby.TurnStart{}, &derby.AtBatPose{T: 9})
		require.Equal(t, []string{"TurnStart"}, g.shown, "nobody is at the plate yet: it may be of the turn before")
		require.EqualValues(t, 1, g.Stats().Stale)
		g.hears(&derby.AtBatBegin{})
		g.shown, g.times = nil, nil
		for i := range 30 {
			g.hears(&derby.AtBatPose{T: 10 + float32(i^1)/30})
		}
		require.Len(t, g.shown, 15, "one older than one that was shown is dropped")
		require.EqualValues(t, 1+15, g.Stats().Stale)
		require.True(t, slices.IsSorted(g.times))
		before := g.times[14]
		g.hears(&derby.AtBatSwing{PressTime: 12}, &derby.AtBatPose{T: 11.01}) // by the swing, what was shown before was late
		require.Equal(t, before, g.times[16], "and yet nothing steps back")
	},
	"N067": func(t *testing.T) {
		for _, v := range vectors(t) {
			m := decoded(v.bytes)
			require.NotNil(t, m, v.name)
			require.Equal(t, v.bytes, encoded(m), v.name)
		}
		for id, kind := range kinds {
			if m := kind(); id != 12 {
				require.Equal(t, m, emptied(decoded(encoded(m))))
			}
		}
	},
	"N068": func(t *testing.T) {
		l := newLobby(t, withSelf)
		list := l.joined(3)
		require.NoError(t, l.StartRun(derby.StartRun{}))
		l.turn()
		progress := func() derby.IntroProgress { return *last[derby.IntroProgress](l.peers[2]) }
		require.Equal(t, derby.IntroProgress{Total: 4, Waiting: []derby.PlayerID{0, 1, 2, 3}}, progress())
		list[0].says(&derby.IntroDone{})
		l.IntroDone()
		l.turn()
		require.Equal(t, derby.IntroProgress{Done: 2, Total: 4, Waiting: []derby.PlayerID{2, 3}}, progress())
		list[0].says(&derby.IntroDone{})
		l.turn()
		require.EqualValues(t, 1, l.Stats().OutOfPhase, "twice is once")

		list[0].conn.Abort() // who is done, and leaves
		l.turn()
		require.Equal(t, derby.IntroProgress{Done: 1, Total: 3, Waiting: []derby.PlayerID{2, 3}}, progress())
		dan := l.joins() // who comes while others read reads as well
		require.Equal(t, []string{"Welcome", "Roster", "StartRun", "IntroProgress"}, dan.names())
		require.Equal(t, derby.IntroProgress{Done: 1, Total: 4, Waiting: []derby.PlayerID{2, 3, 4}}, progress())
		list[2].says(&derby.IntroDone{})
		dan.says(&derby.IntroDone{})
		l.turn()
		require.Zero(t, l.intros)
		list[1].conn.Abort() // the last one who was waited for leaves
		l.turn()
		require.Equal(t, derby.IntroProgress{Done: 3, Total: 3}, progress())
		require.Equal(t, 1, l.intros)
		dan.says(&derby.IntroDone{})
		l.turn()
		require.Equal(t, 1, l.intros, "the gate is passed once")
	},
	"N069": func(t *testing.T) {
		l := newLobby(t)
		list := l.joined(2)
		l.plays(list[0])
		require.NoError(t, l.EndRound(derby.RoundEnd{}))
		l.turn()
		l.forget()
		l.EndRun()
		list[0].says(&derby.IntroDone{})
		list[1].says(&derby.IntroDone{})
		l.turn()
		require.Zero(t, l.intros, "nobody is waited for any more")
		require.EqualValues(t, 2, l.Stats().OutOfPhase)
		require.Empty(t, list[0].names())
		require.Empty(t, list[1].names())
		require.Empty(t, l.shown)
		require.Error(t, l.StartRound(derby.RoundStart{}), "it is over all the same")
		late := l.joins()
		require.Equal(t, []string{"Welcome", "Roster"}, late.names(), "and nobody is told of it")
	},
}

// emptied has no empty lists, so that it can be compared with a zero value.
func emptied(m msgs.Message) msgs.Message {
	switch m := m.(type) {
	case *derby.Hello:
		m.Player.Cosmetics = nil
	case *derby.Roster:
		m.Players = nil
	case *derby.SetBatter:
		m.Cosmetics = nil
	case *derby.StartRun:
		m.Order = nil
	case *derby.ReadyState:
		m.Ready = nil
	case *derby.IntroProgress:
		m.Waiting = nil
	case *derby.AtBatPitch:
		m.Decoys = nil
	}
	return m
}

func TestAnEmptyLobbyPassesNoGate(t *testing.T) {
	l := newLobby(t)
	require.NoError(t, l.StartRun(derby.StartRun{}))
	require.Zero(t, l.intros)
	ann := l.joins()
	ann.conn.Abort()
	l.turn()
	require.Zero(t, l.intros)
	bob := l.joins()
	bob.says(&derby.IntroDone{})
	l.turn()
	require.Equal(t, 1, l.intros)
}

// The shop is the other gate, with the same rule: who is waited for follows from the roster, whatever happens to it.
func TestTheShopWaitsForNobodyWhoHasLeft(t *testing.T) {
	for _, leaves := range []struct {
		how string
		do  func(l *lobby, r *raw)
	}{
		{"says goodbye", func(_ *lobby, r *raw) { r.says(&derby.Leave{}) }},
		{"goes without a word", func(_ *lobby, r *raw) { r.conn.Abort() }},
		{"is kicked", func(l *lobby, r *raw) { require.NoError(l, l.Kick(l.id(r), "idle")) }},
		{"does both", func(_ *lobby, r *raw) { r.says(&derby.Leave{}); r.conn.Abort() }},
	} {
		t.Run(leaves.how, func(t *testing.T) {
			l := newLobby(t)
			list := l.joined(4)
			l.plays(list[0])
			require.NoError(t, l.EndRound(derby.RoundEnd{Cleared: true}))
			for _, r := range list[:3] {
				r.says(&derby.ShopReady{})
			}
			l.turn()
			require.Zero(t, l.shops)
			list[2].says(&derby.ShopReady{}) // once more, and goes with the last one in the same frame
			leaves.do(l, list[2])
			leaves.do(l, list[3])
			l.turn()
			l.turn()
			require.Equal(t, 1, l.shops)
			require.Len(t, l.Roster(), 2)
		})
	}
}

func TestWhoComesBackIsNotReadyYet(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	l.plays(list[0])
	require.NoError(t, l.EndRound(derby.RoundEnd{Cleared: true}))
	list[1].says(&derby.ShopReady{})
	l.turn()
	list[1].conn.Abort()
	l.turn()
	l.peers = l.peers[:1] // the next one gets the same number
	back := l.joins()
	require.EqualValues(t, 2, l.id(back))
	list[0].says(&derby.ShopReady{})
	l.turn()
	require.Zero(t, l.shops)
	require.Equal(t, []derby.PlayerID{1}, last[derby.ReadyState](list[0]).Ready)
	back.says(&derby.ShopReady{})
	l.turn()
	require.Equal(t, 1, l.shops)
}

func TestANewcomerIsToldWhereTheMatchStands(t *testing.T) {
	l := newLobby(t)
	list := l.joined(1)
	order := []derby.PlayerID{1}
	require.NoError(t, l.StartRun(derby.StartRun{Seed: 7, Order: order}))
	order[0] = 99 // is the caller's again
	list[0].says(&derby.IntroDone{})
	l.turn()
	require.Equal(t, []string{"Welcome", "Roster", "StartRun"}, l.joins().names())
	require.NoError(t, l.StartRound(derby.RoundStart{Inning: 2}))
	require.Equal(t, []string{"Welcome", "Roster", "StartRun", "RoundStart"}, l.joins().names())
	require.NoError(t, l.StartTurn(derby.TurnStart{Batter: 1, TurnIndex: 5}))
	late := l.joins()
	require.Equal(t, derby.StartRun{Seed: 7, Order: []derby.PlayerID{1}}, *last[derby.StartRun](late))
	require.EqualValues(t, 2, last[derby.RoundStart](late).Inning)
	require.EqualValues(t, 5, last[derby.TurnStart](late).TurnIndex)
	require.Equal(t, []string{"Welcome", "Roster", "StartRun", "RoundStart", "TurnStart"}, late.names())

	list[0].says(&derby.AtBatBegin{Batter: 1})
	l.turn()
	require.Equal(t, []string{"AtBatBegin"}, late.names(), "and sees what comes")
	require.NoError(t, l.EndRound(derby.RoundEnd{}))
	l.turn()
	require.Equal(t, []string{"Welcome", "Roster", "StartRun"}, l.joins().names())
}

func TestABrokenRosterChangesNothing(t *testing.T) {
	g := admitted(t)
	whole := encoded(&derby.Roster{Players: []derby.PlayerInfo{{ID: 5, Name: "Ann"}, {ID: 6, Name: "Bob"}, {ID: 7, Name: "Cem"}}})
	g.hears(&derby.Roster{Players: []derby.PlayerInfo{{ID: 5, Name: "Eve", Cosmetics: []derby.ItemID{"hat"}}, {ID: 6}, {ID: 7}}})
	before := fmt.Sprint(g.Roster())
	g.host.bytes(whole[:len(whole)-5], transport.ReliableOrdered)
	g.host.bytes(append(whole, 0), transport.ReliableOrdered)
	g.turn()
	require.Equal(t, before, fmt.Sprint(g.Roster()))
	require.Equal(t, 1, g.tables)
	require.Equal(t, "malformed=1 unread=1", g.drops())
}

func TestAHostThatClosesTellsEverybodyAndKeepsItsRoster(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	stranger := l.connects()
	require.NoError(t, l.Close())
	stranger.listen()
	l.turn()
	for _, r := range append(list, stranger) {
		require.Equal(t, []string{"Leave"}, r.names())
		require.Error(t, r.ended)
	}
	require.Len(t, l.Roster(), 2)
	require.Empty(t, l.rosters)
	late := l.connects()
	late.says(&hello)
	l.turn()
	require.Equal(t, "the host has left", last[derby.Refuse](late).Reason)
}

func TestWhoIsKickedReadsWhyAndIsGoneAtOnce(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	l.plays(list[1])
	list[1].says(&derby.PlayFeed{Batter: 2})
	require.NoError(t, l.Kick(2, "idle"))
	require.Len(t, l.Roster(), 1)
	_, batting := l.Batter()
	require.False(t, batting)
	l.turn()
	require.Equal(t, "idle", last[derby.Refuse](list[1]).Reason)
	require.Error(t, list[1].ended)
	require.NotContains(t, l.shown, "2: PlayFeed", "what he said before counts no more")
	require.Error(t, l.Kick(2, "again"))
	require.Len(t, l.rosters, 1)
}

func TestALobbyIsFullByPlayersOrByBytes(t *testing.T) {
	l := newLobby(t, withSelf, func(c *derby.HostConfig) { c.MaxPlayers = 3 })
	l.joined(2)
	late := l.connects()
	late.says(&hello)
	l.turn()
	require.Equal(t, "the lobby is full: 3 of 3 players are there", last[derby.Refuse](late).Reason)

	// Over a pipe of 200 bytes, a roster of two long names fits and one of three does not, whoever of the three has that pipe.
	for narrowOne := range uint8(3) {
		host, err := derby.NewHost(derby.HostConfig{})
		require.NoError(t, err)
		var ends []*pipe
		for id := range uint8(3) {
			clientEnd, hostEnd := newPipe()
			ends = append(ends, clientEnd)
			var p derby.Pipe = hostEnd
			if id == narrowOne {
				p = narrow{hostEnd}
			}
			conn, err := derby.AcceptPipe(p, id+1, func() int64 { return 0 })
			require.NoError(t, err)
			m := hello
			m.Player.Name = "a name of sixty-four bytes, which is as many as a name may take!"
			require.NoError(t, clientEnd.Send(encoded(&m)))
			host.Router().Pump(conn)
		}
		require.Len(t, host.Roster(), 2)
		answers := ends[2].in.waiting
		require.Contains(t, decoded(answers[len(answers)-1]).(*derby.Refuse).Reason, "would not fit into a message")
	}
}

func TestTheHostIsToldWhatItDidWrong(t *testing.T) {
	l := newLobby(t)
	list := l.joined(1)
	require.ErrorContains(t, l.StartRound(derby.RoundStart{}), "call StartRun first")
	require.ErrorContains(t, l.StartRun(derby.StartRun{Order: []derby.PlayerID{1, 9}}), "player 9 is not in the roster")
	require.ErrorContains(t, l.StartRun(derby.StartRun{ParkID: "a name of a park that is much too long"}), "ParkID")
	require.NoError(t, l.StartRun(derby.StartRun{}))
	require.ErrorContains(t, l.StartTurn(derby.TurnStart{Batter: 1}), "call StartRound first")
	require.ErrorContains(t, l.EndRound(derby.RoundEnd{}), "call StartRound first")
	require.NoError(t, l.StartRound(derby.RoundStart{}))
	require.ErrorContains(t, l.StartTurn(derby.TurnStart{Batter: 9}), "player 9 is not in the roster")
	require.ErrorContains(t, l.EndTurn(derby.TurnEnd{}), "not at the plate")
	require.ErrorContains(t, l.SetBatter("elk"), "set HostConfig.Self")
	require.ErrorContains(t, l.Ping(9), "no player 9")
	l.turn()
	require.Equal(t, []string{"StartRun", "IntroProgress", "RoundStart"}, list[0].names(), "nothing of that was sent")

	for field, c := range map[string]derby.HostConfig{
		"MaxPlayers": {MaxPlayers: 256}, "MaxDecoys": {MaxDecoys: -1}, "Self": {Self: &derby.PlayerInfo{Name: "\xff"}},
	} {
		_, err := derby.NewHost(c)
		require.ErrorContains(t, err, field)
	}
	_, err := derby.NewClient(derby.ClientConfig{Self: derby.PlayerInfo{BatterID: "a batter whose name is much too long"}})
	require.ErrorContains(t, err, "BatterID")
	_, err = derby.NewClient(derby.ClientConfig{MaxDecoys: 256})
	require.ErrorContains(t, err, "MaxDecoys")
	c, err := derby.NewClient(derby.ClientConfig{})
	require.NoError(t, err)
	require.ErrorContains(t, c.Ping(), "set Clock")
	require.ErrorIs(t, c.SetBatter("elk"), transport.ErrNotConnected)
}

func TestThePlayerAtTheHostPlaysAsAllOthers(t *testing.T) {
	l := newLobby(t, withSelf)
	ann := l.joined(1)[0]
	require.NoError(t, l.SetBatter("elk", "hat"))
	l.turn()
	require.Equal(t, derby.PlayerInfo{Name: "Host", BatterID: "elk", Cosmetics: []derby.ItemID{"hat"}, Connected: true}, last[derby.Roster](ann).Players[0])
	require.NoError(t, l.StartRun(derby.StartRun{}))
	require.NoError(t, l.StartRound(derby.RoundStart{}))
	require.NoError(t, l.StartTurn(derby.TurnStart{Batter: 0}))
	l.turn()
	l.forget()
	require.NoError(t, derby.AtBatBegin{}.Send(l.ToAll()))
	require.NoError(t, derby.AtBatPose{T: 1}.Send(l.ToAll()))
	ann.says(&derby.AtBatSwing{})
	ann.says(&derby.TurnEnd{})
	l.turn()
	require.Equal(t, []string{"AtBatBegin", "AtBatPose"}, ann.names())
	require.EqualValues(t, 2, l.Stats().OutOfTurn)
	require.NoError(t, l.EndTurn(derby.TurnEnd{ScoreGained: 3, HomeRuns: 1}))
	require.Equal(t, []string{"0: TurnEnd"}, l.shown)
	require.Equal(t, &derby.TurnEnd{ScoreGained: 3}, l.lastShown[0])
	require.NoError(t, l.EndRound(derby.RoundEnd{Cleared: true}))
	ann.says(&derby.ShopReady{})
	l.turn()
	require.Zero(t, l.shops)
	l.ShopReady()
	require.Equal(t, 1, l.shops)
	require.Error(t, l.Kick(0, "it is his lobby"))
}

func TestAClientThatComesBackBeginsAnew(t *testing.T) {
	g := inRun(t)
	g.hears(&derby.Roster{Players: []derby.PlayerInfo{{ID: 5}}}, &derby.Leave{})
	require.Len(t, g.ends, 1)
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Clock: func() int64 { return g.now }})
	require.NoError(t, err)
	g.turn()
	g.conn, g.host = client, &raw{T: t, conn: host}
	g.turn()
	require.Equal(t, []string{"Hello"}, g.host.names())
	require.Zero(t, g.ID())
	require.Empty(t, g.Roster())
	g.hears(&derby.Welcome{Player: 6}, &derby.RoundStart{})
	require.EqualValues(t, 6, g.ID())
	require.Empty(t, g.shown, "there is no run in this session")
	host.Abort()
	g.turn()
	require.Len(t, g.ends, 2)
}

// narrow is a pipe for short messages.
type narrow struct{ *pipe }

func (narrow) MaxMessage() int { return 200 }

func TestAChoiceThatWouldNotFitIsLeftAlone(t *testing.T) {
	host, err := derby.NewHost(derby.HostConfig{})
	require.NoError(t, err)
	clientEnd, hostEnd := newPipe()
	conn, err := derby.AcceptPipe(narrow{hostEnd}, 1, func() int64 { return 0 })
	require.NoError(t, err)
	require.NoError(t, clientEnd.Send(encoded(&hello)))
	require.NoError(t, clientEnd.Send(encoded(&derby.SetBatter{BatterID: "elk", Cosmetics: slices.Repeat([]derby.ItemID{"hat"}, 40)})))
	host.Router().Pump(conn)
	require.Empty(t, host.Roster()[0].BatterID)
	require.EqualValues(t, 1, host.Stats().TooLarge)
}

func TestDecoysAreSixteenUnlessTheLobbySaysOtherwise(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	l.plays(list[0])
	list[0].says(&derby.AtBatPitch{Decoys: make([]derby.Vec3, 17)})
	l.turn()
	require.Empty(t, list[1].names())
	require.EqualValues(t, 1, l.Stats().TooMany)
	list[0].says(&derby.AtBatPitch{Decoys: make([]derby.Vec3, 16)})
	l.turn()
	require.Equal(t, []string{"AtBatPitch"}, list[1].names())

	g := inRun(t)
	g.hears(&derby.AtBatPitch{Decoys: make([]derby.Vec3, 17)})
	require.Empty(t, g.shown)
	require.EqualValues(t, 1, g.Stats().TooMany)
	g = inRun(t, func(c *derby.ClientConfig) { c.MaxDecoys = 255 })
	g.hears(&derby.AtBatPitch{Decoys: make([]derby.Vec3, 255)})
	require.Equal(t, []string{"AtBatPitch"}, g.shown)
}

func TestRelayingAPoseAllocatesNothing(t *testing.T) {
	host, err := derby.NewHost(derby.HostConfig{Game: func(derby.GameMessage) {}})
	require.NoError(t, err)
	var conns []*derby.PipeConn
	for id := range uint8(3) {
		clientEnd, hostEnd := newPipe()
		conn, err := derby.AcceptPipe(mute{hostEnd}, id+1, func() int64 { return 0 })
		require.NoError(t, err)
		require.NoError(t, clientEnd.Send(encoded(&hello)))
		host.Router().Pump(conn)
		conns = append(conns, conn)
	}
	require.NoError(t, host.StartRun(derby.StartRun{}))
	require.NoError(t, host.StartRound(derby.RoundStart{}))
	require.NoError(t, host.StartTurn(derby.TurnStart{Batter: 1}))
	pose := derby.AtBatPose{}
	b := encoded(&pose)
	begin := encoded(&derby.AtBatBegin{Batter: 1})
	says := func(b []byte, d transport.Delivery) {
		host.Router().Route(transport.Event{Kind: transport.Message, Conn: conns[0], Payload: b, Delivery: d})
		host.Router().RunFrame()
	}
	says(begin, transport.ReliableOrdered)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		pose.T++
		b, _ = pose.Append(b[:0])
		says(b, transport.Unreliable)
	}))
	require.Zero(t, host.Stats().Stale)
	require.Zero(t, host.Stats().OutOfTurn)
}

// mute is a pipe that takes messages and forgets them.
type mute struct{ *pipe }

func (mute) Send([]byte) error { return nil }
