package scenario

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// errRefused is what systems report on a socket whose datagram came to a port that nobody listens on.
var errRefused = syscall.ECONNREFUSED

// B01: three clients vanish, and each datagram to them comes back as a read error.
func TestVanishedPeersDoNotDelayOthers(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	h.sock.ReportRefused(errRefused)
	for _, c := range w.join(h, "A", "B", "C") {
		h.with(c).says("are you there?")
		c.dies()
	}
	w.run(100 * time.Millisecond)

	d := w.client("D", h)
	w.until(2*oneWay+time.Millisecond, d.connected)
	w.every(10*time.Millisecond, 100, func(i int) { d.says(fmt.Sprint(i)) })
	w.run(oneWay)
	require.Equal(t, numbers(100), h.with(d).heard)
	require.NotZero(t, h.host.Stats().ReadErrors)

	w.run(11 * time.Second)
	require.Equal(t, 1, h.peers())
	for _, s := range h.sessions[:3] {
		require.Equal(t, transport.TimedOut, s.cause())
	}
}

// B01: the client's way round. Nobody listens yet, and the system says so.
func TestDialKeepsAskingUntilAHostListens(t *testing.T) {
	w := newWorld(t)
	h := &app{T: t, w: w, node: w.nw.Node("host")}
	c := w.clientOn(w.nw.Node("client"), 0, h.node.AddrPort(port))
	c.sock.ReportRefused(errRefused)
	w.run(9 * time.Second)
	h.listen()
	w.until(300*time.Millisecond, c.connected)
}

// B01: the same with a goroutine that reads, where nothing else comes in between the errors.
func TestRefusalsNeverEndTheReading(t *testing.T) {
	t.Run("of a host whose peers are gone", func(t *testing.T) {
		inBubble(t, func(b *bubble) {
			h, hl := b.listen(udp.Config{})
			hl.reports()
			for range 3 {
				_, l := b.dial(h, udp.Config{})
				require.NoError(b, b.accept(h).Send([]byte("are you there?"), ordered))
				l.vanishes()
			}
			time.Sleep(9 * time.Second)
			c, _ := b.dial(h, udp.Config{})
			require.NoError(b, c.Send([]byte("hello"), ordered))
			require.Equal(b, "hello", b.hears(b.accept(h)))
		})
	})
	t.Run("of a client before the host listens", func(t *testing.T) {
		inBubble(t, func(b *bubble) {
			l := b.board.line(0).reports()
			time.AfterFunc(9*time.Second, func() { b.listen(udp.Config{}) })
			c, err := udp.Dial(b.Context(), local(port).String(), b.config(udp.Config{}, l))
			require.NoError(b, err)
			require.NoError(b, c.Close())
		})
	})
}

// B01 on real sockets, which report what the system of this machine reports.
func TestVanishedSocketsDoNotDisturbAHost(t *testing.T) {
	h := listenUDP(t, "127.0.0.1:0", udp.Config{})
	for range 3 {
		r := dialRaw(t, h.Addr())
		r.write("connect HRD-LOCAL-1", "heartbeat")
		require.NoError(t, acceptUDP(t, h).Send([]byte("are you there?"), ordered))
		require.NoError(t, r.conn.Close())
	}
	c := dialUDP(t, h, udp.Config{})
	peer := acceptUDP(t, h)
	for i := range 100 {
		require.NoError(t, h.Broadcast([]byte("anybody?"), ordered))
		require.NoError(t, c.Send([]byte(fmt.Sprint(i)), ordered))
		require.Equal(t, fmt.Sprint(i), receiveUDP(t, peer))
	}
	require.Len(t, h.Conns(), 4)
}

// B01 on real sockets: the port is closed, and opens while the dial goes on.
func TestDialToAClosedPortSucceedsOnceAHostListens(t *testing.T) {
	free, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(local(0)))
	require.NoError(t, err)
	addr := free.LocalAddr().String()
	require.NoError(t, free.Close())

	dialled := make(chan error, 1)
	go func() {
		c, err := udp.Dial(context.Background(), addr, udp.Config{Protocol: udp.Base})
		if err == nil {
			err = c.Close()
		}
		dialled <- err
	}()
	time.Sleep(50 * time.Millisecond)
	listenUDP(t, addr, udp.Config{})
	require.NoError(t, within(t, dialled))
}

// B39: what a dial takes for an answer, and from whom.
func TestOnlyTheDialledHostCanAccept(t *testing.T) {
	for name, play := range map[string]func(host *raw, to netip.AddrPort){
		"nothing listens":                      nil,
		"somebody swallows everything":         func(*raw, netip.AddrPort) {},
		"somebody answers with garbage":        func(r *raw, _ netip.AddrPort) { r.sendsBytes([]byte{2}); r.sendsBytes([]byte("hello")) },
		"somebody repeats what was asked":      func(r *raw, _ netip.AddrPort) { r.sends("connect HRD-LOCAL-1") },
		"an Accept comes from another port":    func(r *raw, _ netip.AddrPort) { r.w.rawOn(r.node, port+1, nil).accepts(r.to) },
		"an Accept comes from another address": func(r *raw, _ netip.AddrPort) { r.w.rawOn(r.w.nw.Node("other"), port, nil).accepts(r.to) },
		"an Accept comes to another client": func(r *raw, to netip.AddrPort) {
			r.w.rawOn(r.node, port+1, nil).accepts(netip.AddrPortFrom(to.Addr(), to.Port()+1))
		},
		"a Refuse comes from another port": func(r *raw, _ netip.AddrPort) {
			s := r.w.rawOn(r.node, port+1, nil)
			s.to = r.to
			s.sends("refuse full")
		},
		"an Accept comes with an impossible id": func(r *raw, _ netip.AddrPort) { r.sends("accept 0", "accept 251") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			node := w.nw.Node("host")
			c := w.clientOn(w.nw.Node("client"), 0, node.AddrPort(port))
			if play != nil {
				r := w.rawOn(node, port, c)
				w.run(soon)
				play(r, c.address())
			}
			w.run(11 * time.Second)
			require.False(t, c.session().up)
			require.ErrorIs(t, c.session().err, os.ErrDeadlineExceeded)
			var late *udp.DialTimeoutError
			require.ErrorAs(t, c.session().err, &late)
		})
	}
}

// accepts sends an Accept to somebody who did not ask here.
func (r *raw) accepts(to netip.AddrPort) {
	r.to = to
	r.w.nw.SetDefault(sim.Conditions{})
	r.sends("accept 1")
}
