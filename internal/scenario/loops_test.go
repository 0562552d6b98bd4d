package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// T04: hosts that are told lies about each other, or about themselves, must not keep each other busy.
func TestHostsThatAreToldLiesAboutEachOtherFallSilent(t *testing.T) {
	lies := []string{"unreliable x", "reliable 0 x", "ack 0", "heartbeat", "disconnect", "accept 1", "refuse full", "connect other"}
	w := newWorld(t)
	a, b := w.hostNamed("A"), w.hostNamed("B")
	r := w.raw("liar", a)
	w.nw.SetBoth(r.node, b.node, sim.Conditions{})
	for _, lie := range lies {
		before := w.nw.Counts().Sent
		r.node.Forge(encode(t, lie), b.address(), a.address())
		r.node.Forge(encode(t, lie), a.address(), b.address())
		w.run(time.Minute)
		require.LessOrEqual(t, w.nw.Counts().Sent-before, uint64(2+2), "two lies, and at most two datagrams after them: %s", lie)
	}
	require.Zero(t, a.peers())
	require.Zero(t, b.peers())
}

// T04: a Connect in the name of the other host, to each of two; and to one in its own name.
func TestHostsAreNoPeersOfHosts(t *testing.T) {
	for name, welcome := range map[string]bool{"that keep silent": false, "that greet": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, b := w.hostNamed("A"), w.hostNamed("B")
			for _, h := range []*app{a, b} {
				h.on = func(ev transport.Event) {
					if welcome && ev.Kind == transport.Connected {
						_ = ev.Conn.Send([]byte("welcome"), ordered)
					}
				}
			}
			r := w.raw("liar", a)
			w.nw.SetBoth(r.node, b.node, sim.Conditions{})
			r.node.Forge(connect, b.address(), a.address())
			r.node.Forge(connect, a.address(), b.address())
			r.node.Forge(connect, a.address(), a.address())
			w.run(10 * time.Second)
			before := w.nw.Counts().Sent
			w.run(time.Minute)
			require.Equal(t, before, w.nw.Counts().Sent)
			require.Zero(t, a.peers())
			require.Zero(t, b.peers())
		})
	}
}
