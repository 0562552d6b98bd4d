package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/layout"
)

func TestTheCarrierIsWhatItsDescriptionSays(t *testing.T) {
	l, err := Catalogue.Layout()
	require.NoError(t, err)
	require.Equal(t, description, l.String())
	require.Equal(t, layout.Fingerprint(description), Catalogue.Fingerprint)
	require.Len(t, l.Messages, len(Catalogue.Entries))
	for i, m := range l.Messages {
		e := Catalogue.Entries[i]
		require.Equal(t, []any{m.ID, m.Name, m.From, m.Delivery}, []any{e.ID, e.Name, e.From, e.Delivery})
		require.Zero(t, l.IDBits(m.From))
	}
}
