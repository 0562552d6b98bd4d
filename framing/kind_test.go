package framing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTableOfKindsHasNoHoles(t *testing.T) {
	names := map[string]bool{}
	for k, info := range kinds {
		require.NotEmpty(t, info.name, "%d", k)
		require.False(t, names[info.name], "%d is named like another", k)
		names[info.name] = true
		require.Positive(t, info.minSize, "%d", k)
		require.LessOrEqual(t, info.minSize, info.maxSize, "%d", k)
		require.LessOrEqual(t, info.maxSize, MaxDatagram, "%d", k)
	}
}

func TestRolesHaveNames(t *testing.T) {
	require.Equal(t, "client", Client.String())
	require.Equal(t, "host", Host.String())
}
