package scenario

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	sealing "github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
)

// injects lets the attacker answer datagrams of a kind, by whomever they were sent, before anybody else can.
func (a *attacker) injects(kind framing.Kind, answer func(d overheard)) {
	a.w.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Sent && e.From != a.node && kindOf(e.Payload) == kind {
			d := overheard{append([]byte{}, e.Payload...), e.Source, e.Destination}
			a.w.nw.After(0, func() { answer(d) })
		}
	})
}

// challenge is what a host would answer to a Hello, with a cookie that it never made.
func (a *attacker) challenge(hello []byte, key sealing.Key) []byte {
	who, drop := handshake.ParseHello(hello)
	require.Equal(a, framing.Accepted, drop)
	c := handshake.Challenge{To: who, HostKey: key}
	a.noise(c.Cookie[:])
	return handshake.AppendChallenge(nil, &c)
}

// T17: somebody on the path is faster than the host with all that a host may say. It keeps the client out for as long as it goes on, and no longer; the client never
// has a session with it, and never gives up before its time.
func TestWhoInjectsAnswersDelaysAJoinAndNothingElse(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	a := w.attacker(h)
	c := w.client("client", h)
	a.reaches(c)
	going, injected := true, 0
	a.injects(handshake.KindHello, func(d overheard) {
		if who, _ := handshake.ParseHello(d.payload); going {
			injected++
			a.node.Forge(handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: who, Code: handshake.RefusedFull}), d.to, d.from)
			a.node.Forge(a.challenge(d.payload, sealing.Secret{7}.Public()), d.to, d.from) // a key of its own
			a.node.Forge(a.challenge(d.payload, hostKey.Public()), d.to, d.from)
		}
	})
	a.injects(handshake.KindAuth, func(d overheard) {
		if going {
			accept := append([]byte{byte(handshake.KindSecureAccept)}, d.payload[11:15]...)
			a.node.Forge(append(accept, a.noise(make([]byte, handshake.Message2Size))...), d.to, d.from)
			a.node.Forge(append([]byte{byte(handshake.KindSealed)}, a.noise(make([]byte, 40))...), d.to, d.from)
		}
	})
	w.run(6 * time.Second)
	require.Greater(t, injected, 2)
	require.Empty(t, c.sessions, "neither a session nor an end")
	require.Empty(t, h.sessions)
	going = false
	w.until(3*time.Second, func() bool { return c.connected() && h.with(c) != nil })
	require.True(t, c.conn.HostVerified())
}

// T07, T17: somebody on the path sends Auths of its own with the cookie of a client, in its name, and uses up the budget of its address. It keeps that client out for as
// long as it goes on, and nobody else.
func TestWhoUsesUpTheBudgetOfAnAddressKeepsNobodyElseOut(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	a := w.attacker(h)
	c := w.client("client", h)
	const lasting = 5 * time.Second
	begun := false
	a.injects(handshake.KindChallenge, func(d overheard) {
		ch, drop := handshake.ParseChallenge(d.payload)
		require.Equal(t, framing.Accepted, drop)
		if d.to != c.address() || begun {
			return
		}
		begun = true
		head := handshake.AppendAuthHead(nil, ch.To, &ch.Cookie, nil)
		for at := time.Duration(0); at < lasting; at += time.Millisecond {
			w.nw.After(at, func() {
				a.node.Forge(append(head[:len(head):len(head)], a.noise(make([]byte, handshake.MinAuth-len(head)))...), d.to, h.address())
			})
		}
	})
	w.run(time.Second)
	require.Greater(t, h.drops(framing.DropRate), 900)
	require.InDelta(t, 25, h.drops(framing.DropNoise), 2, "exchanges that it cost")
	other := w.client("other", h)
	w.until(soon, other.connected)
	w.run(lasting - time.Second)
	w.until(3*time.Second, func() bool { return c.connected() && h.with(c) != nil })
	require.Len(t, h.sessions, 2)
}

// T16: what a side sent comes back to it, and what it sent in one session comes in another.
func TestPacketsThatGoAstrayAreDropped(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	a := w.attacker(h)
	var clients []*app
	a.records(func() {
		clients = w.join(h, "one", "other")
		w.every(20*time.Millisecond, 50, func(int) {
			for _, c := range clients {
				c.says("hello")
				h.with(c).says("welcome")
			}
		})
		w.run(soon)
	})
	a.reaches(clients...)
	for _, d := range a.taped(handshake.KindSealed) {
		a.node.Forge(d.payload, d.to, d.from) // back to whoever sent it
		for _, c := range clients {
			a.node.Forge(d.payload, h.address(), c.address()) // and to everybody else
			a.node.Forge(d.payload, c.address(), h.address())
		}
		w.run(time.Microsecond)
	}
	w.run(soon)
	for _, c := range clients {
		require.Len(t, c.heard(), 50)
		require.Len(t, h.with(c).heard, 50)
	}
}
