package derbyrows

import (
	"testing"

	"github.com/stretchr/testify/require"

	everything "github.com/gannet-net/gannet/internal/testcatalogue/bytes"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
)

func TestOtherCataloguesStandBesideTheLobby(t *testing.T) {
	also := []msgs.Mount{{Catalogue: &everything.Catalogue, Channel: 8}}
	host, err := derby.NewHost(derby.HostConfig{Also: also})
	require.NoError(t, err)
	client, err := derby.NewClient(derby.ClientConfig{Self: derby.PlayerInfo{Name: "Ann"}, Also: also})
	require.NoError(t, err)
	for _, r := range []*msgs.Router{host.Router(), client.Router()} {
		require.True(t, r.Has(&derby.Catalogue))
		require.True(t, r.Has(&everything.Catalogue))
	}
	_, err = derby.NewHost(derby.HostConfig{Also: []msgs.Mount{{Catalogue: &derby.Catalogue, Channel: 1}}})
	require.Error(t, err, "not twice")
}

func TestAPlayerInTheRosterHasAPeer(t *testing.T) {
	l := newLobby(t)
	list := l.joined(2)
	for _, r := range list {
		require.Same(t, l.Router().Peer(r.other.ID()), l.Peer(l.id(r)))
	}
	require.Nil(t, l.Peer(77))
	list[0].conn.Abort()
	l.turn()
	require.Nil(t, l.Peer(l.id(list[0])))
}
