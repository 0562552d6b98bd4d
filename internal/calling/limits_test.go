package calling

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/internal/testflag"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// unlimited has no budget, so that only rates count.
func unlimited(c *rpc.Config) { c.Budget = rpc.Budget{Calls: -1, Bytes: -1, Time: -1} }

var ordered = transport.SendOptions{Delivery: transport.ReliableOrdered}

// forges sends a frame that the client's own account would not let pass.
func (s *side) forges(b []byte) {
	require.NoError(s.table, s.router.Host().Conn().Send(b, ordered))
}

// play puts a session into the state playing at both ends.
func (tb *table) play(s *side) {
	require.NoError(tb, s.peer.Enter(arena.StatePlaying))
	require.NoError(tb, s.router.Host().Enter(arena.StatePlaying))
}

func TestACallThatComesEarlierThanItsRateIsDroppedAndMovesNothing(t *testing.T) {
	tb := sit(t, 2, unlimited)
	tb.play(tb.clients[0])
	tb.play(tb.clients[1])
	spawns := func(s *side, after time.Duration) bool {
		tb.now += int64(after)
		s.forges(frame(spawn, bits(1, 16)))
		tb.plays()
		return len(tb.happened()) == 1
	}
	first := tb.clients[0]
	require.True(t, spawns(first, 0), "the first is always in time")
	require.False(t, spawns(first, 499*time.Millisecond), "2 a second")
	require.True(t, spawns(first, time.Millisecond), "half a second after the one that was taken, not after the one that was dropped")
	require.False(t, spawns(first, 0))
	require.True(t, spawns(tb.clients[1], 0), "another client has an account of its own")
	first.forges(frame(hello))
	tb.plays()
	require.Equal(t, []string{"player 1: hello"}, tb.happened(), "and another method")
	require.Equal(t, "rate=2", tb.server.drops())
}

func TestARateOfNTakesNCallsASecondAndNotOneMore(t *testing.T) {
	for _, c := range []struct{ perSecond, taken int }{{2, 100}, {3, 100}} {
		tb := sit(t, 1, unlimited)
		tb.play(tb.clients[0])
		for range 50 * c.perSecond {
			tb.clients[0].forges(frame(spawn, bits(1, 16)))
			tb.plays()
			tb.now += int64(time.Second) / int64(c.perSecond)
		}
		if c.perSecond == 2 {
			require.Len(t, tb.diary, 100)
		} else {
			require.Less(t, len(tb.diary), 100)
		}
	}
}

func TestAFloodRunsNoMoreThanTheRateAndItsBurst(t *testing.T) {
	tb := sit(t, 1, unlimited)
	tb.now += int64(30 * 24 * time.Hour) // where a float32 of seconds has no milliseconds left
	id, _ := tb.hangs()
	call := frame(toggle, on(id), bits(0, 2), pos)
	atOnce := 10
	if testflag.Long() {
		atOnce = 100
	}
	for range 6000 { // 100 times a second, for a minute
		for range atOnce {
			tb.clients[0].forges(call)
		}
		tb.plays()
		tb.now += int64(10 * time.Millisecond)
	}
	require.InDelta(t, 600+3, len(tb.diary), 1)
	require.Equal(t, uint64(6000*atOnce-len(tb.diary)), tb.server.Stats().Drops[rpc.DropRate])
	require.InDelta(t, 6000*atOnce/(10*30+3), tb.server.Stats().Floods, 10, "told anew after as many more")
}

func TestAClockThatJumpsBackStopsNobody(t *testing.T) {
	tb := sit(t, 1, unlimited)
	tb.play(tb.clients[0])
	tb.clients[0].forges(frame(spawn, bits(1, 16)))
	tb.plays()
	tb.now -= int64(time.Minute)
	tb.clients[0].forges(frame(spawn, bits(1, 16)))
	tb.plays()
	require.Len(t, tb.happened(), 2)
}

func TestAStallIsNoFloodAndAFloodIs(t *testing.T) {
	var floods []rpc.Flood
	stalls := func(c *rpc.Config) {
		unlimited(c)
		c.OnFlood = func(p *msgs.Peer, f rpc.Flood) { floods = append(floods, f); p.Kick(9, "flood") }
	}
	tb := sit(t, 1, stalls)
	id, _ := tb.hangs()
	call := frame(toggle, on(id), bits(0, 2), pos)

	t.Log("after each minute the server stands still for 25 s, in which the client goes on to call at its rate; then all comes at once")
	for range 10 {
		for range 250 {
			tb.clients[0].forges(call)
		}
		tb.plays()
		tb.now += int64(25 * time.Second)
		for range 350 {
			tb.clients[0].forges(call)
			tb.plays()
			tb.now += int64(100 * time.Millisecond)
		}
	}
	require.Empty(t, floods)
	require.Nil(t, tb.clients[0].router.Host().Conn().Err())
	require.NotZero(t, tb.server.Stats().Drops[rpc.DropRate], "what was too much was dropped")

	t.Log("five times the rate is too much after ten seconds")
	for i := 0; i < 10*50 && len(floods) == 0; i++ {
		tb.clients[0].forges(call)
		tb.plays()
		tb.now += int64(20 * time.Millisecond)
	}
	require.Len(t, floods, 1)
	require.Equal(t, "DoorServer.Toggle", floods[0].Method)
	require.NotNil(t, tb.clients[0].router.Host().Conn().Err())
}

func TestTheClientForeseesTheRate(t *testing.T) {
	tb := sit(t, 1, unlimited)
	tb.play(tb.clients[0])
	to := tb.clients[0].Server()
	require.NoError(t, arena.LevelRef{}.Spawn(to, 1))
	require.ErrorIs(t, arena.LevelRef{}.Spawn(to, 2), rpc.ErrRate)
	tb.passes(499 * time.Millisecond)
	require.ErrorIs(t, arena.LevelRef{}.Spawn(to, 3), rpc.ErrRate)
	tb.passes(time.Millisecond)
	require.NoError(t, arena.LevelRef{}.Spawn(to, 4))
	tb.plays()
	require.Equal(t, []string{"player 1: spawn 1", "player 1: spawn 4"}, tb.happened())
	require.Equal(t, "none", tb.server.drops(), "so the server drops nothing")

	t.Log("what was not sent is not charged")
	tb.passes(time.Second)
	require.NoError(t, tb.clients[0].router.Host().Enter(arena.StateLobby))
	require.ErrorIs(t, arena.LevelRef{}.Spawn(to, 5), rpc.ErrState)
	require.NoError(t, tb.clients[0].router.Host().Enter(arena.StatePlaying))
	require.NoError(t, arena.LevelRef{}.Spawn(to, 6))
	id, _ := tb.hangs()
	for range 10 {
		require.ErrorIs(t, arena.DoorRef{ID: id}.Toggle(to, 3, arena.Pos{}), wire.ErrEnum)
	}
	for range 3 {
		require.NoError(t, arena.DoorRef{ID: id}.Toggle(to, arena.Open, arena.Pos{}))
	}
	require.ErrorIs(t, arena.DoorRef{ID: id}.Toggle(to, arena.Open, arena.Pos{}), rpc.ErrRate)
}

func TestABudgetBoundsCallsBytesAndTime(t *testing.T) {
	t.Run("calls", func(t *testing.T) {
		tb := sit(t, 2, func(c *rpc.Config) { c.Budget = rpc.Budget{Calls: 10, CallsAtOnce: 5} })
		for range 20 {
			tb.clients[0].forges(frame(hello))
		}
		tb.clients[1].forges(frame(hello))
		tb.plays()
		require.Len(t, tb.happened(), 5+1, "another client has its own")
		tb.now += int64(100 * time.Millisecond)
		tb.clients[0].forges(frame(hello))
		tb.clients[0].forges(frame(control, bits(1, 1), bits(7, 16)))
		tb.plays()
		require.Len(t, tb.happened(), 1)
		require.Equal(t, uint64(15+1), tb.server.Stats().Drops[rpc.DropBudget], "control frames count")
	})
	t.Run("bytes", func(t *testing.T) {
		tb := sit(t, 1, func(c *rpc.Config) { c.Budget = rpc.Budget{Bytes: 100, BytesAtOnce: 300} })
		long := string(make([]byte, 31))
		for range 20 {
			require.NoError(t, arena.LevelRef{}.Say(tb.clients[0].Server(), long))
		}
		tb.plays()
		require.InDelta(t, 300/33, len(tb.happened()), 1)
	})
	t.Run("time", func(t *testing.T) {
		var spent int64
		tb := sit(t, 1, func(c *rpc.Config) {
			c.Clock = func() int64 { spent += int64(50 * time.Millisecond); return spent } // so each call takes 50 ms
			c.Budget = rpc.Budget{Time: 100 * time.Millisecond, TimeAtOnce: 200 * time.Millisecond}
		})
		for range 20 {
			tb.clients[0].forges(frame(hello))
		}
		tb.plays()
		require.Len(t, tb.happened(), 4)
		tb.now += int64(time.Second)
		for range 20 {
			tb.clients[0].forges(frame(hello))
		}
		tb.plays()
		require.Len(t, tb.happened(), 2, "100 ms are earned in a second")
		require.Equal(t, uint64(34), tb.server.Stats().Drops[rpc.DropBudget])
	})
}

func TestNobodyLimitsTheServer(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Budget = rpc.Budget{Calls: 1, CallsAtOnce: 1} })
	for range 100 {
		require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.All(), 1))
	}
	tb.plays()
	require.Len(t, tb.happened(), 100)
}

func TestNothingRunsOfAClientThatOnFloodKicks(t *testing.T) {
	for _, stall := range []time.Duration{1000 * time.Millisecond, 1050 * time.Millisecond} { // every second call is within the rate
		ran := 0
		tb := sit(t, 1, func(c *rpc.Config) {
			c.Stall, c.OnFlood = stall, func(p *msgs.Peer, _ rpc.Flood) { ran = 0; p.Kick(1, "flood") }
		})
		id, d := tb.hangs()
		d.does = func(rpc.ServerCall) { ran++ }
		for tb.clients[0].router.Host().Conn().Err() == nil {
			tb.clients[0].forges(frame(toggle, on(id), bits(1, 2), pos))
			tb.plays()
			tb.now += int64(50 * time.Millisecond)
		}
		require.Zero(t, ran, "since it was kicked")
	}
}

func TestABudgetBelow0IsNoBoundWhicheverOfItsTwoFieldsSaysSo(t *testing.T) {
	for _, b := range []rpc.Budget{{Calls: -1}, {CallsAtOnce: -1}} {
		tb := sit(t, 1, func(c *rpc.Config) { c.Budget = b })
		for range 1100 {
			tb.clients[0].forges(frame(hello))
			tb.plays()
		}
		require.Len(t, tb.happened(), 1100)
	}
	for _, b := range []rpc.Budget{{Bytes: -1}, {BytesAtOnce: -1}, {TimeAtOnce: -1}} {
		tb := sit(t, 1, func(c *rpc.Config) { c.Budget, c.Clock = b, func() int64 { return 0 } })
		require.NoError(t, arena.LevelRef{}.Say(tb.clients[0].Server(), "words"))
		tb.plays()
		require.Len(t, tb.happened(), 1)
	}
}
