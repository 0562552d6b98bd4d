package calling

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	everything "github.com/gannet-net/gannet/internal/testcatalogue/bits"
	arena "github.com/gannet-net/gannet/internal/testcontract"
	turret "github.com/gannet-net/gannet/internal/testplugin"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
)

// dump is both tables of a side.
func (s *side) dump() string {
	var b strings.Builder
	s.Dump(&b)
	return b.String()
}

// copied is the arena's contract with changes that no other test sees.
func copied(change func(*rpc.Contract)) *rpc.Contract {
	c := &rpc.Contract{Catalogue: arena.Contract.Catalogue, Methods: slices.Clone(arena.Contract.Methods)}
	change(c)
	return c
}

func with(c *rpc.Contract) func(*rpc.Config) {
	return func(config *rpc.Config) { config.Contracts = []*rpc.Contract{c} }
}

func contractsAreRegisteredAtTheStart(t *testing.T) {
	dump := sit(t, 0).server.dump()
	for i := range arena.Contract.Methods {
		require.Contains(t, dump, " "+arena.Contract.Methods[i].Name+"\n")
	}
	router, err := msgs.NewRouter(msgs.Config{Side: msgs.Host, Catalogues: []msgs.Mount{rpc.Mount(0, 0)}})
	require.NoError(t, err)
	_, err = rpc.New(rpc.Config{Router: router, Contracts: []*rpc.Contract{&turret.Contract}})
	require.ErrorContains(t, err, "TurretServer.Load has channel 1, and calls are mounted with 0 spare channels: mount them with more, such as rpc.Mount(channel, 1)")
	_, err = rpc.New(rpc.Config{Router: router, Contracts: []*rpc.Contract{nil}})
	require.ErrorContains(t, err, "Contracts[0]", "and what cannot be is told at the start")
}

func methodsComeWithTheirCode(t *testing.T) {
	for _, c := range []*rpc.Contract{&arena.Contract, &turret.Contract, &everything.Contract} {
		for i := range c.Methods {
			m := &c.Methods[i]
			for _, v := range []*rpc.Values{&m.Args, &m.Results} {
				if v == &m.Args || m.Reply {
					require.NotNil(t, v.New, m.Name)
					require.NotNil(t, v.Encode, m.Name)
					require.NotNil(t, v.Decode, m.Name)
				}
			}
			require.NotNil(t, m.Call, m.Name)
		}
	}
}

func methodsAreThoseOfInterfaces(t *testing.T) {
	var want, have []string
	for _, typ := range []reflect.Type{
		reflect.TypeFor[arena.LevelClient](), reflect.TypeFor[arena.LevelServer](), reflect.TypeFor[arena.DoorServer](), reflect.TypeFor[arena.DoorClient](), reflect.TypeFor[arena.LifeServer](),
	} {
		for i := range typ.NumMethod() {
			want = append(want, typ.Name()+"."+typ.Method(i).Name)
		}
	}
	for i := range arena.Contract.Methods {
		have = append(have, arena.Contract.Methods[i].Name)
	}
	require.ElementsMatch(t, want, have)
}

func sidesHaveTheirOwnMethods(t *testing.T) {
	client, server, found := strings.Cut(sit(t, 0).server.dump(), "server methods")
	require.True(t, found)
	for i := range arena.Contract.Methods {
		m := &arena.Contract.Methods[i]
		isClient := strings.Contains(client, " "+m.Name+"\n")
		require.Equal(t, strings.HasSuffix(m.Of.Name, "Client"), isClient, m.Name)
		require.NotEqual(t, isClient, strings.Contains(server, " "+m.Name+"\n"), m.Name)
	}
}

// renamed is a contract with code for a method that is called otherwise in the description.
func renamed() *rpc.Contract {
	return copied(func(c *rpc.Contract) { c.Methods[place("LevelServer.Hello")].Name = "LevelServer.Hallo" })
}

func codeIsMatchedByName(t *testing.T) {
	tb := sit(t, 0)
	require.Empty(t, tb.log.String(), "what fits is not logged")
	stale := &table{T: t}
	stale.newSide(msgs.Host, with(renamed()))
	require.Contains(t, stale.log.String(), "LevelServer.Hallo")
	require.Contains(t, stale.log.String(), "LevelServer.Hello")
}

func methodsWithoutCodeAreLogged(t *testing.T) {
	tb := &table{T: t}
	tb.newSide(msgs.Host, with(renamed()))
	require.Contains(t, tb.log.String(), `level=ERROR msg="Method not registered" method=LevelServer.Hello reason="there is no code for it; run go generate"`)
}

func codeThatIsNotUsedIsLogged(t *testing.T) {
	tb := &table{T: t}
	tb.newSide(msgs.Host, with(renamed()))
	require.Contains(t, tb.log.String(), `level=WARN msg="Method is not used: its contract does not have it; run go generate" method=LevelServer.Hallo`)
}

func valuesAreMadeAtTheFirstCall(t *testing.T) {
	made := 0
	c := copied(func(c *rpc.Contract) {
		v := &c.Methods[place("LevelServer.Hello")].Args
		origin := v.New
		v.New = func() any { made++; return origin() }
	})
	tb := sit(t, 1, with(c))
	require.Zero(t, made)
	for range 3 {
		require.NoError(t, tb.clients[0].Server().Begin(c, place("LevelServer.Hello"), 0).Send())
		tb.plays()
	}
	require.Len(t, tb.happened(), 3)
	require.Equal(t, 2, made, "once to send and once to receive")
}

func oneBadMethodStopsNoOther(t *testing.T) {
	c := copied(func(c *rpc.Contract) { c.Methods[place("LevelServer.Spawn")].Call = nil })
	tb := sit(t, 1, with(c))
	require.Contains(t, tb.log.String(), "LevelServer.Spawn")
	for _, name := range []string{"LevelServer.Hello", "LevelServer.Say"} { // before it and behind it
		require.NoError(t, tb.clients[0].Server().Begin(c, place(name), 0).Send())
	}
	tb.plays()
	require.Equal(t, []string{"player 1: hello", "player 1: say "}, tb.happened())
}

func registeringIsTimed(t *testing.T) {
	var clock int64
	tb := sit(t, 0, func(c *rpc.Config) { c.Clock = func() int64 { clock += 7; return clock } })
	require.EqualValues(t, 7, tb.server.Stats().Registering)
	require.NoError(t, tb.server.Register(&turret.Contract))
	require.EqualValues(t, 14, tb.server.Stats().Registering)
	require.Zero(t, sit(t, 0).server.Stats().Registering, "not without a clock")
}

func tablesHaveALengthAndAWidth(t *testing.T) {
	require.Regexp(t, `^6 client methods \(3 bits\):\n(\d+ \w+Client\.\w+\n){6}8 server methods \(4 bits\):\n(\d+ \w+Server\.\w+\n){8}$`, sit(t, 0).server.dump())
}

func indexesAreTheSameAtBothEnds(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Contracts = append(c.Contracts, &turret.Contract) })
	require.Equal(t, tb.server.dump(), tb.clients[0].dump())
	next := map[string]int{}
	for line := range strings.Lines(tb.server.dump()) {
		if index, name, _ := strings.Cut(strings.TrimSpace(line), " "); strings.Contains(name, ".") {
			of := "server"
			if strings.Contains(name, "Client.") {
				of = "client"
			}
			require.Equal(t, fmt.Sprint(next[of]), index, name)
			next[of]++
		}
	}
}

func methodsKnowWhatTheyAre(t *testing.T) {
	m := &arena.Contract.Methods[place("DoorClient.Swung")]
	require.Equal(t, rpc.Interface{Name: "DoorClient", At: msgs.Client, Instance: true}, *m.Of)
	require.Equal(t, []any{uint16(3), "DoorClient.Swung", rpc.Queue, 2 * time.Second, rpc.AfterFixed}, []any{m.ID, m.Name, m.Missing, m.Wait, m.Phase})
	require.Contains(t, sit(t, 0).server.dump(), "\n3 DoorClient.Swung\n")
}

func onlyMethodsWithARateHaveOne(t *testing.T) {
	tb := sit(t, 1, unlimited)
	tb.play(tb.clients[0])
	for range 50 {
		tb.clients[0].forges(frame(hello))
	}
	for range 50 {
		tb.clients[0].forges(frame(spawn, bits(1, 16)))
	}
	tb.plays()
	for m := range tb.server.Methods() {
		if m.Method == "LevelServer.Spawn" {
			require.Equal(t, "rate=49", m.Drops.String())
		} else {
			require.Equal(t, "none", m.Drops.String(), m.Method)
		}
	}
	require.Len(t, tb.happened(), 51)
}

func contractsCarryPolicies(t *testing.T) {
	m := &arena.Contract.Methods[place("DoorServer.Toggle")]
	require.Equal(t, []any{"DoorServer.Toggle", true, rpc.Rate{Count: 10, Per: time.Second, Burst: 3}}, []any{m.Name, m.Owner, m.Rate})
	widths := methodOf(t, &everything.Contract, "ShapeServer.Widths")
	require.Equal(t, []any{true, uint64(0b11), rpc.Rate{Count: 30, Per: time.Minute, Burst: 4}, rpc.Report}, []any{widths.Owner, widths.States, widths.Rate, widths.Missing})
	vectors := methodOf(t, &everything.Contract, "ShapeServer.Vectors")
	require.Equal(t, []any{250 * time.Millisecond, true, rpc.Rate{}}, []any{vectors.TTL, vectors.Urgent, vectors.Rate})
	texts := methodOf(t, &everything.Contract, "ShapeServer.Texts")
	require.Equal(t, []any{rpc.Queue, time.Second, rpc.Now}, []any{texts.Missing, texts.Wait, texts.Phase}, "what a call says of itself goes before its interface")
	require.Equal(t, 1500*time.Millisecond, methodOf(t, &everything.Contract, "ShapeServer.Buy").Deadline)
}

func methodOf(t *testing.T, c *rpc.Contract, name string) *rpc.Method {
	i := slices.IndexFunc(c.Methods, func(m rpc.Method) bool { return m.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return &c.Methods[i]
}

func ratesOfPluginsAreTheirOwn(t *testing.T) {
	tb := sit(t, 1, unlimited, func(c *rpc.Config) { c.Contracts = append(c.Contracts, &turret.Contract) })
	at := tb.mounts()
	tb.play(tb.clients[0])
	to := tb.clients[0].Server()
	require.NoError(t, arena.LevelRef{}.Spawn(to, 1))
	require.ErrorIs(t, arena.LevelRef{}.Spawn(to, 1), rpc.ErrRate)
	for range 4 {
		require.NoError(t, at.Aim(to, turret.Pos{}))
	}
	require.ErrorIs(t, at.Aim(to, turret.Pos{}), rpc.ErrRate)
	tb.plays()
	require.Len(t, tb.happened(), 5)
	require.Equal(t, "none", tb.server.drops())
}

func methodsAreFoundByName(t *testing.T) {
	tb := sit(t, 1)
	for _, name := range []string{"LevelServer.Hello", "LevelServer.Say"} {
		require.NoError(t, tb.clients[0].Server().Begin(&arena.Contract, place(name), 0).Send())
	}
	tb.plays()
	require.Equal(t, []string{"player 1: hello", "player 1: say "}, tb.happened())
}

func smallTablesHaveSmallIndexes(t *testing.T) {
	tb := sit(t, 1)
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.To(tb.clients[0].peer), 7))
	require.EqualValues(t, 2, tb.server.Stats().Sent.Bytes, "3 bits of an index and 8 of a number")
	require.NoError(t, arena.DoorRef{ID: 1}.Gone(tb.server.To(tb.clients[0].peer)))
	require.EqualValues(t, 2+5, tb.server.Stats().Sent.Bytes, "3 bits and 32")
}

func bothTablesAreListed(t *testing.T) {
	require.Equal(t, `6 client methods (3 bits):
0 LevelClient.LevelNumber
1 LevelClient.Notice
2 LevelClient.Ready
3 DoorClient.Swung
4 DoorClient.Painted
5 DoorClient.Gone
8 server methods (4 bits):
0 LevelServer.Hello
1 LevelServer.Spawn
2 LevelServer.Save
3 DoorServer.Toggle
4 DoorServer.Price
5 LifeServer.Damage
6 LevelServer.Say
7 LifeServer.Heal
`, sit(t, 0).server.dump())
}
