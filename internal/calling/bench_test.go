package calling

import (
	"testing"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/rpc"
)

// wall is a door that does next to nothing.
type wall struct{ painted int }

func (w *wall) Swung(rpc.ClientCall, arena.Degrees) { w.painted++ }
func (w *wall) Painted(colour uint8)                { w.painted += int(colour) }
func (w *wall) Gone(rpc.ClientCall)                 { w.painted = 0 }

var painted arena.DoorClient = &wall{}

// BenchmarkInterfaceCall is what a direct call is measured by.
func BenchmarkInterfaceCall(b *testing.B) {
	for b.Loop() {
		painted.Painted(1)
	}
}

func BenchmarkDirect(b *testing.B) {
	tb := sit(&testing.T{}, 1)
	id, to := tb.direct(b)
	for b.Loop() {
		_ = arena.DoorRef{ID: id}.Painted(to, 1)
	}
	require.Equal(b, "none", tb.clients[0].drops())
}

// direct hangs a wall at the first client and connects that to the server.
func (tb *table) direct(t testing.TB) (rpc.NetID, rpc.Audience) {
	require.NoError(t, rpc.Direct(tb.server.Calls, tb.clients[0].peer, tb.clients[0].Calls))
	id, err := tb.server.Objects().Claim()
	require.NoError(t, err)
	require.NoError(t, arena.BindDoorClient(tb.clients[0].Calls, id, &wall{}))
	return id, tb.server.To(tb.clients[0].peer)
}
