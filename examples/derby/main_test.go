package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/examples/derby/park"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// atEachVenue runs a test on the simulator with a tenth of all datagrams lost, inside the process, and on sockets with short frames.
func atEachVenue(t *testing.T, test func(t *testing.T, v venue)) {
	for name, open := range map[string]func() venue{
		"sim":      func() venue { v, _ := venueNamed("sim"); return v },
		"loopback": func() venue { return &pipes{} },
		"sockets":  func() venue { return newSockets(3 * time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // sockets wait more than they work
			v := open()
			defer v.close()
			test(t, v)
		})
	}
}

// newTestMatch is a match of two innings whose players have joined.
func newTestMatch(t *testing.T, v venue, out io.Writer, players int) *match {
	m, err := newMatch(out, v, rules{players: players, innings: 2})
	require.NoError(t, err)
	for i := range players {
		_, err := m.join(names[i])
		require.NoError(t, err)
	}
	return m
}

// once adds to the script something that is done once, as soon as it is possible.
func (m *match) once(possible func() bool, do func()) {
	before, done := m.script, false
	m.script = func() {
		before()
		if !done && possible() {
			done = true
			do()
		}
	}
}

// inTurn reports whether the given turn of the match is under way, and half over.
func (m *match) inTurn(n int) func() bool {
	frames := 0
	return func() bool {
		if m.server.atBat && int(m.server.turns) == n {
			frames++
		}
		return frames == 10
	}
}

// atPlate is the player whose turn it is.
func (m *match) atPlate() *player {
	id, _ := m.server.lobby.Batter()
	for _, p := range m.players {
		if p.client.ID() == id {
			return p
		}
	}
	return nil
}

// crash ends the program of a player. What is in the same process, or on a socket of this machine, is noticed at once.
func (m *match) crash(p *player) {
	p.frozen = true
	if _, silent := m.venue.(*simulator); !silent {
		p.link.(transport.Conn).Abort()
	}
}

func TestEightPlayersKeepAllPromisesAtEachVenue(t *testing.T) {
	atEachVenue(t, func(t *testing.T, v venue) {
		var out strings.Builder
		m := newTestMatch(t, v, &out, 8)
		require.NoError(t, m.play())
		require.Contains(t, out.String(), "server: the match is over: ")
		require.Contains(t, out.String(), "8 players have the same roster; each got all of ")
		require.EqualValues(t, 16, m.server.turns)
		for _, p := range m.players {
			require.ErrorIs(t, p.ended, derby.ErrHostLeft)
			require.Greater(t, len(p.heard), 16*4, "of each turn the start, and what others do in it")
			require.Greater(t, p.poses, 14*10, "most poses of 14 turns of others")
			require.Equal(t, 14, p.park.seen, "and each swing of them, by a call")
			require.Equal(t, []park.Coins{40}, p.park.prices, "asked in the shop between the innings")
		}
		require.Zero(t, m.server.lobby.Stats().Forged)
		require.Zero(t, m.server.park.calls.Stats().Drops.Total())
	})
}

func TestTheLossIsThere(t *testing.T) {
	v, err := venueNamed("sim")
	require.NoError(t, err)
	m := newTestMatch(t, v, io.Discard, 8)
	require.NoError(t, m.play())
	counts := v.(*simulator).nw.Counts()
	require.InDelta(t, 0.1, float64(counts.Lost())/float64(counts.Sent), 0.02)
	sent := m.venue.(*simulator).nw.TraceHash()

	again, err := venueNamed("sim")
	require.NoError(t, err)
	require.NoError(t, newTestMatch(t, again, io.Discard, 8).play())
	require.Equal(t, sent, again.(*simulator).nw.TraceHash(), "one seed is one match")
}

func TestPosesAreSentThirtyTimesASecond(t *testing.T) {
	v := newSimulator(sim.Conditions{Delay: 25 * time.Millisecond})
	m := newTestMatch(t, v, io.Discard, 2)
	var times []float32
	m.script = func() {
		if p := m.players[1]; m.server.turns == 1 && p.newest > 0 && (len(times) == 0 || times[len(times)-1] != p.newest) {
			times = append(times, p.newest)
		}
	}
	require.NoError(t, m.play())
	require.GreaterOrEqual(t, len(times), 15, "the last one leaves together with the end of the turn")
	for i := range times[1:] {
		require.InDelta(t, 1.0/30, times[i+1]-times[i], 1e-4)
	}
}

func TestAMatchSurvivesAJoinerACrashAKickAndALeaver(t *testing.T) {
	atEachVenue(t, func(t *testing.T, v venue) {
		var out strings.Builder
		m := newTestMatch(t, v, &out, 8)
		var late, crashed, kicked, left *player
		m.once(m.inTurn(3), func() {
			var err error
			late, err = m.join("late")
			require.NoError(t, err)
		})
		m.once(m.inTurn(5), func() { crashed = m.atPlate(); m.crash(crashed) })
		m.once(m.inTurn(6), func() {
			kicked = m.players[0]
			require.NoError(t, m.server.lobby.Kick(kicked.client.ID(), "idle"))
		})
		m.once(m.inTurn(7), func() { left = m.atPlate(); require.NoError(t, left.leave()) })
		require.NoError(t, m.play())

		require.Contains(t, out.String(), "6 players have the same roster")
		require.EqualValues(t, 8+5, m.server.turns, "nobody waits for those who have gone")
		require.True(t, crashed.frozen)
		var refused *derby.RefusedError
		require.ErrorAs(t, kicked.ended, &refused)
		require.Equal(t, "idle", refused.Reason)
		require.Error(t, left.ended)
		require.NotErrorIs(t, left.ended, derby.ErrHostLeft)

		require.ErrorIs(t, late.ended, derby.ErrHostLeft)
		require.Contains(t, late.heard[0], "*derby.RoundStart", "a newcomer is told where the match stands")
		require.Contains(t, late.heard[1], "*derby.TurnStart")
		require.Greater(t, late.poses, 50)
		require.Empty(t, late.faults)
	})
}

func TestNewcomersAreWelcomeAtAnyMoment(t *testing.T) {
	atEachVenue(t, func(t *testing.T, v venue) {
		m := newTestMatch(t, v, io.Discard, 3)
		join := func() {
			_, err := m.join(fmt.Sprint("late ", len(m.players)))
			require.NoError(t, err)
		}
		m.once(func() bool { return m.players[0].readsIn > 0 }, join)
		m.once(func() bool { return m.server.turns == 1 && !m.server.atBat }, join)
		m.once(func() bool { return m.server.shop != nil }, join)
		m.once(m.inTurn(4), func() { m.crash(m.atPlate()); join() })
		require.NoError(t, m.play())
		require.EqualValues(t, 6, m.server.turns, "who came late only watches")
		require.Len(t, m.players, 7)
	})
}

func TestAServerThatShutsDownInTheMiddleSaysSo(t *testing.T) {
	atEachVenue(t, func(t *testing.T, v venue) {
		m := newTestMatch(t, v, io.Discard, 4)
		m.once(m.inTurn(2), func() { require.NoError(t, m.server.lobby.Close()) })
		require.True(t, m.until(m.everybodyHasLeft))
		for _, p := range m.players {
			require.ErrorIs(t, p.ended, derby.ErrHostLeft)
			require.Empty(t, p.faults)
		}
	})
}

// A player who cheats in every way that the messages allow changes nothing for the others.
func TestForgedMessagesAreCorrectedOrDroppedAndTheMatchGoesOn(t *testing.T) {
	atEachVenue(t, func(t *testing.T, v venue) {
		m := newTestMatch(t, v, io.Discard, 8)
		cheat := m.players[1]
		m.once(m.inTurn(1), func() { // while the first player bats
			id, all := m.atPlate().client.ID(), cheat.client.ToAll()
			require.NoError(t, derby.PlayFeed{Batter: id, Headline: "I am somebody else"}.Send(all))
			cheat.said = append(cheat.said, words(&derby.PlayFeed{Batter: cheat.client.ID(), Headline: "I am somebody else"})) // that is what is made of it
			require.NoError(t, derby.AtBatBegin{Batter: id}.Send(all))
			require.NoError(t, derby.AtBatBegin{Batter: cheat.client.ID()}.Send(all))
			require.NoError(t, derby.AtBatSwing{PressTime: 1e30}.Send(all))
			require.NoError(t, derby.AtBatResult{IsHomeRun: false}.Send(all))
			require.NoError(t, derby.TurnEnd{ScoreGained: 1000}.Send(all))
			require.NoError(t, park.BatRef{ID: m.server.park.bats[id]}.Swing(cheat.park.calls.Server(), 90))
			for _, m := range []msgs.Message{&derby.RoundEnd{}, &derby.TurnStart{Batter: cheat.client.ID()}, &derby.Roster{}, &derby.StartRun{}, &derby.Welcome{}} {
				b, err := m.Append(nil)
				require.NoError(t, err)
				require.NoError(t, cheat.link.(transport.Conn).Send(b, transport.SendOptions{Delivery: transport.ReliableOrdered}))
			}
		})
		require.NoError(t, m.play())

		stats, drops := m.server.lobby.Stats(), m.server.lobby.Router().Stats().Drops
		require.EqualValues(t, 2, stats.Forged)
		require.GreaterOrEqual(t, stats.OutOfTurn, uint64(4))
		require.EqualValues(t, 5, drops[msgs.DropDirection])
		require.Equal(t, "owner=1", m.server.park.calls.Stats().Drops.String(), "nobody swings the bat of somebody else")
		require.EqualValues(t, 16, m.server.turns)
		require.Less(t, m.server.score, int32(17))
		for _, p := range m.players {
			text := strings.Join(p.heard, "\n")
			require.NotContains(t, text, "PressTime:1e+30")
			said := fmt.Sprintf("PlayFeed &{Batter:%d Headline:I am somebody else", cheat.client.ID())
			require.Equal(t, p != cheat, strings.Contains(text, said), "who said it")
		}
	})
}

func TestABrokenPromiseIsReported(t *testing.T) {
	broken := func(do func(m *match)) error {
		m := newTestMatch(t, &pipes{}, io.Discard, 3)
		m.once(func() bool { return m.server.over && m.everybodyKnows() }, func() { do(m) })
		require.True(t, m.until(func() bool { return m.server.over }))
		require.True(t, m.until(m.everybodyKnows))
		m.script()
		return m.verdict()
	}
	require.NoError(t, broken(func(*match) {}))
	require.ErrorContains(t, broken(func(m *match) { p := m.players[0]; p.heard = p.heard[1:] }), "Ann did not hear")
	require.ErrorContains(t, broken(func(m *match) { h := m.players[1].heard; h[3], h[4] = h[4], h[3] }), "Bob did not hear")
	require.ErrorContains(t, broken(func(m *match) { h := &m.players[1].heard; *h = append(*h, (*h)[len(*h)-1]) }), "Bob did not hear")
	require.ErrorContains(t, broken(func(m *match) { p := m.players[1]; p.said = append(p.said, "a word") }), "did not hear what Bob said")
	require.ErrorContains(t, broken(func(m *match) { m.players[2].client.Roster()[0].Name = "somebody" }), "Cem has the roster")
	require.ErrorContains(t, broken(func(m *match) { m.players[0].park.seen++ }), "Ann saw 5 swings, not 4")
	require.ErrorContains(t, broken(func(m *match) { clear(m.players[1].park.bats) }), "Bob knows the bats map[]")
	require.ErrorContains(t, broken(func(m *match) { m.players[2].park.prices[0]++ }), "Cem was told that oak costs 41")
	require.ErrorContains(t, broken(func(m *match) { p := m.players[2]; p.watch(&derby.AtBatPose{T: p.newest}, p.shown) }), "came after")
	require.ErrorContains(t, broken(func(m *match) { p := m.players[2]; p.watch(&derby.AtBatPose{T: 1e9}, p.shown-1) }), "is shown at")
}
