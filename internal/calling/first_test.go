package calling

import (
	"testing"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
)

func TestAServerCallsAClientAndAClientAnObjectOfTheServer(t *testing.T) {
	tb := sit(t, 1)
	id, _ := tb.hangs()
	client := tb.clients[0]

	t.Log("static, from the server")
	require.NoError(t, arena.LevelRef{}.LevelNumber(tb.server.To(client.peer), 7))
	tb.plays()
	require.Equal(t, []string{"client 1: level 7"}, tb.happened())

	t.Log("on an object, from a client")
	require.NoError(t, arena.DoorRef{ID: id}.Toggle(client.Server(), arena.Locked, arena.Pos{X: 1.5, Y: -2, Z: 0.25}))
	tb.plays()
	require.Equal(t, []string{"player 1: toggle 00000001 Locked at {1.5 -2 0.25}"}, tb.happened())

	t.Log("and what it costs, which the client wants to know")
	got := arena.Coins(0)
	_, err := arena.DoorRef{ID: id}.Price(client.Server(), 7, func(c arena.Coins, err error) {
		require.NoError(t, err)
		got = c
	})
	require.NoError(t, err)
	tb.plays()
	require.Equal(t, arena.Coins(70), got)
	require.Equal(t, "none", tb.server.drops())
	require.Equal(t, "none", client.drops())
}
