package scenario

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// anybody is the i-th of 16 million public addresses.
func anybody(i int) netip.AddrPort {
	a := [4]byte{11}
	binary.BigEndian.PutUint32(a[:], uint32(11<<24+i&0xFFFFFF))
	return netip.AddrPortFrom(netip.AddrFrom4(a), 5000)
}

// hello is a Hello of the client with an id.
func hello(id uint32) []byte {
	return handshake.AppendHello(nil, handshake.Asker{ID: id, Random: [8]byte{byte(id), 2, 3}})
}

// flooded is a host on the secure protocol whose socket is a feed.
func flooded(t *testing.T) (*udp.Host, *feed) {
	sock := &feed{}
	h, err := udp.Listen("", udp.Config{
		Driving: udp.GameLoop, Plain: udp.PlainPrivateLAN, Socket: sock, Seed: [32]byte{1}, Key: hostKey,
		Clock: func() int64 { return sock.now }, UnixTime: func() int64 { return unixStart },
	})
	require.NoError(t, err)
	return h, sock
}

// turn lets a host read n datagrams, which come 10 microseconds apart.
func (f *feed) turn(h *udp.Host, n int) {
	f.left, f.now = n, f.now+int64(n)*10_000
	h.Poll()
	for _, ok := h.Next(); ok; _, ok = h.Next() {
	}
	h.Flush()
}

// T01, T13: as many Hellos as there are addresses, 100,000 a second.
func TestHellosFromEverywhereLeaveNothingBehind(t *testing.T) {
	n := size(100_000, 1_000_000)
	h, sock := flooded(t)
	sock.d, sock.from = hello(7), anybody
	sock.turn(h, 5000)
	before := heap()
	allocs := testing.AllocsPerRun(n/1000-1, func() { sock.turn(h, 1000) })
	require.Zero(t, allocs, "of 1,000 Hellos")
	require.LessOrEqual(t, heap(), before+1<<20)
	require.Empty(t, h.Conns())
	require.EqualValues(t, n+5000, sock.written, "each got its Challenge")
	require.Equal(t, framing.Drops{}, h.Stats().Drops)
}

// B27, T01: a player comes in while 100,000 Hellos a second arrive, also if they bear its own address.
func TestAPlayerJoinsDuringAFloodOfHellos(t *testing.T) {
	for name, own := range map[string]bool{"of others": false, "in its own name": true} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t)
			h := w.host()
			r := w.raw("attacker", h)
			c := w.client("player", h)
			const each = 100
			flood := hello(7)
			for i := 0; !c.connected() || h.with(c) == nil; i++ {
				require.Less(t, i, 3*100_000/each, "not within 3 s")
				for j := range each {
					from := anybody(i*each + j)
					if own {
						from = c.address()
					}
					r.node.Forge(flood, from, r.to)
				}
				w.run(each * 10 * time.Microsecond)
			}
			require.Equal(t, 1, h.peers())
			c.says("hello")
			w.run(soon)
			require.Equal(t, []string{"hello"}, h.with(c).heard)
		})
	}
}

// sorts are datagrams of every kind: as they should be, and not.
func (a *attacker) sorts(w *world, h *app) [][]byte {
	a.records(func() { w.join(h, "somebody") })
	genuine := func(kind framing.Kind) []byte { return a.taped(kind)[0].payload }
	edited := func(d []byte, at int, x byte) []byte {
		d = append([]byte{}, d...)
		d[at] ^= x
		return d
	}
	auth := genuine(handshake.KindAuth)
	all := [][]byte{
		nil, make([]byte, 1300), {0}, {16}, {255, 1},
		hello(7), edited(hello(7), 10, 1), edited(hello(7), 1199, 1), hello(7)[:1199], edited(hello(7), 11, 7),
		auth, edited(auth, 23, 100), edited(auth, 40, 1), edited(auth, 44, 255), auth[:511], append(auth[:len(auth):len(auth)], make([]byte, 600)...),
		genuine(handshake.KindChallenge), genuine(handshake.KindSecureAccept),
		genuine(handshake.KindSealed), edited(genuine(handshake.KindSealed), 3, 1), edited(genuine(handshake.KindSealed), 12, 1), genuine(handshake.KindSealed)[:25],
		handshake.AppendReset(nil, &handshake.Reset{HostID: 5}), handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: handshake.Asker{ID: 5}, Code: 1}),
		a.noise(make([]byte, 1200)),
	}
	for _, frame := range []string{"connect HRD-LOCAL-1", "accept 1", "refuse full", "unreliable x", "reliable 0 x", "ack 0", "heartbeat", "disconnect"} {
		all = append(all, encode(a.T, frame))
	}
	return all
}

// T03: whatever a stranger sends, no address gets more than came from it, nor more datagrams.
func TestNoStrangerGetsMoreThanItSends(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	sorts := w.attacker(h).sorts(w, h)
	n := size(100_000, 1_000_000)
	flooded, sock := flooded(t)
	const addresses = 997 // a prime, so that each address sends all sorts
	in, out := make([]int, addresses), map[netip.AddrPort]int{}
	sock.from = func(i int) netip.AddrPort { return anybody(i % addresses) }
	sock.wrote = func(d []byte, to netip.AddrPort) {
		out[to] += len(d)
		require.LessOrEqual(t, len(d), len(sock.d))
	}
	for i := 1; i <= n; i++ {
		sock.d = sorts[i%len(sorts)]
		before := sock.written
		sock.turn(flooded, 1)
		in[i%addresses] += len(sock.d)
		require.LessOrEqual(t, sock.written-before, 1)
		require.LessOrEqual(t, out[anybody(i%addresses)], in[i%addresses])
	}
	require.Empty(t, flooded.Conns())
	total, most := 0, 0
	for i := range addresses {
		total, most = total+in[i], max(most, out[anybody(i)]*1000/in[i])
	}
	require.NotZero(t, most)
	t.Logf("%d datagrams, %d bytes in; the address that got most had %d thousandths of what it sent", n, total, most)
}

// T09, T12: what is no genuine Hello gets no answer, and no line in a log.
func TestOnlyAHelloIsAnswered(t *testing.T) {
	w := newSecureWorld(t)
	var log lines
	h := w.host(log.into)
	c := w.join(h, "client")[0]
	a := w.attacker(h, c)
	given := garbage(size(10_000, 100_000), func(d []byte) {
		if len(d) > 25 && d[0] == byte(handshake.KindSealed) {
			d[0] = 0 // it would be told that its session is unknown
		}
		a.node.Forge(d, a.address(), a.to)
		w.run(0)
	})
	stats := h.host.Stats()
	require.EqualValues(t, given, stats.Drops.Total(), "counted to the datagram")
	require.Empty(t, a.got())
	require.Empty(t, log.records)
	a.sendsBytes(hello(5))
	require.Len(t, a.got(), 1)
}

// T15, T17, T19: arbitrary bytes in the name of each side of a session, at the other.
func TestArbitraryBytesInTheNameOfASecurePeerChangeNothing(t *testing.T) {
	w := newSecureWorld(t)
	h, c := w.pair()
	w.run(soon)
	a := w.attacker(h, c)
	before := h.with(c).conn.(*udp.Conn).Stats()
	garbage(size(10_000, 1_000_000), func(d []byte) {
		a.node.Forge(d, c.address(), h.address())
		a.node.Forge(d, h.address(), c.address())
		w.run(time.Microsecond)
	})
	after := h.with(c).conn.(*udp.Conn).Stats()
	require.Equal(t, before.MessagesReceived, after.MessagesReceived)
	require.True(t, c.connected())
	c.says("still here")
	h.with(c).says("me too")
	w.run(soon)
	require.Equal(t, []string{"still here"}, h.with(c).heard)
	require.Equal(t, []string{"me too"}, c.heard())
}

// T04: hosts on the secure protocol that are told lies about each other.
func TestSecureHostsThatAreToldLiesAboutEachOtherFallSilent(t *testing.T) {
	w := newSecureWorld(t)
	private := func(c *udp.Config) { c.Plain = udp.PlainNever }
	a, b := w.hostNamed("A", private), w.hostNamed("B", private)
	liar := w.attacker(a)
	w.nw.SetBoth(liar.node, b.node, sim.Conditions{})
	for _, lie := range liar.sorts(w, a) {
		before := w.nw.Counts().Sent
		liar.node.Forge(lie, b.address(), a.address())
		liar.node.Forge(lie, a.address(), b.address())
		liar.node.Forge(lie, a.address(), a.address())
		w.run(time.Second)
		extra := w.nw.Counts().Sent - before
		require.LessOrEqual(t, extra, uint64(3+3+8), "three lies, an answer to each, and what the client and its host say: % x", lie[:min(len(lie), 12)])
	}
	w.run(time.Minute)
	before := w.nw.Counts().Sent
	w.run(10 * time.Second)
	require.LessOrEqual(t, w.nw.Counts().Sent-before, uint64(60), "heartbeats of the one session, acked")
	require.Len(t, b.sessions, 0)
}

// T04: unknown sessions are answered a few times a second, however many ask.
func TestResetsOfAHostAreFew(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	a := w.attacker(h)
	const seconds = 3
	got := 0
	w.every(time.Millisecond, 1000*seconds, func(int) {
		a.sendsBytes(append([]byte{byte(handshake.KindSealed)}, a.noise(make([]byte, 40))...))
		got += len(a.got())
	})
	require.InDelta(t, 4*seconds, got, 4)
}

// T03: an address that proved itself, and then only asks again for the answer to its Auth.
func TestAnUnconfirmedClientGetsNoMoreThanItAsksFor(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	h.on = func(ev transport.Event) { require.Fail(t, "nobody has confirmed a session", "%v", ev.Kind) }
	a := w.attacker(h)
	l := w.ledger(h)
	b := a.byHand()
	for i := range 20 {
		b.begin(byte(i))
		auth := b.makesAuth(a.asks)
		for range 10 {
			a.sendsBytes(auth)
			w.run(50 * time.Millisecond)
		}
	}
	w.run(10 * time.Second)
	require.LessOrEqual(t, l.out[a.address()], l.in[a.address()])
	require.Zero(t, h.peers())
}
