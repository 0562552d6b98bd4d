package soak

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestOnlyAnAddressWhoseSessionIsConfirmedGetsMore(t *testing.T) {
	accept, ack, heartbeat, more := framing.AppendAccept(nil, 5), framing.AppendAck(nil, 9), framing.AppendHeartbeat(nil), make([]byte, 100)
	for name, world := range map[string]struct {
		script func(w *world, sends, gets func(d []byte))
		broken bool
	}{
		"nothing was accepted":  {func(_ *world, sends, _ func([]byte)) { sends(heartbeat) }, true},
		"nothing was said":      {func(_ *world, _, gets func([]byte)) { gets(accept) }, true},
		"an Ack of nothing":     {func(_ *world, sends, gets func([]byte)) { gets(accept); sends(ack) }, true},
		"nonsense confirmed it": {func(_ *world, sends, gets func([]byte)) { gets(accept); sends(heartbeat) }, false},
		"it came too late":      {func(w *world, sends, gets func([]byte)) { gets(accept); w.run(8 * time.Second); sends(heartbeat) }, true},
		"it has timed out":      {func(w *world, sends, gets func([]byte)) { gets(accept); sends(heartbeat); w.run(13 * time.Second) }, true},
	} {
		p := scene(time.Minute)
		w := newWorld(&p, &Census{})
		w.run(time.Second)
		at := w.strangers.someone()
		world.script(w, func(d []byte) { w.strangers.asked(at, d) }, func(d []byte) { w.strangers.answered(at, d) })
		w.strangers.answered(at, more)
		require.Equal(t, world.broken, w.broken != nil, name)
	}
}
