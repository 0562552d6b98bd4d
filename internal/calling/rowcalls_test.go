package calling

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	everything "github.com/gannet-net/gannet/internal/testcatalogue/bits"
	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/wire"
)

func levelNumberComes(t *testing.T) {
	tb := sit(t, 1)
	for _, number := range []uint8{0, 1, 127, 255} {
		require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.To(tb.clients[0].peer), number))
		tb.plays()
		require.Equal(t, []string{fmt.Sprint("client 1: level ", number)}, tb.happened())
	}
}

func objectsAreFoundBeforeArguments(t *testing.T) {
	tb := sit(t, 1)
	id, _ := tb.hangs()
	wrong := bits(3, 2) // is no latch
	tb.clients[0].forges(frame(toggle, on(99), wrong, pos))
	tb.plays()
	require.Equal(t, "target=1", tb.server.drops())
	tb.clients[0].forges(frame(toggle, on(id), wrong, pos))
	tb.plays()
	require.Equal(t, "target=1 malformed=1", tb.server.drops())
	require.Empty(t, tb.happened())
}

func callsTravelInTwoMessages(t *testing.T) {
	tb := sit(t, 1)
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.All(), 1))
	require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
	tb.plays()
	counted := func(s *side) (names []string) {
		for e := range s.router.Messages() {
			if e.Handled.Messages > 0 {
				names = append(names, fmt.Sprint(e.Entry.Name, " ", e.Handled.Messages))
			}
		}
		return names
	}
	require.Equal(t, []string{"HostCall 1"}, counted(tb.clients[0]))
	require.Equal(t, []string{"ClientCall 1"}, counted(tb.server))
}

// toClient is a frame for a client: an index of 3 bits and what body writes.
func (tb *table) toClient(index uint32, body ...func(*wire.BitWriter)) {
	w := wire.NewBitWriter(nil)
	w.Bits(index, 3)
	for _, f := range body {
		f(&w)
	}
	require.NoError(tb, tb.clients[0].peer.Conn().Send(w.Bytes(), ordered))
	tb.plays()
}

func clientsFindMethodsByIndex(t *testing.T) {
	tb := sit(t, 1)
	id, _ := tb.hangs()
	client := tb.clients[0]
	tb.toClient(0, bits(9, 8))
	tb.toClient(4, on(id), bits(5, 8))
	require.Equal(t, []string{"client 1: level 9", "client 1: painted 5"}, tb.happened())
	tb.toClient(7)
	tb.toClient(4, bits(1, 8))
	tb.toClient(0)
	require.Equal(t, "empty=1 unknown=1 size=1", client.drops())
	require.Empty(t, tb.happened())
	require.NoError(t, client.router.Host().Conn().Err())
}

func ratesAreCheckedBeforeCalls(t *testing.T) {
	tb := sit(t, 1, unlimited)
	id, _ := tb.hangs()
	for range 4 {
		tb.clients[0].forges(frame(toggle, on(id), bits(0, 2), pos))
	}
	tb.plays()
	require.Len(t, tb.happened(), 3)
	require.Equal(t, "rate=1", tb.server.drops())
}

func ratesComeBeforeArguments(t *testing.T) {
	tb := sit(t, 1, unlimited)
	id, _ := tb.hangs()
	for range 3 {
		tb.clients[0].forges(frame(toggle, on(id), bits(0, 2), pos))
	}
	tb.clients[0].forges(frame(toggle, on(id), bits(3, 2), pos))
	tb.clients[0].forges(frame(toggle, on(id)))
	tb.plays()
	require.Equal(t, "rate=2", tb.server.drops(), "nobody looked at what is wrong with them")
}

func clientsAreToldWhoCalls(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	id := tb.claims()
	var got rpc.ClientCall
	require.NoError(t, arena.BindDoorClient(client.Calls, id, &shownDoor{table: tb, at: client, does: func(c rpc.ClientCall) { got = c }}))
	require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.All(), 1))
	tb.plays()
	client.Run(rpc.AfterFixed)
	require.Equal(t, id, got.ID)
	require.Same(t, client.router.Host(), got.From)
	require.Equal(t, tb.now, got.At)
}

func theServerIsToldWhoCalls(t *testing.T) {
	tb := sit(t, 2)
	id, d := tb.hangs()
	var got rpc.ServerCall
	d.does = func(c rpc.ServerCall) {
		got = c
		require.Same(t, tb.server.Calls, c.Calls())
	}
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[1].Server(), 3, nil)
	require.NoError(t, err)
	tb.plays()
	require.Equal(t, id, got.ID)
	require.Same(t, tb.clients[1].peer, got.From)
	require.Equal(t, tb.clients[1].number(), got.From.Conn().ID())
	require.Equal(t, tb.now, got.At)
}

func theServerItselfChecksOwners(t *testing.T) {
	tb := sit(t, 2)
	id, _ := tb.hangs()
	tb.clients[1].forges(frame(toggle, on(id), bits(0, 2), pos))
	tb.plays()
	require.Equal(t, "owner=1", tb.server.drops())
	require.True(t, tb.server.Objects().Own(id, tb.clients[1].peer))
	tb.clients[1].forges(frame(toggle, on(id), bits(0, 2), pos))
	tb.plays()
	require.Len(t, tb.happened(), 1)
}

func contextsMayBeLeftOut(t *testing.T) {
	tb := sit(t, 1)
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.All(), 1))
	require.NoError(t, arena.LevelRef{}.Notice(tb.server.All(), "x", nil))
	tb.plays()
	tb.clients[0].Run(rpc.BeforeRender)
	require.Equal(t, []string{"client 1: level 1", "client 1: notice x []"}, tb.happened())
}

func contextsAreNoArguments(t *testing.T) {
	m := &arena.Contract.Methods[place("LevelServer.Hello")]
	require.Zero(t, m.Args.MaxBits)
	tb := sit(t, 1)
	require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
	require.EqualValues(t, 1, tb.clients[0].Stats().Sent.Bytes)
	tb.plays()
	require.Equal(t, []string{"player 1: hello"}, tb.happened())
}

func netIDsStandBehindTheIndex(t *testing.T) {
	many := manyOf(1, "DoorClient.Painted", "LevelServer.Hello")
	server := wiredSide(t, msgs.Host, rpc.Config{Contracts: []*rpc.Contract{many}})
	require.NoError(t, server.All().Begin(many, 0, 0x3FFFFFFF).Send())
	r := wire.NewBitReader(server.sent(t))
	require.EqualValues(t, 17, r.Bits(5))
	require.EqualValues(t, 0, r.Bits(1))
	require.EqualValues(t, 0x3FFFFFFF, r.Bits(32))
	require.EqualValues(t, 0, r.Bits(8))
	require.Zero(t, r.Unread())
}

func objectsOfAnotherKindAreLogged(t *testing.T) {
	tb := sit(t, 1)
	id, _ := tb.hangs()
	for range 2 {
		require.NoError(t, arena.LifeRef{ID: id}.Damage(tb.clients[0].Server(), 1, arena.Pos{}, arena.Fall, arena.Head, 0))
		tb.plays()
	}
	require.Empty(t, tb.happened())
	require.Equal(t, "type=2", tb.server.drops())
	require.Equal(t, 1, strings.Count(tb.log.String(), `level=WARN msg="Call to an object that is not there" method=LifeServer.Damage id=00000001 from="player 1" reason=type`), tb.log.String())
}

// names takes what has many arguments.
type names struct{ *table }

func (n names) NameClient(c rpc.ClientCall, to, ref, out, args, done, direct uint8) {
	n.notes("%v", []uint8{to, ref, out, args, done, direct})
}

func (n names) Packages(rpc, wire, msgs, transport, time, layout uint8, a, r, w, m, in, err, values, results, target uint8) {
	n.notes("%v", []uint8{rpc, wire, msgs, transport, time, layout, a, r, w, m, in, err, values, results, target})
}

func (n names) Types(Place everything.Place, uint8 uint8, string string, error bool, nil bool, any bool, toArg uint8) {
	n.notes("%v %v %v %v %v %v %v", Place, uint8, string, error, nil, any, toArg)
}

func (n names) Locals(done uint8) (uint8, everything.Place, uint8, bool, uint8, error) {
	return done, everything.Place{X: 1, Y: 2, Z: 3}, 4, true, 5, nil
}

func manyArgumentsKeepTheirOrder(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Contracts = append(c.Contracts, &everything.Contract) })
	require.NoError(t, everything.BindNameClient(tb.clients[0].Calls, names{tb}))
	to, ref := tb.server.To(tb.clients[0].peer), everything.NameRef{}
	require.NoError(t, ref.NameClient(to, 1, 2, 3, 4, 5, 6))
	require.NoError(t, ref.Packages(to, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
	require.NoError(t, ref.Types(to, everything.Place{X: 1, Y: -2, Z: 3}, 4, "fiv", true, false, true, 6))
	_, err := ref.Locals(to, 9, func(out uint8, at everything.Place, f uint8, ok bool, r uint8, err error) {
		tb.notes("%v %v %v %v %v %v", out, at, f, ok, r, err)
	})
	require.NoError(t, err)
	tb.plays()
	require.Equal(t, []string{
		"[1 2 3 4 5 6]", "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]", "{1 -2 3} 4 fiv true false true 6", "9 {1 2 3} 4 true 5 <nil>",
	}, tb.happened())
}

func callsWithoutArguments(t *testing.T) {
	tb := sit(t, 2)
	id, _ := tb.hangs()
	require.NoError(t, arena.DoorRef{ID: id}.Gone(tb.server.To(tb.clients[1].peer)))
	tb.plays()
	require.Equal(t, []string{"client 2: 00000001 gone"}, tb.happened())
}

func argumentsAreFilledInByHand(t *testing.T) {
	tb := sit(t, 1)
	m := place("LevelClient.LevelNumber")
	out := tb.server.To(tb.clients[0].peer).Begin(&arena.Contract, m, 0)
	w := wire.NewBitWriter(nil)
	w.Uint8(77)
	r := wire.NewBitReader(w.Bytes())
	arena.Contract.Methods[m].Args.Decode(&r, out.Args)
	require.NoError(t, out.Send())
	tb.plays()
	require.Equal(t, []string{"client 1: level 77"}, tb.happened())
}

func callsWithArguments(t *testing.T) {
	tb := sit(t, 2)
	id, _ := tb.hangs()
	require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.To(tb.clients[1].peer), 90))
	require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.To(tb.clients[0].peer), 3))
	tb.plays()
	for _, s := range tb.clients {
		s.Run(rpc.AfterFixed)
	}
	require.Equal(t, []string{"client 1: painted 3", "client 2: 00000001 swung to 90.0"}, tb.happened())
}

func clientsCallObjects(t *testing.T) {
	tb := sit(t, 1)
	first, _ := tb.hangs()
	second, _ := tb.hangs()
	for _, id := range []rpc.NetID{second, first} {
		require.NoError(t, arena.DoorRef{ID: id}.Toggle(tb.clients[0].Server(), arena.Closed, arena.Pos{X: 1}))
	}
	tb.plays()
	require.Equal(t, []string{"player 1: toggle 00000002 Closed at {1 0 0}", "player 1: toggle 00000001 Closed at {1 0 0}"}, tb.happened())
}

// counted is the arena's contract that counts how often one of its methods is encoded and decoded.
func counted(name string, encodes, decodes *int) *rpc.Contract {
	return copied(func(c *rpc.Contract) {
		v := &c.Methods[place(name)].Args
		encode, decode := v.Encode, v.Decode
		v.Encode = func(w *wire.BitWriter, values any) { *encodes++; encode(w, values) }
		v.Decode = func(r *wire.BitReader, values any) { *decodes++; decode(r, values) }
	})
}

func callsToManyAreEncodedOnce(t *testing.T) {
	var encodes, decodes int
	c := counted("LevelClient.LevelNumber", &encodes, &decodes)
	tb := sit(t, 5, with(c))
	require.NoError(t, tb.server.All().Begin(c, place("LevelClient.LevelNumber"), 0).Send())
	tb.plays()
	require.Len(t, tb.happened(), 5)
	require.Equal(t, []int{1, 5}, []int{encodes, decodes})
	require.Equal(t, rpc.Count{Calls: 5, Bytes: 10}, tb.server.Stats().Sent)
}

// listens connects the first of the clients direct to the server.
func (tb *table) listens() *side {
	local := tb.clients[0]
	require.NoError(tb, rpc.Direct(tb.server.Calls, local.peer, local.Calls))
	return local
}

func callsToManyRunHereToo(t *testing.T) {
	tb := sit(t, 3)
	local := tb.listens()
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.Only(tb.clients[1].peer, local.peer), 3))
	require.Equal(t, []string{"client 1: level 3"}, tb.happened())
	tb.plays()
	require.Equal(t, []string{"client 2: level 3"}, tb.happened())
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.Only(tb.clients[1].peer, tb.clients[2].peer), 4))
	require.Empty(t, tb.happened(), "not if it is not among them")
	tb.plays()
	require.Len(t, tb.happened(), 2)
}

func callsToAllRunHereToo(t *testing.T) {
	tb := sit(t, 3)
	tb.listens()
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.All(), 3))
	tb.plays()
	require.Equal(t, []string{"client 1: level 3", "client 2: level 3", "client 3: level 3"}, tb.happened())
	require.EqualValues(t, 2, tb.server.Stats().Sent.Calls)
}

func callsRunHereOrAreSent(t *testing.T) {
	tb := sit(t, 2)
	local := tb.listens()
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.To(local.peer), 3))
	require.Zero(t, tb.server.Stats().Sent.Calls)
	require.Len(t, tb.happened(), 1)
	tb.plays()
	require.Empty(t, tb.happened())
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.To(tb.clients[1].peer), 3))
	require.EqualValues(t, 1, tb.server.Stats().Sent.Calls)
	require.Empty(t, tb.happened())
}

func listenServersAreCalledDirect(t *testing.T) {
	tb := sit(t, 1)
	local := tb.listens()
	require.NoError(t, arena.LevelRef{}.Hello(local.Server()))
	require.Equal(t, []string{"player 1: hello"}, tb.happened(), "it has run, and nobody pumped")
	require.Zero(t, local.Stats().Sent.Calls)
}

func directCallsAreNotEncoded(t *testing.T) {
	var encodes, decodes int
	for name, plain := range map[string]string{"LevelClient.LevelNumber": "client 1: level 0", "LevelServer.Hello": "player 1: hello"} {
		c := counted(name, &encodes, &decodes)
		tb := sit(t, 1, with(c))
		local := tb.listens()
		to := tb.server.To(local.peer)
		if name == "LevelServer.Hello" {
			to = local.Server()
		}
		require.NoError(t, to.Begin(c, place(name), 0).Send())
		require.Equal(t, []string{plain}, tb.happened())
		require.Zero(t, encodes+decodes)
		require.Zero(t, tb.server.router.Stats().Out.Messages+local.router.Stats().Out.Messages)
	}
}

func netIDsHave32Bits(t *testing.T) {
	var id rpc.NetID = 1<<32 - 1
	require.Equal(t, "ffffffff", id.String())
	tb := sit(t, 1)
	for range 100 {
		require.NotZero(t, tb.claims())
	}
	require.ErrorIs(t, arena.DoorRef{}.Toggle(tb.clients[0].Server(), arena.Open, arena.Pos{}), rpc.ErrNoID)
	require.ErrorIs(t, arena.BindDoorServer(tb.server.Calls, 0, &door{}), rpc.ErrNoID)
	_, there := rpc.Get[any](tb.server.Objects(), 0)
	require.False(t, there)
}

// partNames are the parts of a player.
var partNames = []string{
	"inventory", "life", "skills", "movement", "look", "clothing", "equipment", "crafting", "quests", "stance", "voice", "animator", "interaction", "input", "manager", "channels",
}

func playersHave17IDs(t *testing.T) {
	tb := sit(t, 0)
	objects := tb.server.Objects()
	seen := map[rpc.NetID]bool{}
	for range 100 {
		first, err := objects.ClaimBlock(17)
		require.NoError(t, err)
		for i := range 17 {
			require.False(t, seen[first.Add(i)])
			seen[first.Add(i)] = true
		}
		next := tb.claims()
		require.Equal(t, first.Add(17), next, "and no more")
	}
}

func partsOfAPlayerAreObjects(t *testing.T) {
	tb := sit(t, 1)
	first, err := tb.server.Objects().ClaimBlock(1 + len(partNames))
	require.NoError(t, err)
	for i, name := range partNames {
		require.NoError(t, arena.BindDoorServer(tb.server.Calls, first.Add(1+i), &part{tb, name}))
	}
	for i := range partNames {
		_, err := arena.DoorRef{ID: first.Add(1 + i)}.Price(tb.clients[0].Server(), 0, nil)
		require.NoError(t, err)
		tb.plays()
		require.Equal(t, []string{partNames[i]}, tb.happened())
	}
	_, err = arena.DoorRef{ID: first}.Price(tb.clients[0].Server(), 0, nil)
	require.NoError(t, err)
	tb.plays()
	require.Equal(t, "target=1", tb.server.drops(), "the player itself is no part")
}

// part is a part of a player.
type part struct {
	*table
	name string
}

func (p *part) Toggle(rpc.ServerCall, arena.Latch, arena.Pos) error { return nil }
func (p *part) Price(rpc.ServerCall, uint16) (arena.Coins, error) {
	p.notes("%s", p.name)
	return 0, nil
}

func enumsAreRead(t *testing.T) {
	tb := sit(t, 1, unlimited)
	id, _ := tb.hangs()
	for value := range uint32(4) {
		tb.now += int64(time.Second)
		tb.clients[0].forges(frame(toggle, on(id), bits(value, 2), pos))
		tb.plays()
	}
	require.Len(t, tb.happened(), 3)
	require.Equal(t, "malformed=1", tb.server.drops())
}

func storedCallsOwnTheirBytes(t *testing.T) {
	tb := sit(t, 1) // loopback poisons what it lent
	require.NoError(t, arena.LevelRef{}.Notice(tb.server.All(), "first", []uint8{1, 2}))
	tb.plays()
	require.NoError(t, arena.LevelRef{}.Notice(tb.server.All(), "other", []uint8{3, 4}))
	tb.plays()
	tb.clients[0].Run(rpc.BeforeRender)
	require.Equal(t, []string{"client 1: notice first [1 2]", "client 1: notice other [3 4]"}, tb.happened())
}

func storedCallsAreTimedApart(t *testing.T) {
	var clock int64
	tb := sit(t, 1, func(c *rpc.Config) { c.Clock = func() int64 { clock += 5; return clock } })
	id := tb.claims()
	client := tb.clients[0]
	require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.All(), 1))
	require.NoError(t, arena.LevelRef{}.Notice(tb.server.All(), "x", nil))
	tb.plays()
	require.NoError(t, arena.BindDoorClient(client.Calls, id, &shownDoor{table: tb, at: client}))
	require.NoError(t, arena.DoorRef{ID: id}.Painted(tb.server.All(), 2))
	tb.plays()
	client.Run(rpc.BeforeRender)
	require.Len(t, tb.happened(), 3)
	times := map[string][2]uint64{}
	for m := range client.Methods() {
		times[m.Method] = [2]uint64{m.Time.Calls, m.Deferred.Calls}
		require.Equal(t, int64(5*m.Deferred.Calls), m.Deferred.Sum)
	}
	require.Equal(t, [2]uint64{1, 1}, times["DoorClient.Painted"])
	require.Equal(t, [2]uint64{0, 1}, times["LevelClient.Notice"])
}

func callsUseNoReflection(t *testing.T) {
	for _, pattern := range []string{"../../rpc/*.go", "../testcontract/zrpc.go", "../testcatalogue/bits/zrpc.go"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			if name := filepath.Base(file); name == "definefields.go" || name == "objects.go" || strings.HasSuffix(name, "_test.go") {
				continue // which look at what is defined, and at what is bound
			}
			require.NotContains(t, string(source), `"reflect"`, file)
		}
	}
}

func whatIsNotMeasuredCostsNothing(t *testing.T) {
	tb := sit(t, 1)
	id, _ := tb.hangs()
	_, err := arena.DoorRef{ID: id}.Price(tb.clients[0].Server(), 1, nil)
	require.NoError(t, err)
	require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
	tb.plays()
	require.Len(t, tb.happened(), 2)
	for m := range tb.server.Methods() {
		require.Zero(t, m.Time)
		require.Zero(t, m.Deferred)
	}
}
