package calling

import (
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

func TestAnIndexTakesTheBitsThatCountTheMethods(t *testing.T) {
	for _, c := range []struct{ methods, bits int }{{1, 1}, {2, 2}, {100, 7}, {127, 7}, {128, 8}, {129, 8}, {150, 8}, {250, 8}, {255, 8}, {256, 9}} {
		many := manyOf(c.methods, "LevelClient.LevelNumber", "LevelServer.Hello")
		server := wiredSide(t, msgs.Host, rpc.Config{Contracts: []*rpc.Contract{many}})
		var dump strings.Builder
		server.Dump(&dump)
		require.Contains(t, dump.String(), fmt.Sprintf("%d client methods (%d bits):\n0 LevelClient.LevelNumber0\n", c.methods, c.bits))

		client := wiredSide(t, msgs.Client, rpc.Config{Contracts: []*rpc.Contract{many}})
		for _, index := range []int{0, c.methods / 2, c.methods - 1} {
			require.NoError(t, client.Server().Begin(many, c.methods+index, 0).Send())
			sent := client.sent(t)
			require.Len(t, sent, (4+c.bits+7)/8)
			value := 0
			for i, b := range sent {
				value |= int(b) << (8 * i)
			}
			require.Equal(t, index, value>>4, "%d of %d", index, c.methods)
		}
	}
}

func TestEachIndexCallsItsMethodAndNoOther(t *testing.T) {
	for _, n := range []int{1, 2, 127, 128, 129, 255, 256} {
		many := manyOf(n, "LevelClient.LevelNumber", "LevelServer.Hello")
		ran := -1
		for i := range n {
			many.Methods[n+i].Call = func(*rpc.In, any) { ran = i }
		}
		edit := func(c *rpc.Config) { c.Contracts = []*rpc.Contract{&arena.Contract, many}; unlimited(c) }
		tb := sit(t, 1, edit)
		require.NoError(t, tb.server.Bind(many.Methods[n].Of, 0, tb, tb))
		for i := range n {
			ran = -1
			require.NoError(t, tb.clients[0].Server().Begin(many, n+i, 0).Send())
			tb.plays()
			require.Equal(t, i, ran)
		}
		require.Equal(t, "none", tb.server.drops())
	}
}

func TestAPluginIsRegisteredLaterByTheSameRules(t *testing.T) {
	tb := sit(t, 1)
	plugin := manyOf(200, "LevelClient.LevelNumber", "LevelServer.Hello")
	plugin.Methods[200+199].Call = func(*rpc.In, any) { tb.notes("the last of the plugin") }
	for _, s := range []*side{tb.server, tb.clients[0]} {
		require.NoError(t, s.Register(plugin))
		require.ErrorContains(t, s.Register(plugin), "registered already")
		require.ErrorContains(t, s.Register(manyOf(1, "LevelClient.LevelNumber", "LevelServer.Hello")), "two contracts are named many")
	}
	var dump strings.Builder
	tb.server.Dump(&dump)
	require.Contains(t, dump.String(), "208 server methods (8 bits):\n0 LevelServer.Hello\n")
	require.Contains(t, dump.String(), "\n207 LevelServer.Hello199\n")
	require.NoError(t, tb.server.Bind(plugin.Methods[200].Of, 0, tb, tb))
	require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
	require.NoError(t, tb.clients[0].Server().Begin(plugin, 200+199, 0).Send())
	tb.plays()
	require.Equal(t, []string{"player 1: hello", "the last of the plugin"}, tb.happened())
}

func TestWhatIsNotCompleteIsLoggedAndTheOthersAreRegistered(t *testing.T) {
	tb := sit(t, 1)
	plugin := manyOf(3, "LevelClient.LevelNumber", "LevelServer.Hello")
	plugin.Methods[4].Call = nil
	plugin.Methods[5].Call = func(*rpc.In, any) { tb.notes("the one after it") }
	for _, s := range []*side{tb.server, tb.clients[0]} {
		require.NoError(t, s.Register(plugin))
	}
	require.Contains(t, tb.log.String(), `msg="Method not registered" method=LevelServer.Hello1 reason="it has no Call"`)
	require.NoError(t, tb.server.Bind(plugin.Methods[5].Of, 0, tb, tb))
	require.ErrorIs(t, tb.clients[0].Server().Begin(plugin, 4, 0).Send(), rpc.ErrNotRegistered)
	require.NoError(t, tb.clients[0].Server().Begin(plugin, 5, 0).Send())
	tb.clients[0].forges(frame(9))
	tb.plays()
	require.Equal(t, []string{"the one after it"}, tb.happened())
	require.Equal(t, "unknown=1", tb.server.drops())
}

func TestWhatWouldBeAmbiguousIsRefusedWithItsNames(t *testing.T) {
	tb := sit(t, 0)
	twice := manyOf(2, "LevelClient.LevelNumber", "LevelServer.Hello")
	twice.Methods[1].Name = twice.Methods[0].Name
	require.ErrorContains(t, tb.server.Register(twice), "two methods are named LevelClient.LevelNumber0")
	order := manyOf(2, "LevelClient.LevelNumber", "LevelServer.Hello")
	order.Methods[0].ID = 1
	require.ErrorContains(t, tb.server.Register(order), "LevelClient.LevelNumber1 has id 1 and comes after LevelClient.LevelNumber0, which has 1")
	states := manyOf(1, "LevelClient.LevelNumber", "LevelServer.Hello")
	states.Methods[0].States = 1
	require.ErrorContains(t, tb.server.Register(states), "catalogue many has to be among those of the router")
	require.ErrorContains(t, tb.server.Register(nil), "is nil")
	require.Error(t, tb.server.Register(manyOf(1<<16, "LevelClient.LevelNumber", "LevelServer.Hello")))
}

func TestAMethodOfAContractThatIsNotRegisteredIsNotSent(t *testing.T) {
	tb := sit(t, 1)
	other := manyOf(1, "LevelClient.LevelNumber", "LevelServer.Hello")
	require.ErrorIs(t, tb.clients[0].Server().Begin(other, 1, 0).Send(), rpc.ErrNotRegistered)
	require.ErrorIs(t, tb.server.Bind(&rpc.Interface{Name: "X", At: msgs.Host, Instance: true}, 1, t, t), rpc.ErrNotRegistered)
}

func TestStaticInterfacesAreBoundOnce(t *testing.T) {
	tb := sit(t, 0)
	var claims strings.Builder
	tb.server.Claims(&claims)
	require.Equal(t, "all 1 static interfaces are bound\n", claims.String())
	require.Empty(t, tb.server.Unbound())
	require.ErrorIs(t, arena.BindLevelServer(tb.server.Calls, levelServer{tb}), rpc.ErrBound)
	claims.Reset()
	tb.server.Claims(&claims)
	require.Equal(t, "LevelServer was bound 2 times\n", claims.String())

	fresh := wiredSide(t, msgs.Client, rpc.Config{Contracts: []*rpc.Contract{manyOf(2, "LevelClient.LevelNumber", "LevelServer.Hello")}})
	require.Equal(t, []string{"LevelClient"}, fresh.Unbound())
	claims.Reset()
	fresh.Claims(&claims)
	require.Equal(t, "LevelClient was bound 0 times\n", claims.String())
}

func TestNobodyRunsWhatNothingIsBoundTo(t *testing.T) {
	many := manyOf(2, "LevelClient.LevelNumber", "LevelServer.Hello")
	server := wiredSide(t, msgs.Host, rpc.Config{Contracts: []*rpc.Contract{many}})
	require.NoError(t, server.there.Send([]byte{0x06}, transport.SendOptions{Delivery: transport.ReliableOrdered}))
	server.router.Pump(server.here)
	require.Equal(t, "no-handler=1", server.Stats().Drops.String())
}

func TestTwoSidesCompareTheirContractsInWords(t *testing.T) {
	tb := sit(t, 1)
	mine := tb.server.Description()
	require.Equal(t, tb.clients[0].Fingerprint(), tb.server.Fingerprint())
	found, err := tb.server.Compare(mine)
	require.NoError(t, err)
	require.Empty(t, found)

	theirs := strings.NewReplacer("  Colour uint8", "  Colour uint16", "call 5 DoorClient.Gone", "call 5 DoorClient.Away", "from owner delivery ordered channel 0\n  Amount", "from any delivery ordered channel 0\n  Amount").Replace(mine)
	found, err = tb.server.Compare(theirs + "catalogue plugin protocol PLUGIN-2 codec bits hostids 0 clientids 0\n")
	require.NoError(t, err)
	require.Equal(t, []string{
		"contract testcontract, method DoorClient.Painted (id 4), argument Colour: uint8 here, uint16 there",
		"contract testcontract, method DoorClient.Gone (id 5): runs at client, target instance, from any here, missing there",
		"contract testcontract, method LifeServer.Heal (id 7): runs at host, target instance, from owner here, runs at host, target instance, from any there",
		"contract testcontract, method DoorClient.Away (id 5): missing here, runs at client, target instance, from any there",
		"contract plugin: missing here, registered there",
	}, found)
	found, err = tb.server.Compare("")
	require.NoError(t, err)
	require.Equal(t, []string{"contract testcontract: registered here, missing there"}, found)
	_, err = tb.server.Compare("catalogue what")
	require.Error(t, err)
	_, err = tb.server.Compare(strings.Repeat("catalogue a protocol A codec bits hostids 0 clientids 0\n", 100))
	require.Error(t, err)
}

func TestTheLastCallsAreKept(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Recorder = 3 })
	id, _ := tb.hangs()
	for i := range 3 {
		tb.now = int64(i)
		require.NoError(t, arena.LevelRef{}.Say(tb.clients[0].Server(), fmt.Sprint("n", i)))
		tb.plays()
	}
	tb.clients[0].forges(frame(9))
	require.NoError(t, arena.DoorRef{ID: id}.Swung(tb.server.All(), 45))
	tb.plays()
	var last strings.Builder
	tb.server.Record(&last, 100)
	require.Equal(t, "2 from player 1: LevelServer.Say(Text \"n2\"), 4 bytes, handled\n"+
		"2 to player 1: DoorClient.Swung on 00000001(Angle 45), 6 bytes\n"+
		"2 from player 1: frame, 1 bytes, unknown\n", last.String())
	last.Reset()
	tb.server.Record(&last, 1)
	require.Equal(t, "2 from player 1: frame, 1 bytes, unknown\n", last.String())
}

func TestMethodsAreCountedAndTimed(t *testing.T) {
	var clock int64
	tb := sit(t, 1, func(c *rpc.Config) { c.Clock = func() int64 { clock += 5; return clock }; c.Labels = true })
	for range 3 {
		require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
	}
	tb.passes(time.Second)
	for m := range tb.server.Methods() {
		if m.Method == "LevelServer.Hello" {
			require.Equal(t, rpc.Timing{Calls: 3, Sum: 15, Max: 5}, m.Time)
			require.Equal(t, rpc.Count{Calls: 3, Bytes: 3}, m.Handled)
		} else {
			require.Zero(t, m.Handled.Calls)
		}
	}
	require.Equal(t, int64(5), tb.server.Stats().Registering)
	require.Equal(t, rpc.Count{Calls: 3, Bytes: 3}, tb.server.Peer(tb.clients[0].peer).Handled)
	tb.server.ResetStats()
	require.Zero(t, tb.server.Stats().Handled)
	require.Zero(t, tb.server.Peer(nil))
}

func TestTheProfileIsSplitByMethod(t *testing.T) {
	for _, labels := range []bool{false, true} {
		tb := sit(t, 1, func(c *rpc.Config) { c.Labels = labels })
		id, d := tb.hangs()
		var profile strings.Builder
		d.does = func(rpc.ServerCall) { require.NoError(t, pprof.Lookup("goroutine").WriteTo(&profile, 1)) }
		require.NoError(t, arena.DoorRef{ID: id}.Toggle(tb.clients[0].Server(), arena.Open, arena.Pos{}))
		tb.plays()
		require.Equal(t, labels, strings.Contains(profile.String(), `{"call":"DoorServer.Toggle"}`))
		profile.Reset()
		require.NoError(t, pprof.Lookup("goroutine").WriteTo(&profile, 1))
		require.NotContains(t, profile.String(), `"call":`)
	}
}
