package calling

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

func TestIDsAreClaimedOneByOneAndInBlocks(t *testing.T) {
	objects := sit(t, 0).server.Objects()
	claim := func(n int) rpc.NetID {
		id, err := objects.ClaimBlock(n)
		require.NoError(t, err)
		return id
	}
	require.Equal(t, rpc.NetID(1), claim(1))
	require.Equal(t, rpc.NetID(2), claim(17), "what a player and its parts need")
	require.Equal(t, rpc.NetID(19), claim(1))
	require.Equal(t, "00000013", rpc.NetID(19).String())
	require.Equal(t, rpc.NetID(18), rpc.NetID(2).Add(16))
	for _, n := range []int{0, -1, 1 << 20} {
		_, err := objects.ClaimBlock(n)
		require.Error(t, err)
	}
}

func TestAnIDThatWasReleasedNeverComesBack(t *testing.T) {
	tb := sit(t, 0)
	objects := tb.server.Objects()
	seen := map[rpc.NetID]bool{}
	for range 10_000 {
		first, err := objects.ClaimBlock(17)
		require.NoError(t, err)
		for i := range 17 {
			id := first.Add(i)
			require.NotZero(t, id)
			require.False(t, seen[id], id)
			seen[id] = true
			require.True(t, objects.Release(id))
			require.False(t, objects.Release(id), "once")
			require.ErrorIs(t, arena.BindDoorServer(tb.server.Calls, id, &door{}), rpc.ErrReleased)
		}
	}
	require.Zero(t, objects.Len())
	places := map[rpc.NetID]bool{}
	for id := range seen {
		places[id&(1<<20-1)] = true
	}
	require.Less(t, len(places), 5000, "but places are used again, in further generations")
}

func TestClearBeginsAgainAtTheFirstPlaceInAnotherGeneration(t *testing.T) {
	tb := sit(t, 0)
	objects := tb.server.Objects()
	before, _ := objects.ClaimBlock(3)
	require.NoError(t, arena.BindDoorServer(tb.server.Calls, before, &door{}))
	objects.Clear()
	require.Zero(t, objects.Len())
	_, found := rpc.Get[arena.DoorServer](objects, before)
	require.False(t, found)
	after, err := objects.ClaimBlock(2)
	require.NoError(t, err)
	require.Equal(t, rpc.NetID(1<<20+1), after, "place 1, generation 1")
	third, _ := objects.Claim()
	require.Equal(t, rpc.NetID(1<<20+3), third)
	fresh, _ := objects.Claim()
	require.Equal(t, rpc.NetID(4), fresh, "which no object had")
}

func TestIDsOfLevelsDoNotMeetOthers(t *testing.T) {
	require.Equal(t, rpc.NetID(1<<30|5<<20|77), rpc.LevelID(1, 5, 77))
	for _, bad := range [][3]int{{0, 0, 1}, {4, 0, 1}, {1, -1, 1}, {1, 1024, 1}, {1, 0, 0}, {1, 0, 1 << 20}} {
		require.Zero(t, rpc.LevelID(bad[0], bad[1], bad[2]))
	}
	tb := sit(t, 0)
	a, b := &door{}, &door{fails: errRefused}
	require.NoError(t, arena.BindDoorServer(tb.server.Calls, rpc.LevelID(1, 0, 1), a))
	require.NoError(t, arena.BindDoorServer(tb.server.Calls, rpc.LevelID(2, 0, 1), b))
	id, err := tb.server.Objects().Claim()
	require.NoError(t, err)
	require.Equal(t, rpc.NetID(1), id)
	got, ok := rpc.Get[arena.DoorServer](tb.server.Objects(), rpc.LevelID(2, 0, 1))
	require.True(t, ok)
	require.Same(t, b, got)
}

func TestGetIsTypedAndNeverPanics(t *testing.T) {
	tb := sit(t, 1)
	id, d := tb.hangs()
	objects := tb.server.Objects()
	got, ok := rpc.Get[*door](objects, id)
	require.True(t, ok)
	require.Same(t, d, got)
	_, ok = rpc.Get[arena.LifeServer](objects, id)
	require.False(t, ok, "of another type")
	for _, other := range []rpc.NetID{0, id + 1, id | 1<<20, id | 1<<30, 0xffffffff} {
		_, ok = rpc.Get[*door](objects, other)
		require.False(t, ok, other)
	}
}

func TestWhatIsBoundTwiceIsFound(t *testing.T) {
	tb := sit(t, 1)
	id, d := tb.hangs()
	require.ErrorIs(t, arena.BindDoorServer(tb.server.Calls, id, &door{fails: errRefused}), rpc.ErrBound, "the id")
	require.ErrorIs(t, arena.BindDoorServer(tb.server.Calls, id+1, d), rpc.ErrBound, "the object")
	require.ErrorIs(t, arena.BindDoorServer(tb.server.Calls, 0, &door{}), rpc.ErrNoID)
	require.ErrorIs(t, arena.BindLevelServer(tb.server.Calls, levelServer{tb}), rpc.ErrBound)
	require.ErrorContains(t, arena.BindDoorClient(tb.server.Calls, 9, &shownDoor{}), "the client runs it")
	require.ErrorContains(t, arena.BindDoorServer(tb.server.Calls, 9, nil), "nil")

	var dump strings.Builder
	tb.server.Objects().Dump(&dump)
	require.Equal(t, "1 objects:\n00000001 DoorServer *calling.door, owner player 1, 0 observers\n", dump.String())

	t.Log("and the object can be bound again when it was released")
	require.True(t, tb.server.Objects().Release(id))
	require.NoError(t, arena.BindDoorServer(tb.server.Calls, id+1, d))
}

func TestACallToWhatIsReleasedNeverReachesWhatComesAfterIt(t *testing.T) {
	tb := sit(t, 1)
	old, _ := tb.hangs()
	client := tb.clients[0]
	call := func() error { return arena.DoorRef{ID: old}.Toggle(client.Server(), arena.Open, arena.Pos{}) }
	require.NoError(t, call())
	tb.server.Objects().Release(old)
	newcomer, _ := tb.hangs()
	require.NotEqual(t, old, newcomer)
	tb.plays()
	require.Empty(t, tb.happened())
	require.Equal(t, "target=1", tb.server.drops())
	require.Nil(t, client.router.Host().Conn().Err(), "it is an honest race")

	t.Log("not even at the same place")
	require.NoError(t, arena.BindDoorServer(tb.server.Calls, old|1<<20, &door{table: tb}))
	tb.passes(time.Second)
	require.NoError(t, call())
	tb.plays()
	require.Empty(t, tb.happened())
}

func TestAMethodMayReleaseItsObjectAndClearAllOfThem(t *testing.T) {
	tb := sit(t, 1)
	for _, ends := range []func(rpc.ServerCall){
		func(c rpc.ServerCall) { c.Calls().Objects().Release(c.ID) },
		func(c rpc.ServerCall) { c.Calls().Objects().Clear() },
	} {
		id, d := tb.hangs()
		d.does = ends
		for range 3 {
			require.NoError(t, arena.DoorRef{ID: id}.Toggle(tb.clients[0].Server(), arena.Open, arena.Pos{}))
		}
		require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
		tb.passes(time.Second)
		require.Len(t, tb.happened(), 2, "the first, and what has no object")
	}
	require.Equal(t, "target=4", tb.server.drops())
}

func TestOnlyTheOwnerMayCallWhatIsForTheOwner(t *testing.T) {
	tb := sit(t, 2)
	id, _ := tb.hangs()
	objects := tb.server.Objects()
	toggles := func(s *side) int {
		tb.passes(time.Second)
		require.NoError(t, arena.DoorRef{ID: id}.Toggle(s.Server(), arena.Open, arena.Pos{}))
		tb.plays()
		return len(tb.happened())
	}
	require.Equal(t, 1, toggles(tb.clients[0]))
	require.Equal(t, 0, toggles(tb.clients[1]))
	require.True(t, objects.Own(id, tb.clients[1].peer))
	require.Equal(t, 0, toggles(tb.clients[0]))
	require.Equal(t, 1, toggles(tb.clients[1]))
	require.Same(t, tb.clients[1].peer, objects.Owner(id))
	require.True(t, objects.Own(id, nil))
	require.Equal(t, 0, toggles(tb.clients[1]))
	require.False(t, objects.Own(77, tb.clients[1].peer))
	require.Equal(t, "owner=3", tb.server.drops())

	t.Log("who comes back is another, under whatever id")
	objects.Own(id, tb.clients[0].peer)
	tb.clients[0].peer.Kick(1, "")
	tb.plays()
	again := tb.joins()
	require.Equal(t, 0, toggles(again))
}

func TestObserversAreThoseToWhomItIsShown(t *testing.T) {
	tb := sit(t, 3)
	id, _ := tb.hangs()
	objects := tb.server.Objects()
	paints := func(a rpc.Audience) []string {
		require.NoError(t, arena.DoorRef{ID: id}.Painted(a, 5))
		tb.plays()
		return tb.happened()
	}
	require.Empty(t, paints(tb.server.Observers(id)))
	require.True(t, objects.Show(id, tb.clients[0].peer))
	require.True(t, objects.Show(id, tb.clients[2].peer))
	require.True(t, objects.Show(id, tb.clients[2].peer), "twice is once")
	require.Equal(t, []string{"client 1: painted 5", "client 3: painted 5"}, paints(tb.server.Observers(id)))
	require.Equal(t, []string{"client 3: painted 5"}, paints(tb.server.Observers(id).Except(tb.clients[0].peer)))
	objects.Hide(id, tb.clients[0].peer)
	require.Equal(t, []string{"client 3: painted 5"}, paints(tb.server.Observers(id)))
	tb.clients[2].peer.Kick(1, "")
	tb.plays()
	require.Empty(t, paints(tb.server.Observers(id)))
	var dump strings.Builder
	objects.Dump(&dump)
	require.Contains(t, dump.String(), "0 observers")
	require.False(t, objects.Show(77, tb.clients[0].peer))
	require.False(t, objects.Show(id, tb.clients[2].peer), "who has left sees nothing")
}

func TestACallGoesToThoseItIsForAndIsEncodedOnce(t *testing.T) {
	tb := sit(t, 4)
	hears := func(a rpc.Audience) []string {
		require.NoError(t, arena.LevelRef{}.LevelNumber(a, 7))
		tb.plays()
		return tb.happened()
	}
	who := func(numbers ...string) (list []string) {
		for _, n := range numbers {
			list = append(list, "client "+n+": level 7")
		}
		return list
	}
	a, b, c := tb.clients[0].peer, tb.clients[1].peer, tb.clients[2].peer
	s := tb.server
	require.Equal(t, who("2"), hears(s.To(b)))
	require.Equal(t, who("1", "2", "3", "4"), hears(s.All()))
	require.Equal(t, who("1", "3", "4"), hears(s.All().Except(b)))
	require.Equal(t, who("4"), hears(s.All().Except(a, b, c)))
	require.Equal(t, who("1", "3"), hears(s.Only(c, a, c, nil)), "each once, in the order in which they are read")
	require.Equal(t, who("3"), hears(s.Only(a, c).Except(a)))
	require.Equal(t, who("1"), hears(s.Only(a, c).Except(b, c)))

	t.Log("who has left is passed over")
	kept := s.Only(a, b)
	a.Kick(1, "")
	tb.plays()
	require.Equal(t, who("2"), hears(kept))
	require.ErrorIs(t, arena.LevelRef{}.LevelNumber(s.To(a), 7), rpc.ErrNoAudience)
	require.ErrorIs(t, arena.LevelRef{}.LevelNumber(rpc.Audience{}, 7), rpc.ErrNoAudience)
	require.Zero(t, s.Stats().Drops.Total())
}

func TestACallerChoosesAmongTheModesOfTheContract(t *testing.T) {
	tb := sit(t, 1)
	to := tb.clients[0].Server()
	require.NoError(t, arena.LevelRef{}.Say(to, "a"))
	require.NoError(t, arena.LevelRef{}.Say(to.In(transport.Unreliable), "b"))
	require.ErrorIs(t, arena.LevelRef{}.Say(to.In(transport.Sequenced), "c"), rpc.ErrDelivery)
	require.ErrorIs(t, arena.LevelRef{}.Hello(to.In(transport.Unreliable)), rpc.ErrDelivery)
	tb.plays()
	require.Equal(t, []string{"player 1: say a", "player 1: say b"}, tb.happened())

	t.Log("and what has a channel comes on that")
	require.NoError(t, arena.LevelRef{}.Notice(tb.server.All(), "n", []uint8{1}))
	tb.plays()
	tb.clients[0].Run(rpc.BeforeRender)
	require.Equal(t, []string{"client 1: notice n [1]"}, tb.happened())
}

func TestTheStatesOfAMethodHoldAtBothEnds(t *testing.T) {
	tb := sit(t, 1)
	require.ErrorIs(t, arena.LevelRef{}.Spawn(tb.clients[0].Server(), 1), rpc.ErrState)
	require.NoError(t, tb.clients[0].router.Host().Enter(arena.StatePlaying))
	require.NoError(t, arena.LevelRef{}.Spawn(tb.clients[0].Server(), 1))
	tb.plays()
	require.Equal(t, "state=1", tb.server.drops(), "the server is not there yet")
	tb.passes(time.Second)
	tb.play(tb.clients[0])
	require.NoError(t, arena.LevelRef{}.Spawn(tb.clients[0].Server(), 1))
	tb.plays()
	require.Equal(t, []string{"player 1: spawn 1"}, tb.happened())
}
