package derbyrows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/derby"
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
