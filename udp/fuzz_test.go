package udp_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/udp"
)

// FuzzHostDatagrams sends the same bytes to a host as a stranger and as a peer, in datagrams of the given size. Each ends as handled or in
// one counter, nobody but a sender of Connects becomes a peer, and an honest client goes on.
func FuzzHostDatagrams(f *testing.F) {
	f.Add([]byte{}, byte(1))
	f.Add([]byte("\x01\x0b\x00HRD-LOCAL-1"), byte(14))
	f.Add([]byte("\x01\xff\xffabc\x02\x05\x03\x00\x00\x05\x00\x00"), byte(6))
	f.Add([]byte("\x05\x00\x00\x00\x00\x06\x00\x00\x00\x00\x07\x08\x09\x0e"), byte(5))
	f.Add(append([]byte("\x09\x08\x00GANNET-1\x01\x02\x03\x04"), make([]byte, 200)...), byte(250))
	f.Add([]byte("\x0b\x08\x00GANNET-1\x0d\x01\x02\x03\x04\x05\x06\x07\x0a\x0c\x0e\x0f"), byte(30))
	f.Fuzz(func(t *testing.T, bytes []byte, size byte) {
		for _, protocol := range bothProtocols {
			fuzzHost(t, protocol, bytes, int(size)+1)
		}
	})
}

func fuzzHost(t *testing.T, protocol udp.Protocol, bytes []byte, size int) {
	w := newWorld(t)
	w.protocol = protocol
	h := w.host(lan())
	stranger, peer, honest := w.raw("stranger", h), w.raw("peer", h), w.raw("honest", h)
	peer.connect(version)
	honest.connect(version)
	safe := w.client("safe", h, udp.Config{})
	w.run(time.Second)
	safe.wants("3 connected")
	received, connects, sent := h.host.Stats().DatagramsReceived, 3, 0
	for len(bytes) > 0 && sent < 200 {
		d := bytes[:min(len(bytes), size)]
		bytes = bytes[len(d):]
		for _, r := range []*raw{stranger, peer} {
			require.NoError(t, r.sock.Write(d, r.to, netip.Addr{}))
			sent++
		}
		if framing.Kind(d[0]) == framing.KindConnect {
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
