package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/wire"
)

func TestAPanicWhileResultsAreEncodedLeavesNoSheetLent(t *testing.T) {
	c := &Calls{sends: outlet{message: ownCarrier.Host}}
	p, rt := &peer{calls: c}, &route{Method: &Method{Results: Values{Encode: func(*wire.BitWriter, any) { panic("Validate") }}}}
	require.PanicsWithValue(t, "Validate", func() { _ = p.reply(rt, 1, nil, statusDone, nil, nil) })
	require.Zero(t, c.written)
}
