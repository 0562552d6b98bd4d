package derbyrows

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

func TestARunThatStartsAsSoonAsAllAreThereStartsOnceForEach(t *testing.T) {
	var l *lobby
	l = newLobby(t, func(c *derby.HostConfig) {
		c.Roster = func(players []derby.PlayerInfo) {
			if len(players) == 2 {
				require.NoError(t, l.StartRun(derby.StartRun{}))
				require.NoError(t, l.StartRound(derby.RoundStart{}))
				require.NoError(t, l.StartTurn(derby.TurnStart{Batter: 1}))
			}
		}
	})
	first, last := l.joins(), l.connects()
	l.forget()
	last.says(&hello)
	l.turn()
	require.Equal(t, []string{"Roster", "StartRun", "IntroProgress", "RoundStart", "TurnStart"}, first.names())
	require.Equal(t, []string{"Welcome", "Roster", "StartRun", "IntroProgress", "RoundStart", "TurnStart"}, last.names())
}

func TestANewcomerUnderTheNumberOfABatterWhoLeftIsNotAtThePlate(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	l.plays(list[1])
	list[1].conn.Abort()
	l.turn()
	l.peers = l.peers[:1] // the next connection gets the same number
	back := l.joins()
	require.Equal(t, []string{"Welcome", "Roster", "StartRun", "RoundStart", "IntroProgress"}, back.names())
	back.says(&derby.AtBatBegin{Batter: 2})
	l.turn()
	require.NotContains(t, list[0].names(), "AtBatBegin")
}

func TestANewcomerDoesNotTakeTheNumberOfSomebodyInTheOrderOfTheRun(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	require.NoError(t, l.StartRun(derby.StartRun{Order: []derby.PlayerID{1, 2}}))
	list[1].conn.Abort()
	l.turn()
	l.peers = l.peers[:1] // the next connection gets the same number
	back := l.connects()
	back.says(&hello)
	l.turn()
	require.EqualValues(t, 3, last[derby.Welcome](back).Player, "who comes in the middle of a run watches, and is not who had left")
	require.Error(t, l.StartTurn(derby.TurnStart{Batter: 2}))
}

func TestANewcomerIsToldThatTheShopIsOpen(t *testing.T) {
	l := newLobby(t)
	list := l.joined(1)
	l.plays(list[0])
	list[0].says(&derby.IntroDone{})
	l.turn()
	require.NoError(t, l.EndRound(derby.RoundEnd{Cleared: true, TeamScore: 3}))
	late := l.joins()
	require.EqualValues(t, 3, last[derby.RoundEnd](late).TeamScore, "it is waited for, so it has to know for what")
	require.Equal(t, []string{"Welcome", "Roster", "StartRun", "RoundEnd", "ReadyState"}, late.names())
}

func TestWhoComesBackUnderTheSameNumberHasNotReadTheIntro(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	require.NoError(t, l.StartRun(derby.StartRun{}))
	list[1].says(&derby.IntroDone{})
	l.turn()
	list[1].conn.Abort()
	l.turn()
	l.peers = l.peers[:1] // the next connection gets the same number
	back := l.joins()
	require.EqualValues(t, 2, l.id(back))
	list[0].says(&derby.IntroDone{})
	l.turn()
	require.Zero(t, l.intros)
	require.Equal(t, []derby.PlayerID{2}, last[derby.IntroProgress](list[0]).Waiting)
}

func TestANewRunOrRoundSendsNobodyToThePlate(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	l.plays(list[0])
	require.NoError(t, l.StartRound(derby.RoundStart{Inning: 1}))
	_, batting := l.Batter()
	require.False(t, batting)
	l.plays(list[0])
	require.NoError(t, l.StartRun(derby.StartRun{}))
	_, batting = l.Batter()
	require.False(t, batting)
	require.ErrorContains(t, l.StartTurn(derby.TurnStart{Batter: 1}), "call StartRound first")
}

func TestWhoLeftWhileItsDialFailedMayDialAgain(t *testing.T) {
	c, err := derby.NewClient(derby.ClientConfig{})
	require.NoError(t, err)
	require.NoError(t, c.Leave())
	c.Router().Route(transport.Event{Kind: transport.DialFailed, Err: errors.New("cancelled")})
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop})
	require.NoError(t, err)
	c.Router().Pump(client)
	r := &raw{T: t, conn: host}
	r.listen()
	require.Equal(t, []string{"Hello"}, r.names())
}

func TestANewcomerIsNotToldOfATurnThatIsOver(t *testing.T) {
	l := newLobby(t)
	list := l.joined(1)
	l.plays(list[0])
	list[0].says(&derby.TurnEnd{})
	l.turn()
	require.Equal(t, []string{"Welcome", "Roster", "StartRun", "RoundStart", "IntroProgress"}, l.joins().names())
}
