package scenario

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// forwards lets the attacker send every packet of a client on to the host from an address of its own, before it comes by itself.
func (a *attacker) forwards(c *app, while *bool) {
	a.injects(handshake.KindSealed, func(d overheard) {
		if *while && d.from == c.address() {
			a.node.Forge(d.payload, a.address(), d.to)
		}
	})
}

// talk lets both sides say something 60 times a second.
func talk(h, c *app, seconds int) {
	s := h.session()
	c.w.every(time.Second/60, 60*seconds, func(i int) {
		c.says(fmt.Sprint(i))
		if s.err == nil {
			_ = s.conn.Send([]byte(fmt.Sprint(i)), ordered)
			h.wake()
		}
	})
}

// T24: somebody forwards the packets of a client from elsewhere, faster than they come by themselves. It gets challenges, and nothing of the traffic.
func TestWhoForwardsThePacketsOfAPlayerGetsNothing(t *testing.T) {
	w := newSecureWorld(t)
	h, c := w.pair()
	w.run(soon)
	a := w.attacker(h)
	s, home := h.with(c), c.address()
	l := w.ledger(h)
	going := true
	a.forwards(c, &going)
	const seconds = 10
	talk(h, c, seconds)
	w.run(soon)
	require.Greater(t, l.in[a.address()], 60*seconds*30)
	require.LessOrEqual(t, l.out[a.address()], l.in[a.address()])
	require.LessOrEqual(t, len(a.gotBytes()), 4*seconds+4, "challenges, 250 ms apart")
	require.Equal(t, home, s.conn.RemoteAddr())
	require.Equal(t, numbers(60*seconds), c.heard())
	require.Equal(t, numbers(60*seconds), s.heard)
	require.True(t, c.connected())
}

// T24: somebody forwards everything both ways, and so has the traffic for as long as it goes on. The client notices nothing, and has its traffic back with the first
// packet that nobody forwards.
func TestWhoForwardsEverythingHasTheTrafficWhileItDoes(t *testing.T) {
	w := newSecureWorld(t)
	h, c := w.pair()
	w.run(soon)
	a := w.attacker(h, c)
	s, home := h.with(c), c.address()
	going := true
	a.forwards(c, &going)
	a.node.Attach(sim.ProcessFunc(func(int64) int64 {
		for _, d := range a.gotBytes() {
			if going {
				a.node.Forge(d, h.address(), home)
			}
		}
		return never
	}), a.sock)
	talk(h, c, 3)
	require.Equal(t, a.address(), s.conn.RemoteAddr())
	going = false
	talk(h, c, 1)
	require.Equal(t, home, s.conn.RemoteAddr())
	w.run(soon)
	said := append(numbers(180), numbers(60)...)
	require.Equal(t, said, s.heard)
	require.Equal(t, said, c.heard())
	require.Len(t, h.sessions, 1)
}

// B12: a player behind a NAT box that gives it another port every 5 s and another address every 15 s.
func TestAPlayerBehindARestlessBoxLosesNothing(t *testing.T) {
	minutes := size(1, 30)
	w := newSecureWorld(t)
	h := w.host()
	outside := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{203, 0, 113, byte(1 + i%200)}) }
	box := w.nw.NAT("box", sim.NATConfig{Outside: []netip.Addr{outside(0)}})
	c := w.clientOn(box.Node("player"), 0, h.address())
	w.until(soon, func() bool { return c.connected() && h.peers() == 1 })
	s := h.session()
	c.quiet, h.quiet = true, true
	last, longest, sent, arrived := w.nw.Now(), int64(0), 0, 0
	c.on = func(transport.Event) {
		longest, last = max(longest, w.nw.Now()-last), w.nw.Now()
	}
	h.on = func(ev transport.Event) {
		if ev.Delivery == transport.ReliableOrdered {
			arrived++
		}
	}
	w.every(time.Second/60, minutes*60*60, func(i int) {
		switch {
		case i%(15*60) == 15*60-1:
			box.SetOutside(outside(i))
		case i%(5*60) == 5*60-1:
			box.Rebind()
		}
		c.sends("loose", unreliable)
		_ = s.conn.Send([]byte("loose"), unreliable)
		h.wake()
		if i%12 == 0 {
			c.says("reliable")
			sent++
		}
	})
	w.run(soon)
	require.True(t, c.connected())
	require.Len(t, h.sessions, 1)
	require.Equal(t, sent, arrived)
	require.LessOrEqual(t, time.Duration(longest), 2*oneWay+50*time.Millisecond+2*time.Second/60)
	t.Logf("%d minutes; the longest time without an unreliable message of the host was %v", minutes, time.Duration(longest))
}
