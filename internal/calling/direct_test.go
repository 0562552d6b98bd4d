package calling

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/rpc"
)

// script makes calls of all kinds, and returns what its caller got to know.
func script(tb *table) (known []string) {
	client, server := tb.clients[0], tb.server
	note := func(what string, err error) { known = append(known, fmt.Sprint(what, ": ", err)) }
	id, d := tb.hangs()
	other, otherDoor := tb.hangs()
	server.Objects().Own(other, nil)
	pos := arena.Pos{X: 1, Y: -2.5, Z: 3}

	for i := range 5 {
		note("toggle", arena.DoorRef{ID: id}.Toggle(client.Server(), arena.Latch(i%3), pos))
		tb.plays()
	}
	note("an enum that is none", arena.DoorRef{ID: id}.Toggle(client.Server(), 3, pos))
	tb.passes(time.Second)
	note("an enum that is none", arena.DoorRef{ID: id}.Toggle(client.Server(), 3, pos))
	note("not ours", arena.DoorRef{ID: other}.Toggle(client.Server(), arena.Open, pos))
	note("nobody's", arena.DoorRef{ID: 77}.Toggle(client.Server(), arena.Open, pos))
	tb.passes(time.Second)
	note("too long", arena.LevelRef{}.Say(client.Server(), string(make([]byte, 40))))
	note("say", arena.LevelRef{}.Say(client.Server(), "words"))
	tb.plays()
	note("a state", arena.LevelRef{}.Spawn(client.Server(), 1))
	tb.play(client)
	note("a state", arena.LevelRef{}.Spawn(client.Server(), 1))
	tb.passes(time.Second)

	d.does = func(rpc.ServerCall) { panic("oh") }
	note("a panic", arena.DoorRef{ID: id}.Toggle(client.Server(), arena.Open, pos))
	tb.passes(time.Second)
	d.does, d.fails = nil, errRefused
	note("an error", arena.DoorRef{ID: id}.Toggle(client.Server(), arena.Open, pos))
	tb.plays()
	_, err := arena.DoorRef{ID: id}.Price(client.Server(), 3, func(c arena.Coins, err error) { note(fmt.Sprint("refused ", c), err) })
	note("ask", err)
	tb.plays()
	d.fails = nil
	_, err = arena.DoorRef{ID: id}.Price(client.Server(), 3, func(c arena.Coins, err error) { note(fmt.Sprint("price ", c), err) })
	note("ask", err)
	tb.plays()
	_, err = arena.DoorRef{ID: 99}.Price(client.Server(), 3, func(c arena.Coins, err error) { note(fmt.Sprint("nothing ", c), err) })
	note("ask", err)
	tb.plays()
	_, err = arena.LevelRef{}.Ready(server.To(client.peer), func(is bool, err error) { note(fmt.Sprint("ready ", is), err) })
	note("ask", err)
	tb.plays()

	var later rpc.Later
	otherDoor.does = func(c rpc.ServerCall) { later = c.Later() }
	r, err := arena.DoorRef{ID: other}.Price(client.Server(), 3, func(c arena.Coins, err error) { note(fmt.Sprint("later ", c), err) })
	note("ask", err)
	tb.plays()
	note("answer", arena.AnswerDoorServerPrice(later, 5, nil))
	tb.plays()
	note(fmt.Sprint(r.Cancel()), nil)
	r, err = arena.DoorRef{ID: other}.Price(client.Server(), 3, func(c arena.Coins, err error) { note(fmt.Sprint("never ", c), err) })
	note("ask", err)
	tb.plays()
	note(fmt.Sprint(r.Cancel()), nil)
	tb.plays()
	note("answer", arena.AnswerDoorServerPrice(later, 5, nil))

	for i := range 3 {
		note("swing", arena.DoorRef{ID: id}.Swung(server.All(), arena.Degrees(i*90)))
		note("paint", arena.DoorRef{ID: id}.Painted(server.To(client.peer), uint8(i)))
		note("notice", arena.LevelRef{}.Notice(server.Only(client.peer), fmt.Sprint(i), []byte{1, 2}))
		note("level", arena.LevelRef{}.LevelNumber(server.Observers(id), uint8(i)))
		tb.plays()
	}
	client.Run(rpc.BeforeRender)
	client.Run(rpc.AfterFixed)
	missing := tb.claims()
	note("paint", arena.DoorRef{ID: missing}.Painted(server.All(), 9))
	note("gone", arena.DoorRef{ID: missing}.Gone(server.All()))
	tb.plays()
	client.shows(missing)
	note("gone", arena.DoorRef{ID: missing}.Gone(server.All()))
	tb.plays()
	return known
}

func TestDirectCallsDoWhatEncodedOnesDo(t *testing.T) {
	type outcome struct{ diary, known, drops []string }
	play := func(direct bool, edit ...func(*rpc.Config)) (o outcome, tb *table) {
		tb = sit(t, 1, edit...)
		if direct {
			require.NoError(t, rpc.Direct(tb.server.Calls, tb.clients[0].peer, tb.clients[0].Calls))
		}
		o.known = slices.Sorted(slices.Values(script(tb))) // a direct request can be answered before it returns
		o.diary = tb.happened()
		for _, s := range []*side{tb.server, tb.clients[0]} {
			for m := range s.Methods() {
				o.drops = append(o.drops, fmt.Sprint(m.Method, " handled ", m.Handled.Calls, " ", m.Drops, " failed ", m.Failed, " unsent ", m.Unsent, " unanswered ", m.Unanswered))
			}
		}
		return o, tb
	}
	encoded, _ := play(false)
	require.NotEmpty(t, encoded.diary)

	direct, tb := play(true)
	require.Equal(t, encoded, direct)
	for _, s := range []*side{tb.server, tb.clients[0]} {
		require.Zero(t, s.Stats().Sent.Calls, "nothing was encoded for a connection")
		require.Zero(t, s.router.Stats().Out.Messages, "nor sent")
		require.Zero(t, s.router.Stats().Handled.Messages, "nor decoded")
	}

	verified, _ := play(true, func(c *rpc.Config) { c.Verify = true })
	require.Equal(t, encoded, verified)
}

func TestADirectCallHasRunWhenItReturns(t *testing.T) {
	tb := sit(t, 2)
	id, _ := tb.hangs()
	client := tb.clients[0]
	require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
	require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.All(), 4))
	require.Equal(t, []string{"client 1: painted 4"}, tb.happened(), "the local one has, and only once")
	require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.Only(client.peer, client.peer), 5))
	require.Equal(t, []string{"client 1: painted 5"}, tb.happened())
	tb.plays()
	require.Equal(t, []string{"client 2: painted 4"}, tb.happened(), "the other gets it from its connection")
	require.NoError(t, arena.DoorRef{ID: id}.Toggle(client.Server(), arena.Open, arena.Pos{}))
	require.Len(t, tb.happened(), 1)
}

func TestDirectGivesWhatItGotAndVerifyWhatTheWireWouldBring(t *testing.T) {
	for verify, want := range map[bool]string{false: "player 1: toggle 00000001 Open at {0.1 0 0}", true: "player 1: toggle 00000001 Open at {0.099609375 0 0}"} {
		tb := sit(t, 1, func(c *rpc.Config) { c.Verify = verify })
		id, _ := tb.hangs()
		require.NoError(t, rpc.Direct(tb.server.Calls, tb.clients[0].peer, tb.clients[0].Calls))
		require.NoError(t, arena.DoorRef{ID: id}.Toggle(tb.clients[0].Server(), arena.Open, arena.Pos{X: 0.1}))
		require.Equal(t, []string{want}, tb.happened())
	}
}

func TestDirectCallsWithinOneAnotherAreDeepOnlyUpTo16(t *testing.T) {
	for _, quick := range []bool{false, true} {
		tb := sit(t, 1, unlimited)
		client := tb.clients[0]
		require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
		id := tb.claims()
		depth, deepest, ran := 0, 0, 0
		shown := &deep{}
		shown.does = func() {
			depth++
			deepest = max(deepest, depth)
			if ran++; ran < 100 {
				if quick {
					require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.To(client.peer), 1))
				} else {
					require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.All(), 1))
				}
			}
			depth--
		}
		require.NoError(t, arena.BindDoorClient(client.Calls, id, shown))
		require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.To(client.peer), 1))
		require.Equal(t, 16, deepest)
		require.Equal(t, 100, ran, "all had run when the outermost returned")
		require.Equal(t, uint64(100), client.Stats().Handled.Calls)
	}
}

// deep is a door that does something whenever it is painted.
type deep struct{ does func() }

func (d *deep) Swung(rpc.ClientCall, arena.Degrees) {}
func (d *deep) Painted(uint8)                       { d.does() }
func (d *deep) Gone(rpc.ClientCall)                 { d.does() }

func TestAPanicInADirectCallIsSurvived(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
	id := tb.claims()
	require.NoError(t, arena.BindDoorClient(client.Calls, id, &deep{func() { panic("oh") }}))
	for _, to := range []rpc.Audience{tb.server.To(client.peer), tb.server.All()} {
		require.NoError(t, arena.DoorRef{ID: id}.Painted(to, 1))
		require.NoError(t, arena.DoorRef{ID: id}.Gone(to))
	}
	require.Equal(t, "panic=4", client.drops())
	require.Zero(t, client.Stats().Handled.Calls)
	client.shows(tb.claims())
	require.NoError(t, arena.DoorRef{ID: id + 1}.Painted(tb.server.All(), 1))
	require.Len(t, tb.happened(), 1)
}

func TestADirectSessionEndsAsAnyOther(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id, _ := tb.hangs()
	require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
	to := tb.server.To(client.peer)
	client.peer.Kick(1, "")
	require.ErrorIs(t, arena.DoorRef{ID: id}.Painted(to, 1), rpc.ErrGone, "at once")
	require.Empty(t, tb.happened())
	tb.plays()
	require.ErrorIs(t, arena.DoorRef{ID: id}.Painted(to, 1), rpc.ErrGone)
	require.ErrorIs(t, arena.LevelRef{}.Hello(client.Server()), rpc.ErrNoAudience)
}

func TestAMethodMayEndTheSessionThatItIsCalledBy(t *testing.T) {
	for _, to := range []func(*table) rpc.Audience{func(tb *table) rpc.Audience { return tb.server.To(tb.clients[0].peer) }, func(tb *table) rpc.Audience { return tb.server.All() }} {
		tb := sit(t, 1)
		client := tb.clients[0]
		require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
		id := tb.claims()
		require.NoError(t, arena.BindDoorClient(client.Calls, id, &deep{func() { tb.notes("kicks"); client.peer.Kick(1, ""); tb.plays() }}))
		kept := to(tb)
		for range 3 {
			_ = arena.DoorRef{ID: id}.Painted(kept, 1)
		}
		require.Equal(t, []string{"kicks"}, tb.happened())
		require.Equal(t, uint64(1), client.Stats().Handled.Calls)
	}
}

func TestAnObjectThatWasReleasedIsNotRemembered(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
	to := tb.server.To(client.peer)
	paints := func(id rpc.NetID) int {
		require.NoError(t, arena.DoorRef{ID: id}.Painted(to, 1))
		return len(tb.happened())
	}
	id, other := tb.claims(), tb.claims()
	client.shows(id)
	require.Equal(t, 1, paints(id))
	require.Equal(t, 1, paints(id))
	require.True(t, client.Objects().Release(id))
	require.Equal(t, 0, paints(id))
	require.Equal(t, "target=1", client.drops())

	t.Log("nor one whose calls are held")
	client.shows(other)
	require.Equal(t, 1, paints(other))
	require.NoError(t, client.Objects().Expect(other, 1))
	require.Equal(t, 0, paints(other))
	require.True(t, client.Objects().Appear(other))
	require.Len(t, tb.happened(), 1)
	require.Equal(t, 1, paints(other))
}

func TestDirectSaysWhatItNeeds(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	require.ErrorContains(t, rpc.Direct(client.Calls, client.peer, tb.server.Calls), "takes the Calls of the server")
	require.ErrorContains(t, rpc.Direct(tb.server.Calls, nil, client.Calls), "has not begun")
	require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
	require.ErrorContains(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls), "is direct already")
	tb = sit(t, 1)
	client = tb.clients[0]
	require.NoError(t, client.Register(manyOf(1, "DoorClient.Painted", "LevelServer.Hello")))
	require.ErrorContains(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls), "have not registered the same contracts")
	udp := sitUDP(t)
	require.ErrorContains(t, rpc.Direct(udp.server.Calls, udp.clients[0].peer, udp.clients[0].Calls), "no loopback")
}

func TestWhatWasTooDeepRunsAlthoughTheOutermostPanics(t *testing.T) {
	tb := sit(t, 1, unlimited)
	client := tb.clients[0]
	require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
	id, depth, ran := tb.claims(), 0, 0
	require.NoError(t, arena.BindDoorClient(client.Calls, id, &deep{func() {
		ran++
		if depth++; depth <= 20 {
			require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.To(client.peer), 1))
		}
		if ran <= 17 {
			panic("oh")
		}
	}}))
	require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.To(client.peer), 1))
	require.Equal(t, 21, ran, "before it returns")
}

func TestAMethodMayEndItsGoroutine(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
	id, ends := tb.claims(), true
	require.NoError(t, arena.BindDoorClient(client.Calls, id, &deep{func() {
		tb.notes("painted")
		if ends {
			runtime.Goexit()
		}
	}}))
	for range 20 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = arena.DoorRef{ID: id}.Painted(tb.server.To(client.peer), 1)
			t.Error("it goes on")
		}()
		<-done
	}
	ends = false
	require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.To(client.peer), 1))
	require.Len(t, tb.happened(), 21)
	require.Equal(t, "none", client.drops())
}
