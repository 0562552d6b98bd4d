package scenario

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/udp"
)

// garbage makes every kind with bodies of 0 to 8 bytes, cut headers, lengths that lie, and random datagrams, and leaves out what is valid.
func garbage(random int, give func([]byte)) (given int) {
	offer := func(d []byte) {
		if _, drop := framing.Parse(d, framing.Host); drop != framing.Accepted {
			given++
			give(d)
		}
	}
	for kind := range 256 {
		for n := range 9 {
			offer(append([]byte{byte(kind)}, make([]byte, n)...))
		}
	}
	for n := range 4 {
		offer(append([]byte{5}, make([]byte, n)...))
		offer(append([]byte{6}, make([]byte, n)...))
	}
	offer([]byte("\x01\xff\xffabc"))
	offer(framing.AppendAccept(nil, 1))
	rng := rand.New(rand.NewChaCha8([32]byte{7}))
	buf := make([]byte, 1300)
	for range random {
		d := buf[:rng.IntN(len(buf)+1)]
		for i := range d {
			d[i] = byte(rng.Uint32())
		}
		offer(d)
	}
	return given
}

// B26, T09, T12: arbitrary bytes of a stranger and in the name of a peer that goes on talking.
func TestArbitraryBytesChangeNothingButTheirCounters(t *testing.T) {
	w := newWorld(t)
	var log lines
	h := w.host(log.into)
	c := w.join(h, "client")[0]
	r := w.raw("stranger", h)
	w.run(soon) // the host has heard it: an Accept no longer ends its session (PROTOCOL.md 3.3)
	before := h.with(c).conn.(*udp.Conn).Stats()
	given := garbage(size(10_000, 1_000_000), func(d []byte) {
		r.node.Forge(d, r.address(), r.to)
		r.node.Forge(d, c.address(), r.to)
		w.run(time.Microsecond)
	})
	stats := h.host.Stats()
	require.EqualValues(t, 2*given, stats.Drops.Total(), "counted to the datagram")
	require.Zero(t, stats.Drops[framing.DropRate])
	require.Empty(t, r.got(), "a stranger gets no answer")
	require.Equal(t, 1, h.peers())
	after := h.with(c).conn.(*udp.Conn).Stats()
	require.Equal(t, before.MessagesReceived, after.MessagesReceived)
	require.Equal(t, before.InFlight, after.InFlight)
	require.Empty(t, log.records, "nothing logs what comes in")

	c.says("still here")
	h.with(c).says("me too")
	w.run(soon)
	require.Equal(t, []string{"still here"}, h.with(c).heard)
	require.Equal(t, []string{"me too"}, c.heard())
}

// T09: valid frames of every kind but Connect, and Connects from outside the policy.
func TestStrangersGetNoAnswer(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	r := w.raw("stranger", h)
	public := w.rawOn(w.nw.Node("public", addr("203.0.113.9")), 0, h)
	for range 1000 {
		r.sends("unreliable x", "reliable 0 x", "ack 0", "heartbeat", "disconnect", "accept 1", "refuse x")
		public.sends("connect HRD-LOCAL-1", "connect other")
	}
	require.Empty(t, r.got())
	require.Empty(t, public.got())
	require.Zero(t, h.host.Stats().DatagramsSent)
	require.Empty(t, h.sessions)
	require.Equal(t, 2000, h.drops(framing.DropPolicy))
}

// T11: a flood of empty datagrams delays nobody.
func TestAFloodOfEmptyDatagramsDelaysNobody(t *testing.T) {
	onBothProtocols(t, func(w *world) {
		h, c := w.pair()
		w.run(soon)
		h.frame = time.Second / 60
		n := size(20, 500)
		r := w.raw("attacker", h)
		w.every(time.Second/60, n, func(i int) {
			for range 2000 {
				r.node.Forge(nil, r.address(), r.to)
			}
			c.says("tick")
		})
		w.run(2 * time.Second / 60)
		require.Len(w, h.with(c).heard, n)
		require.Equal(w, n*2000, h.drops(framing.DropEmpty))
	})
}
