package calling

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	turret "github.com/gannet-net/gannet/internal/testplugin"
	"github.com/gannet-net/gannet/rpc"
)

// gun is a turret at both sides.
type gun struct{ *table }

func (g gun) Aim(c rpc.ServerCall, at turret.Pos) error {
	g.notes("%v: aim %v at %v", c.From, c.ID, at)
	return nil
}
func (g gun) Load(shell turret.Shell, rounds []turret.Pos) { g.notes("load %v %v", shell, rounds) }
func (g gun) Aimed(c rpc.ClientCall, at turret.Pos)        { g.notes("client: %v aimed at %v", c.ID, at) }
func (g gun) Version(c rpc.ServerCall) (uint16, error)     { return 513, nil }

// mounts binds a turret at all sides and gives it to the first client.
func (tb *table) mounts() turret.TurretRef {
	require.NoError(tb, turret.BindPluginServer(tb.server.Calls, gun{tb}))
	id := tb.claims()
	require.NoError(tb, turret.BindTurretServer(tb.server.Calls, id, gun{tb}))
	for _, s := range tb.clients {
		require.NoError(tb, turret.BindTurretClient(s.Calls, id, gun{tb}))
	}
	require.True(tb, tb.server.Objects().Own(id, tb.clients[0].peer))
	return turret.TurretRef{ID: id}
}

// shoots makes every call of the plugin, and one of the arena.
func (tb *table) shoots(at turret.TurretRef) {
	client := tb.clients[0].Server()
	require.NoError(tb, at.Aim(client, turret.Pos{Column: 31, Row: 1}))
	require.NoError(tb, at.Load(client, turret.Flare, []turret.Pos{{Column: 2, Row: 3}}))
	_, err := turret.PluginRef{}.Version(client, func(number uint16, err error) {
		require.NoError(tb, err)
		tb.notes("version %d", number)
	})
	require.NoError(tb, err)
	require.NoError(tb, at.Aimed(tb.server.All(), turret.Pos{Column: 4, Row: 5}))
	require.NoError(tb, arena.LevelRef{}.Hello(client))
	tb.plays()
	happened := tb.happened()
	slices.Sort(happened)
	require.Equal(tb, []string{
		"client: 00000001 aimed at {4 5}", "load Flare [{2 3}]", "player 1: aim 00000001 at {31 1}", "player 1: hello", "version 513",
	}, happened)
	for _, s := range append([]*side{tb.server}, tb.clients...) {
		require.Equal(tb, "none", s.drops())
	}
}

func TestTwoGeneratedContractsShareTheTables(t *testing.T) {
	tb := sit(t, 1, func(c *rpc.Config) { c.Contracts = append(c.Contracts, &turret.Contract) })
	tb.shoots(tb.mounts())
	var dump strings.Builder
	tb.server.Dump(&dump)
	require.Contains(t, dump.String(), "\n7 LifeServer.Heal\n8 PluginServer.Version\n9 TurretServer.Aim\n10 TurretServer.Load\n")
	require.Contains(t, dump.String(), "11 server methods (4 bits)")
}

func TestAGeneratedPluginIsRegisteredWhileASessionStands(t *testing.T) {
	tb := sit(t, 1)
	require.ErrorIs(t, turret.BindPluginServer(tb.server.Calls, gun{tb}), rpc.ErrNotRegistered)
	_, err := turret.PluginRef{}.Version(tb.clients[0].Server(), nil)
	require.ErrorIs(t, err, rpc.ErrNotRegistered)
	require.NoError(t, arena.LevelRef{}.Hello(tb.clients[0].Server()))
	tb.plays()
	tb.happened()
	before := tb.server.Fingerprint()
	for _, s := range []*side{tb.server, tb.clients[0]} {
		require.NoError(t, s.Register(&turret.Contract))
	}
	require.NotEqual(t, before, tb.server.Fingerprint())
	require.Equal(t, tb.clients[0].Fingerprint(), tb.server.Fingerprint())
	tb.passes(time.Second)
	tb.shoots(tb.mounts())
}

func TestAPluginIsNoneOnASideThatDoesNotHaveIt(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]
	require.NoError(t, client.Register(&turret.Contract))
	require.NoError(t, turret.TurretRef{ID: 1}.Load(client.Server(), turret.Smoke, nil))
	require.NoError(t, arena.LevelRef{}.Hello(client.Server()))
	tb.plays()
	require.Equal(t, []string{"player 1: hello"}, tb.happened(), "what both have goes on")
	require.Equal(t, "unknown=1", tb.server.drops())
	differences, err := tb.server.Compare(client.Description())
	require.NoError(t, err)
	require.Equal(t, []string{"contract testplugin: missing here, registered there"}, differences)
}

func TestContractsInAnotherOrderAreToldApart(t *testing.T) {
	order := func(contracts ...*rpc.Contract) *table {
		return sit(t, 0, func(c *rpc.Config) { c.Contracts = contracts })
	}
	one, two := order(&arena.Contract, &turret.Contract), order(&turret.Contract, &arena.Contract)
	require.NotEqual(t, one.server.Fingerprint(), two.server.Fingerprint())
	differences, err := one.server.Compare(two.server.Description())
	require.NoError(t, err)
	require.Equal(t, []string{
		"contract testplugin: registered as number 2 here, 1 there", "contract testcontract: registered as number 1 here, 2 there",
	}, differences)
}
