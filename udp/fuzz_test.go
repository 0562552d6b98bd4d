package udp_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/udp"
)

// FuzzHostDatagrams plays a script of datagrams, each as a stranger and as a peer of the base protocol that has the address of the client of the recorded sessions: its cookies are
// good. Each ends as handled or in one counter, nobody but a sender of Connects becomes a peer, and an honest client goes on.
func FuzzHostDatagrams(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x00\x00\x00\x01\x00\x01"))
	toHost, toClient := allScripts(f)
	for _, script := range append(toHost, toClient...) {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		for _, protocol := range bothProtocols {
			fuzzHost(t, protocol, script)
		}
	})
}

func fuzzHost(t *testing.T, protocol udp.Protocol, script []byte) {
	w := newWorld(t)
	w.protocol = protocol
	asked, knows := fuzzedHost(protocol)
	h := w.host(asked)
	stranger, peer, honest := w.raw("stranger", h), w.raw("peer", h), w.raw("honest", h)
	peer.connect(version)
	honest.connect(version)
	safe := w.client("safe", h, knows)
	w.run(time.Second)
	safe.wants("3 connected")
	received, connects, sent := h.host.Stats().DatagramsReceived, 3, 0
	for len(script) > 0 && sent < 200 {
		var d []byte
		var pause time.Duration
		d, pause, script = nextStep(script)
		w.run(pause)
		for _, r := range []*raw{stranger, peer} {
			require.NoError(t, r.sock.Write(d, r.to, netip.Addr{}))
			sent++
		}
		if len(d) > 0 && framing.Kind(d[0]) == framing.KindConnect {
			connects += 2
		}
	}
	w.run(100 * time.Millisecond)
	s := h.host.Stats()
	require.GreaterOrEqual(t, s.DatagramsReceived, received+uint64(sent))
	require.LessOrEqual(t, s.Drops.Total(), s.DatagramsReceived)
	require.LessOrEqual(t, int(s.Admitted), connects)

	h.log = nil
	honest.send([]byte("\x04still here"))
	safe.say("and here", unreliable)
	w.run(100 * time.Millisecond)
	require.Contains(t, h.log, "2 message still here")
	require.Contains(t, h.log, "3 message and here")
}
