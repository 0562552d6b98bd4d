package calling

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/wire"
)

// shows binds a door at a client.
func (s *side) shows(id rpc.NetID) *shownDoor {
	d := &shownDoor{table: s.table, at: s}
	require.NoError(s.table, arena.BindDoorClient(s.Calls, id, d))
	return d
}

// claims gives a new id of the server.
func (tb *table) claims() rpc.NetID {
	id, err := tb.server.Objects().Claim()
	require.NoError(tb, err)
	return id
}

// paints calls the client's door in so many colours, from 0 on.
func (tb *table) paints(id rpc.NetID, n int) {
	for i := range n {
		require.NoError(tb, arena.DoorRef{ID: id}.Painted(tb.server.To(tb.clients[0].peer), uint8(i)))
	}
	tb.plays()
}

func painted12(from, to int) (list []string) {
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprintf("client 1: painted %d", i))
	}
	return list
}

func TestACallWaitsForItsObjectAndRunsBeforeBindReturns(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id := tb.claims()
	tb.paints(id, 3)
	require.Empty(t, tb.happened())
	tb.passes(1900 * time.Millisecond)
	client.shows(id)
	require.Equal(t, painted12(0, 3), tb.happened(), "in the order in which they came")
	require.Equal(t, "none", client.drops())

	t.Log("and no longer than it may")
	id = tb.claims()
	tb.paints(id, 3)
	tb.passes(2 * time.Second)
	require.Equal(t, "waiting=3", client.drops())
	client.shows(id)
	require.Empty(t, tb.happened())
}

func TestWhatIsNotToWaitIsDiscardedOrReported(t *testing.T) {
	var missing []string
	tb := sit(t, 1, func(c *rpc.Config) {
		c.OnMissing = func(from *msgs.Peer, method string, id rpc.NetID) {
			missing = append(missing, fmt.Sprint(from, " ", method, " ", id))
		}
	})
	id := tb.claims()
	for range 2 {
		require.NoError(t, arena.DoorRef{ID: id}.Gone(tb.server.All()))
		require.NoError(t, arena.DoorRef{ID: 77}.Toggle(tb.clients[0].Server(), arena.Open, arena.Pos{}))
	}
	tb.plays()
	require.Equal(t, "target=2", tb.clients[0].drops())
	require.Equal(t, "target=2", tb.server.drops())
	require.Equal(t, []string{"the host DoorClient.Gone 00000001", "the host DoorClient.Gone 00000001"}, missing, "toggle says nothing of it, so it is discarded")
	require.Contains(t, tb.log.String(), "Call to an object that is not there")
}

func TestOnlyWhatMayStillComeIsWaitedFor(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id := tb.claims()
	client.shows(id)
	require.True(t, client.Objects().Release(id))
	tb.paints(id, 1)
	require.Equal(t, "target=1", client.drops(), "it was there")
	tb.paints(id|1<<20, 1)
	require.Equal(t, "target=1", client.drops(), "the next generation may come")
	client.shows(id | 1<<20)
	require.Len(t, tb.happened(), 1)
	tb.paints(id, 1)
	require.Equal(t, "target=2", client.drops(), "and the one before it cannot any more")

	t.Log("what waits for an id that is released has waited in vain")
	other := tb.claims()
	tb.paints(other, 2)
	require.False(t, client.Objects().Release(other), "it is not there")
	first := tb.claims()
	require.NoError(t, client.Objects().Expect(first, 2))
	tb.paints(first, 2)
	client.Objects().Clear()
	require.Equal(t, "target=6", client.drops())
}

func TestTheQueueForObjectsDropsTheOldestOfItsPeer(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id := tb.claims()
	tb.paints(id, 250)
	tb.paints(id, 10)
	require.Equal(t, "waiting=4", client.drops())
	client.shows(id)
	require.Equal(t, append(painted12(4, 250), painted12(0, 10)...), tb.happened())
	tb.paints(id, 1)
	require.Len(t, tb.happened(), 1, "and then nothing waits any more")
}

func TestABlockAppearsAtOnceAndInOneOrder(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	first, err := tb.server.Objects().ClaimBlock(17)
	require.NoError(t, err)
	require.NoError(t, client.Objects().Expect(first, 17))
	require.Error(t, client.Objects().Expect(first.Add(16), 1), "it is expected already")
	require.Error(t, client.Objects().Expect(0, 1))
	for _, n := range []int{16, 0, 3, 0} {
		require.NoError(t, arena.DoorRef{ID: first.Add(n)}.Painted(tb.server.All(), uint8(n)))
	}
	require.NoError(t, arena.DoorRef{ID: first.Add(3)}.Gone(tb.server.All())) // whatever its missing= says
	tb.plays()
	for _, n := range []int{0, 3, 16} {
		client.shows(first.Add(n))
	}
	require.Empty(t, tb.happened(), "bound, but the block is not complete")
	tb.passes(time.Hour)
	require.True(t, client.Objects().Appear(first))
	require.Equal(t, []string{"client 1: painted 16", "client 1: painted 0", "client 1: painted 3", "client 1: painted 0", "client 1: 00000004 gone"}, tb.happened())
	require.False(t, client.Objects().Appear(first))
	require.NoError(t, arena.DoorRef{ID: first}.Painted(tb.server.All(), 1))
	tb.plays()
	require.Len(t, tb.happened(), 1)

	t.Log("what is forgotten is dropped")
	second, _ := tb.server.Objects().ClaimBlock(2)
	require.NoError(t, client.Objects().Expect(second, 2))
	tb.paints(second, 2)
	require.True(t, client.Objects().Forget(second))
	client.shows(second)
	require.Empty(t, tb.happened())
	require.Equal(t, "waiting=2", client.drops())
}

func TestReplayStopsWhenTheObjectGoes(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id := tb.claims()
	require.NoError(t, client.Objects().Expect(id, 1))
	for range 3 {
		require.NoError(t, arena.DoorRef{ID: id}.Gone(tb.server.All()))
	}
	tb.plays()
	client.shows(id).gone = func() { client.Objects().Release(id) }
	client.Objects().Appear(id)
	require.Len(t, tb.happened(), 1)
	require.Equal(t, "target=2", client.drops())
}

func TestPhasesRunWhenTheGameSaysAndInTheOrderOfArrival(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id, _ := tb.hangs()
	for i := range 3 {
		require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.All(), arena.Degrees(90*i)))
		require.NoError(t, arena.LevelRef{}.Notice(tb.server.All(), fmt.Sprint("n", i), nil))
		require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.All(), uint8(i)))
	}
	tb.plays() // and the payloads are overwritten
	require.Equal(t, []string{"client 1: level 0", "client 1: level 1", "client 1: level 2"}, tb.happened())
	client.Run(rpc.Now)
	require.Empty(t, tb.happened())
	client.Run(rpc.AfterFixed)
	require.Equal(t, []string{"client 1: 00000001 swung to 0.0", "client 1: 00000001 swung to 90.0", "client 1: 00000001 swung to 180.0"}, tb.happened())
	client.Run(rpc.BeforeRender)
	require.Equal(t, []string{"client 1: notice n0 []", "client 1: notice n1 []", "client 1: notice n2 []"}, tb.happened())
	client.Run(rpc.AfterFixed)
	client.Run(rpc.BeforeRender)
	require.Empty(t, tb.happened(), "each once")
}

func TestTheQueueOfAPhaseDropsTheOldest(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	for round := range 3 {
		client.ResetStats()
		for i := range 260 {
			require.NoError(t, arena.LevelRef{}.Notice(tb.server.All(), fmt.Sprint(i), nil))
			tb.plays()
		}
		require.Equal(t, "phase=4", client.drops(), round)
		client.Run(rpc.BeforeRender)
		ran := tb.happened()
		require.Len(t, ran, 256)
		require.Equal(t, "client 1: notice 4 []", ran[0])
		require.Equal(t, "client 1: notice 259 []", ran[255])
	}
}

func TestWhatAPhaseBringsWaitsForTheNext(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id, _ := tb.hangs()
	d, _ := rpc.Get[*shownDoor](client.Objects(), id)
	d.does = func(rpc.ClientCall) {
		d.does = nil
		require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.All(), 45))
		tb.plays()
		client.Run(rpc.AfterFixed)
	}
	require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.All(), 0))
	tb.plays()
	client.Run(rpc.AfterFixed)
	require.Len(t, tb.happened(), 1)
	client.Run(rpc.AfterFixed)
	require.Equal(t, []string{"client 1: 00000001 swung to 45.0"}, tb.happened())
}

func TestWhatWaitsOfASessionThatEndsDoesNotRun(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id, _ := tb.hangs()
	missing := tb.claims()
	require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.All(), 45))
	tb.paints(missing, 2)
	client.router.Host().Kick(1, "")
	tb.plays()
	require.Equal(t, "session=3", client.drops(), "what waited for its phase or an object")
	client.Run(rpc.AfterFixed)
	client.shows(missing)
	require.Empty(t, tb.happened())
	require.Equal(t, "session=3", client.drops())
}

func TestThePhaseFindsTheObjectThatIsThereThen(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id, _ := tb.hangs()
	require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.All(), 45))
	tb.plays()
	client.Objects().Release(id)
	client.Run(rpc.AfterFixed)
	require.Equal(t, "target=1", client.drops())

	t.Log("and waits for it if it has to")
	later := tb.claims()
	require.NoError(t, arena.DoorRef{ID: later}.Swung(tb.server.All(), 45))
	tb.plays()
	client.Run(rpc.AfterFixed)
	client.shows(later)
	require.Len(t, tb.happened(), 1)
}

func TestWhatWaitsIsBoundedInBytesToo(t *testing.T) {
	const size = 2000
	blob := rpc.Values{
		MinBits: 11, MaxBits: 11 + 7 + 8*size, New: func() any { return new([]byte) },
		Encode: func(w *wire.BitWriter, v any) { w.Blob(*v.(*[]byte), size) },
		Decode: func(r *wire.BitReader, v any) { b := v.(*[]byte); *b = append((*b)[:0], r.Blob(size)...) },
	}
	ran := 0
	bulk := manyOf(2, "DoorClient.Painted", "LevelServer.Hello")
	for i := range 2 {
		m := &bulk.Methods[i]
		m.Args, m.Call = blob, func(*rpc.In, any) { ran++ }
	}
	bulk.Methods[1].Phase = rpc.BeforeRender
	tb := sit(t, 1, func(c *rpc.Config) { c.Contracts = append(c.Contracts, bulk) })
	client, id := tb.clients[0], tb.claims()
	calls := func(method int) {
		for range 100 {
			out := tb.server.All().Begin(bulk, method, id)
			*out.Args.(*[]byte) = make([]byte, size)
			require.NoError(t, out.Send())
			tb.plays()
		}
	}
	const fit = (64 << 10) / (size + 7) // with the head of a call
	calls(1)
	require.Equal(t, uint64(100-fit), client.Stats().Drops[rpc.DropPhase])
	calls(0)
	require.Equal(t, uint64(100-fit), client.Stats().Drops[rpc.DropWaiting])
	require.NoError(t, client.Bind(bulk.Methods[0].Of, id, t, t))
	client.Run(rpc.BeforeRender)
	require.Equal(t, 2*fit, ran)
}
