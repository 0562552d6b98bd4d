package udp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestADialIsOneConnectedEvent(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	h.wants("1 connected")
	c.wants("1 connected")
	require.Equal(t, h.node.AddrPort(port), c.conn.RemoteAddr())
	require.Equal(t, c.node.Addr(), c.conn.LocalAddr().Addr())
}

func TestARefusedDialIsOneReadableEvent(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{Version: "HRD-LOCAL-2"})
	w.run(time.Second)
	c.wants(`0 dial failed: refused by the host: it speaks another version than "HRD-LOCAL-2": set the same Config.Version on both sides`)
	require.IsType(t, &transport.RefusedError{}, c.errs[0])
	require.ErrorAs(t, c.conn.Err(), new(*transport.RefusedError))
	require.Equal(t, noDeadline, c.conn.NextDeadline())
}

func TestARefusalOfAShortVersionIsReadable(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	for _, version := range []string{"v", "v1", "HRD-LO"} {
		c := w.client(version, h, udp.Config{Version: version})
		w.run(time.Second)
		require.EqualError(t, c.errs[0], `refused by the host: it speaks another version than "`+version+`": set the same Config.Version on both sides`)
	}
}

func TestADialThatNobodyAnswersIsOneTimeout(t *testing.T) {
	w := newWorld(t)
	h := w.host(udp.Config{})
	c := w.client("client", h, udp.Config{DialTimeout: 2 * time.Second})
	w.run(5 * time.Second)
	require.Len(t, c.log, 1)
	require.ErrorIs(t, c.errs[0], os.ErrDeadlineExceeded)
	require.ErrorContains(t, c.errs[0], h.node.AddrPort(port).String())
	require.ErrorContains(t, c.errs[0], "Plain policy")
	var ne net.Error
	require.ErrorAs(t, c.errs[0], &ne)
	require.True(t, ne.Timeout())
}

func TestADialIsRepeatedUntilTheHostIsThere(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.member("client", nil)
	w.nw.Cut(c.node, h.node)
	conn, err := udp.Dial(context.Background(), h.node.AddrPort(port).String(), c.config(udp.Config{}, 0))
	require.NoError(t, err)
	c.node.Attach(sim.ProcessFunc(func(int64) int64 { return c.frame(conn) }))
	w.run(3 * time.Second)
	require.Empty(t, c.log)
	w.nw.Heal(c.node, h.node)
	w.run(time.Second)
	c.wants("1 connected")
}

func TestAnAcceptFromAnotherAddressIsIgnored(t *testing.T) {
	w := newWorld(t)
	h := w.host(udp.Config{})
	c := w.client("client", h, udp.Config{})
	evil := w.raw("evil", h)
	evil.to = netip.AddrPortFrom(c.node.Addr(), c.sock.LocalAddr().Port())
	evil.send(framing.AppendAccept(nil, 1))
	require.Empty(t, c.log)
	require.Zero(t, c.conn.ID())
}

func TestADialGivenUpTellsTheHost(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(15 * time.Millisecond) // the Accept is on its way
	c.conn.Abort()
	c.node.Wake()
	w.run(time.Second)
	h.wants("1 connected", "1 disconnected: connection closed by the peer")
	c.wants("0 dial failed: connection closed locally")
}

func TestDialReturnsTheRefusal(t *testing.T) {
	h := listen(t, udp.Config{Admit: func(udp.Request) *udp.Refusal { return &udp.Refusal{Text: "go away"} }})
	for _, protocol := range bothProtocols {
		_, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{Protocol: protocol})
		var refused *transport.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "go away", refused.Reason)
	}
}

func TestDialReturnsItsTimeout(t *testing.T) {
	h := listen(t, udp.Config{Plain: udp.PlainNever})
	_, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{Protocol: udp.Base, DialTimeout: 50 * time.Millisecond})
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}

func TestDialReturnsTheContextsError(t *testing.T) {
	h := listen(t, udp.Config{Plain: udp.PlainNever})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := udp.Dial(ctx, h.Addr().String(), udp.Config{Protocol: udp.Base})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "waiting to be admitted")
}

func TestDialsCancelledAsTheyAreAnsweredLeaveNoGhost(t *testing.T) {
	h := listen(t, udp.Config{})
	for i := range 100 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i/2)*40*time.Microsecond)
		conn, err := udp.Dial(ctx, h.Addr().String(), udp.Config{Protocol: bothProtocols[i%2]})
		if err == nil {
			conn.Abort()
		} else {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
	}
	require.Eventually(t, func() bool { return len(h.Conns()) == 0 }, time.Second, time.Millisecond)
}

func TestDialTriesBothAddressesOfLocalhost(t *testing.T) {
	t.Parallel()
	for i, addr := range []string{"127.0.0.1:0", "[::1]:0", "127.0.0.1:0", "[::1]:0"} {
		h := listenOn(t, addr, udp.Config{})
		config := udp.Config{Protocol: bothProtocols[i/2], DialTimeout: time.Hour}
		conn, err := udp.Dial(testContext(t), fmt.Sprintf("localhost:%d", h.Addr().Port()), config)
		require.NoError(t, err)
		require.Equal(t, h.Addr(), conn.RemoteAddr())
		send(t, conn, "hello", ordered)
		require.Equal(t, "hello", receive(t, accept(t, h)))
		closed := make(chan error, 1)
		go func() { closed <- conn.Close() }()
		select {
		case err := <-closed:
			require.NoError(t, err)
		case <-testContext(t).Done():
			t.Fatal("the other address is still asked")
		}
	}
}

func TestDialFindsAHostByEverySpellingOfItsAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ listen, dial string }{
		{"0.0.0.0:0", "0.0.0.0"}, // what Addr of a host on all addresses gives
		{"[::]:0", "::"},
		{"127.0.0.1:0", ""},
		{"[::1]:0", ""},
		{"127.0.0.1:0", "::ffff:127.0.0.1"},
		{"[::1]:0", "::1%lo"}, // a zone that means nothing
	} {
		h := listenOn(t, c.listen, udp.Config{})
		conn, err := udp.Dial(testContext(t), net.JoinHostPort(c.dial, fmt.Sprint(h.Addr().Port())), udp.Config{DialTimeout: time.Second})
		require.NoError(t, err, c.dial)
		require.True(t, conn.RemoteAddr().Addr().IsLoopback())
		require.NoError(t, conn.Close())
	}
}

func TestDialFindsALinkLocalHostByTheNumberOfItsZone(t *testing.T) {
	name, index, addr := linkLocal(t)
	h := listenOn(t, "[::]:0", udp.Config{Plain: udp.PlainPrivateLAN})
	for _, zone := range []string{name, fmt.Sprint(index)} {
		to := netip.AddrPortFrom(addr.WithZone(zone), h.Addr().Port())
		conn, err := udp.Dial(testContext(t), to.String(), udp.Config{DialTimeout: time.Second})
		require.NoError(t, err, zone)
		require.Equal(t, addr.WithZone(name), conn.RemoteAddr().Addr())
		require.NoError(t, conn.Close())
	}
}

// linkLocal finds a link-local address of this machine.
func linkLocal(t *testing.T) (name string, index int, addr netip.Addr) {
	t.Helper()
	interfaces, err := net.Interfaces()
	require.NoError(t, err)
	for _, i := range interfaces {
		addrs, err := i.Addrs()
		require.NoError(t, err)
		for _, a := range addrs {
			p, err := netip.ParsePrefix(a.String())
			if err == nil && p.Addr().Is6() && p.Addr().IsLinkLocalUnicast() {
				return i.Name, i.Index, p.Addr()
			}
		}
	}
	t.Skip("this machine has no link-local IPv6 address")
	return "", 0, addr
}

func TestDialRejectsAddressesThatCannotBeDialled(t *testing.T) {
	for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:nosuchservice", "name.invalid:7000"} {
		_, err := udp.Dial(testContext(t), addr, udp.Config{Protocol: udp.Base})
		require.Error(t, err, addr)
	}
}

func TestDialEndsWhileItLooksUpANameIfItsContextDoes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := udp.Dial(ctx, "name.invalid:7000", udp.Config{Protocol: udp.Base})
	require.True(t, errors.Is(err, context.Canceled), "%v", err)
}
