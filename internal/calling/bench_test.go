package calling

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/stopwatch"
	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

// wall is a door that does next to nothing.
type wall struct{ painted int }

func (w *wall) Swung(rpc.ClientCall, arena.Degrees) { w.painted++ }
func (w *wall) Painted(colour uint8)                { w.painted += int(colour) }
func (w *wall) Gone(rpc.ClientCall)                 { w.painted = 0 }

var painted arena.DoorClient = &wall{}

// BenchmarkInterfaceCall is what a direct call is measured by.
func BenchmarkInterfaceCall(b *testing.B) {
	defer stopwatch.Op(b)()
	for b.Loop() {
		painted.Painted(1)
	}
}

// BenchmarkDirect calls one object in this process again and again, and BenchmarkDirectInTurn two of them.
func BenchmarkDirect(b *testing.B) {
	tb := sit(&testing.T{}, 1)
	id, to := tb.direct(b)
	defer stopwatch.Op(b)()
	for b.Loop() {
		_ = arena.DoorRef{ID: id}.Painted(to, 1)
	}
	require.Equal(b, "none", tb.clients[0].drops())
}

func BenchmarkDirectInTurn(b *testing.B) {
	tb := sit(&testing.T{}, 1)
	id, to := tb.direct(b)
	other := tb.wall(b)
	defer stopwatch.Op(b)()
	for b.Loop() {
		_ = arena.DoorRef{ID: id}.Painted(to, 1)
		_ = arena.DoorRef{ID: other}.Painted(to, 1)
	}
	require.Equal(b, "none", tb.clients[0].drops())
}

// BenchmarkDirectRequest asks the server in this process, which keeps accounts of it.
func BenchmarkDirectRequest(b *testing.B) {
	tb := sit(&testing.T{}, 1, unlimited)
	_, _ = tb.direct(b)
	door, _ := tb.calm(b)
	answered := 0
	done := func(arena.Coins, error) { answered++ }
	to := tb.clients[0].Server()
	defer stopwatch.Op(b)()
	for b.Loop() {
		_, _ = arena.DoorRef{ID: door}.Price(to, 1, done)
	}
	require.NotZero(b, answered)
}

// BenchmarkRequest asks the server over a pipe, and takes the answer: four frames, two of them of either side.
func BenchmarkRequest(b *testing.B) {
	tb := sit(&testing.T{}, 1, unlimited)
	door, _ := tb.calm(b)
	answered := 0
	done := func(arena.Coins, error) { answered++ }
	to := tb.clients[0].Server()
	defer stopwatch.Op(b)()
	for b.Loop() {
		_, _ = arena.DoorRef{ID: door}.Price(to, 1, done)
		tb.step()
		tb.step()
	}
	require.Equal(b, b.N, answered)
}

// BenchmarkSend calls a client, whose connection takes the call and drops the oldest that nobody reads.
func BenchmarkSend(b *testing.B) {
	tb := sit(&testing.T{}, 1)
	door, _ := tb.calm(b)
	to := tb.server.To(tb.clients[0].peer)
	defer stopwatch.Op(b)()
	for b.Loop() {
		_ = arena.DoorRef{ID: door}.Swung(to, 45)
	}
	require.Zero(b, tb.server.Stats().Unsent)
}

// BenchmarkBroadcast calls 64 clients. Nobody reads, so the queues are filled first: from then on each call pushes out the oldest.
func BenchmarkBroadcast(b *testing.B) {
	tb := sit(&testing.T{}, 64)
	door, _ := tb.calm(b)
	for range 5000 {
		_ = arena.DoorRef{ID: door}.Swung(tb.server.All(), 45)
	}
	defer stopwatch.Op(b)()
	for b.Loop() {
		_ = arena.DoorRef{ID: door}.Swung(tb.server.All(), 45)
	}
	require.Zero(b, tb.server.Stats().Unsent)
}

// BenchmarkDispatch takes a call of a client through all checks to its method.
func BenchmarkDispatch(b *testing.B) {
	tb := sit(&testing.T{}, 1, unlimited)
	_, life := tb.calm(b)
	call := frame(damage, on(life), bits(1, 8), pos, bits(2, 3), bits(1, 2), bits(0, 32), bits(9, 32))
	ev := transport.Event{Kind: transport.Message, Conn: tb.clients[0].peer.Conn(), Payload: call, Delivery: transport.ReliableOrdered, At: tb.now}
	defer stopwatch.Op(b)()
	for b.Loop() {
		tb.server.router.Route(ev)
	}
	require.Equal(b, "none", tb.server.drops())
}

// direct hangs a wall at the first client and connects that to the server.
func (tb *table) direct(t testing.TB) (rpc.NetID, rpc.Audience) {
	require.NoError(t, rpc.Direct(tb.server.Calls, tb.clients[0].peer, tb.clients[0].Calls))
	return tb.wall(t), tb.server.To(tb.clients[0].peer)
}

// wall hangs a wall at the first client.
func (tb *table) wall(t testing.TB) rpc.NetID {
	id, err := tb.server.Objects().Claim()
	require.NoError(t, err)
	require.NoError(t, arena.BindDoorClient(tb.clients[0].Calls, id, &wall{}))
	return id
}

// BenchmarkWaiting has one client's call wait for an object, and its oldest one dropped for it, while as many as may wait of 63 others.
func BenchmarkWaiting(b *testing.B) {
	tb := sit(&testing.T{}, 64, unlimited)
	life := tb.claims()
	require.NoError(b, tb.server.Objects().Expect(life, 1))
	call := frame(damage, on(life), bits(1, 8), pos, bits(2, 3), bits(1, 2), bits(0, 32), bits(9, 32))
	event := func(s *side) transport.Event {
		return transport.Event{Kind: transport.Message, Conn: s.peer.Conn(), Payload: call, Delivery: transport.ReliableOrdered, At: tb.now}
	}
	for range 256 {
		for _, s := range tb.clients {
			tb.server.router.Route(event(s))
		}
	}
	ev := event(tb.clients[63])
	defer stopwatch.Op(b)()
	for b.Loop() {
		tb.server.router.Route(ev)
	}
	require.NotZero(b, tb.server.Stats().Drops[rpc.DropWaiting])
}

// BenchmarkShow shows 4,096 objects to 8 clients and clears the level.
func BenchmarkShow(b *testing.B) {
	tb := sit(&testing.T{}, 8)
	objects := tb.server.Objects()
	defer stopwatch.Op(b)()
	for b.Loop() {
		for range 4096 {
			id := tb.claims()
			require.NoError(b, arena.BindLifeServer(tb.server.Calls, id, &lifeOf{tb}))
			for _, s := range tb.clients {
				objects.Show(id, s.peer)
			}
		}
		objects.Clear()
	}
	require.Zero(b, objects.Len())
}
