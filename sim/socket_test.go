package sim_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// twoFamilies makes a host with two addresses of each family and a client with one.
func twoFamilies(t *testing.T) (nw *sim.Network, host *sim.Node, h, c *sim.Socket) {
	nw = sim.New(1)
	host = nw.Node("host", addr("192.0.2.1"), addr("192.0.2.2"), addr("2001:db8::1"), addr("2001:db8::2"))
	client := nw.Node("client", addr("198.51.100.7"), addr("2001:db8:7::7"))
	h, err := host.Listen(7000)
	require.NoError(t, err)
	c, err = client.Listen(4000)
	require.NoError(t, err)
	return nw, host, h, c
}

func TestWildcardSocketReportsTheAddressItWasSentToAndAnswersFromIt(t *testing.T) {
	nw, _, h, c := twoFamilies(t)
	require.Equal(t, at("[::]:7000"), h.LocalAddr())
	for _, to := range []string{"192.0.2.1:7000", "192.0.2.2:7000", "[2001:db8::1]:7000", "[2001:db8::2]:7000", "[::ffff:192.0.2.2]:7000"} {
		want := netip.AddrPortFrom(at(to).Addr().Unmap(), 7000)
		require.NoError(t, c.Write([]byte("ping"), at(to), addrNone))
		nw.RunFor(0)
		var buf [10]byte
		n, from, local, err := h.TryRead(buf[:])
		require.NoError(t, err)
		require.Equal(t, "ping", string(buf[:n]))
		require.Equal(t, want.Addr(), local)
		require.Equal(t, want.Addr().Is4(), from.Addr().Is4())

		require.NoError(t, h.Write([]byte("pong"), from, local))
		nw.RunFor(0)
		_, from, _, err = c.TryRead(buf[:])
		require.NoError(t, err)
		require.Equal(t, want, from)
	}
	requireBooks(t, nw)
}

func TestSocketBoundToOneAddressHearsThatAlone(t *testing.T) {
	nw, host, wild, c := twoFamilies(t)
	one, err := host.ListenOn(at("192.0.2.2:7000"))
	require.NoError(t, err)
	require.NoError(t, c.Write([]byte("one"), at("192.0.2.2:7000"), addrNone))
	require.NoError(t, c.Write([]byte("wild"), at("192.0.2.1:7000"), addrNone))
	nw.RunFor(0)
	require.Equal(t, 1, one.Waiting())
	require.Equal(t, 1, wild.Waiting())

	require.NoError(t, one.Write(nil, at("198.51.100.7:4000"), addrNone))
	require.ErrorIs(t, one.Write(nil, at("198.51.100.7:4000"), addr("192.0.2.1")), sim.ErrNotLocal)
	require.ErrorIs(t, one.Write(nil, at("[2001:db8:7::7]:4000"), addrNone), sim.ErrUnreachable)
	require.ErrorIs(t, wild.Write(nil, at("198.51.100.7:4000"), addr("2001:db8::1")), sim.ErrUnreachable)
	require.ErrorIs(t, wild.Write(nil, at("198.51.100.7:4000"), addr("192.0.2.9")), sim.ErrNotLocal)

	require.NoError(t, one.Close())
	require.NoError(t, c.Write(nil, at("192.0.2.2:7000"), addrNone))
	nw.RunFor(0)
	require.Equal(t, 2, wild.Waiting(), "the wildcard takes over")
}

func TestIPv4WildcardDoesNotHearIPv6(t *testing.T) {
	nw, host, _, c := twoFamilies(t)
	four, err := host.ListenOn(at("0.0.0.0:7001"))
	require.NoError(t, err)
	require.NoError(t, c.Write(nil, at("[2001:db8::1]:7001"), addrNone))
	require.NoError(t, c.Write(nil, at("192.0.2.1:7001"), addrNone))
	nw.RunFor(0)
	require.Equal(t, 1, four.Waiting())
	require.EqualValues(t, 1, nw.Counts().Drops[sim.DropNoSocket])
}

func TestPortsAreExclusive(t *testing.T) {
	_, host, h, _ := twoFamilies(t)
	_, err := host.Listen(7000)
	require.ErrorIs(t, err, sim.ErrInUse)
	_, err = host.ListenOn(at("0.0.0.0:7000"))
	require.ErrorIs(t, err, sim.ErrInUse)
	_, err = host.ListenOn(at("192.0.2.9:7000"))
	require.ErrorIs(t, err, sim.ErrNotLocal)
	require.NoError(t, h.Close())
	_, err = host.Listen(7000)
	require.NoError(t, err, "free again")
	seen := map[uint16]bool{}
	for range 100 {
		s, err := host.Listen(0)
		require.NoError(t, err)
		require.False(t, seen[s.LocalAddr().Port()])
		seen[s.LocalAddr().Port()] = true
	}
}

func TestManySocketsOnOnePortCloseInAnyOrder(t *testing.T) {
	nw, host, wild, c := twoFamilies(t)
	one, err := host.ListenOn(at("192.0.2.1:7000"))
	require.NoError(t, err)
	two, err := host.ListenOn(at("192.0.2.2:7000"))
	require.NoError(t, err)
	require.NoError(t, wild.Close())
	require.NoError(t, two.Close())
	require.NoError(t, c.Write(nil, at("192.0.2.1:7000"), addrNone))
	require.NoError(t, c.Write(nil, at("192.0.2.2:7000"), addrNone))
	nw.RunFor(0)
	require.Equal(t, 1, one.Waiting())
	require.EqualValues(t, 1, nw.Counts().Drops[sim.DropNoSocket])
}

func TestReadCutsWhatDoesNotFit(t *testing.T) {
	nw, _, h, c := twoFamilies(t)
	require.NoError(t, c.Write([]byte("longer"), at("192.0.2.1:7000"), addrNone))
	require.NoError(t, c.Write([]byte("next"), at("192.0.2.1:7000"), addrNone))
	nw.RunFor(0)
	var buf [4]byte
	n, _, _, err := h.TryRead(buf[:])
	require.NoError(t, err)
	require.Equal(t, "long", string(buf[:n]))
	n, _, _, _ = h.TryRead(buf[:])
	require.Equal(t, "next", string(buf[:n]))
	n, from, local, err := h.TryRead(buf[:])
	require.Zero(t, n)
	require.False(t, from.IsValid() || local.IsValid())
	require.NoError(t, err, "nothing waits")
}

func TestEmptyAndLargestDatagramsPass(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	require.NoError(t, p.c.Write(nil, p.to, addrNone))
	require.NoError(t, p.c.Write(make([]byte, sim.MaxPayload), p.to, addrNone))
	require.ErrorIs(t, p.c.Write(make([]byte, sim.MaxPayload+1), p.to, addrNone), sim.ErrTooLong)
	p.nw.RunFor(0)
	n, from, _, _ := p.h.TryRead(p.buf[:])
	require.Zero(t, n)
	require.True(t, from.IsValid(), "empty, but there")
	n, _, _, _ = p.h.TryRead(p.buf[:])
	require.Equal(t, sim.MaxPayload, n)
}

func TestWriteCopiesThePayload(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	b := []byte("before")
	require.NoError(t, p.c.Write(b, p.to, addrNone))
	copy(b, "after!")
	p.nw.RunFor(0)
	n, _, _, _ := p.h.TryRead(p.buf[:])
	require.Equal(t, "before", string(p.buf[:n]))
}

func TestReceiveBufferIsBounded(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	p.h.SetReadBuffer(sim.DefaultReadBuffer)
	for range 10_000 {
		require.NoError(t, p.c.Write(nil, p.to, addrNone))
	}
	p.nw.RunFor(0)
	require.Equal(t, 4096, p.h.Waiting(), "empty datagrams take room as well")
	require.EqualValues(t, 10_000-4096, p.counts().Drops[sim.DropBuffer])
	p.receive(t)
	p.send(t, 0, 1)
	p.nw.RunFor(0)
	require.Equal(t, 1, p.h.Waiting())
	requireBooks(t, p.nw)
}

func TestSocketsOfOneNodeReachEachOther(t *testing.T) {
	nw, host, h, _ := twoFamilies(t)
	nw.SetDefault(sim.Conditions{Delay: time.Second, Loss: sim.Always})
	s, err := host.Listen(0)
	require.NoError(t, err)
	for to, source := range map[string]string{"192.0.2.1:7000": "192.0.2.1", "127.0.0.1:7000": "127.0.0.1", "[::1]:7000": "::1"} {
		require.NoError(t, s.Write(nil, at(to), addrNone))
		nw.RunFor(0)
		_, from, local, _ := h.TryRead(nil)
		require.Equal(t, addr(source), from.Addr(), to)
		require.Equal(t, at(to).Addr(), local)
	}
	nw.SetLink(host, host, sim.Conditions{Delay: time.Millisecond})
	require.NoError(t, s.Write(nil, at("127.0.0.1:7000"), addrNone))
	nw.RunFor(0)
	require.Zero(t, h.Waiting())
	nw.RunFor(time.Millisecond)
	require.Equal(t, 1, h.Waiting())

	bound, err := host.ListenOn(at("127.0.0.1:0"))
	require.NoError(t, err)
	require.ErrorIs(t, bound.Write(nil, at("198.51.100.7:4000"), addrNone), sim.ErrUnreachable)
}

func TestDatagramsToAnAddressThatNobodyHasAreCounted(t *testing.T) {
	nw, host, h, _ := twoFamilies(t)
	require.NoError(t, h.Write(nil, at("203.0.113.1:1"), addrNone))
	nw.RunFor(time.Second)
	require.EqualValues(t, 1, nw.LinkCounts(host, nil).Drops[sim.DropNoRoute])
	requireBooks(t, nw)
}

func TestClosedSocketSaysSo(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	require.NoError(t, p.h.Close())
	_, _, _, err := p.h.TryRead(p.buf[:])
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, p.h.Write(nil, p.to, addrNone), net.ErrClosed)
	require.ErrorIs(t, p.h.Close(), net.ErrClosed)
}

func TestScriptedErrorsFailTheNextCallsAndLoseNothing(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	noBuffers := errors.New("no buffer space available")
	p.c.FailWrites(2, noBuffers)
	require.ErrorIs(t, p.c.Write(nil, p.to, addrNone), noBuffers)
	require.ErrorIs(t, p.c.Write(nil, p.to, addrNone), noBuffers)
	p.send(t, 5, 6)
	p.nw.RunFor(0)

	p.h.FailReads(10, noBuffers)
	for range 10 {
		_, _, _, err := p.h.TryRead(p.buf[:])
		require.ErrorIs(t, err, noBuffers)
	}
	require.Equal(t, []int{5}, p.receive(t))
	c := p.nw.Counts()
	require.EqualValues(t, 2, c.WriteErrors)
	require.EqualValues(t, 10, c.ReadErrors)

	p.h.FailReads(-1, noBuffers)
	for range 100 {
		_, _, _, err := p.h.TryRead(p.buf[:])
		require.ErrorIs(t, err, noBuffers)
	}
	p.h.FailReads(0, nil)
	require.Empty(t, p.receive(t))

	p.host.FailListens(1, noBuffers)
	_, err := p.host.Listen(0)
	require.ErrorIs(t, err, noBuffers)
	_, err = p.host.Listen(0)
	require.NoError(t, err)
}

func TestRefusedDatagramIsReportedOnceIfAskedFor(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.nw.SetLink(p.host, p.client, sim.Conditions{Delay: 5 * time.Millisecond})
	closed := p.host.AddrPort(7001)
	refused := errors.New("connection refused")
	read := func() error {
		_, _, _, err := p.c.TryRead(nil)
		return err
	}
	require.NoError(t, p.c.Write(nil, closed, addrNone))
	p.nw.RunFor(time.Second)
	require.NoError(t, read(), "off at first")

	p.c.ReportRefused(refused)
	require.NoError(t, p.c.Write(nil, closed, addrNone))
	p.nw.RunFor(14 * time.Millisecond)
	require.NoError(t, read())
	p.nw.RunFor(time.Millisecond)
	require.ErrorIs(t, read(), refused)
	require.NoError(t, read())
	require.NoError(t, p.c.Write(nil, closed, addrNone))
	p.nw.RunFor(time.Second)
	require.ErrorIs(t, p.c.Write(nil, closed, addrNone), refused, "or by a write")
	require.NoError(t, read())

	p.nw.Cut(p.host, p.client)
	require.NoError(t, p.c.Write(nil, closed, addrNone))
	p.nw.RunFor(time.Second)
	require.NoError(t, read(), "reports are lost as well")
	require.EqualValues(t, 4, p.counts().Drops[sim.DropNoSocket])
	requireBooks(t, p.nw)
}

func TestForgedSourceArrivesAsIfItWereTrue(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	attacker := p.nw.Node("attacker")
	attacker.Forge([]byte("evil"), p.clientAddr(), p.to)
	p.nw.RunFor(0)
	n, from, _, _ := p.h.TryRead(p.buf[:])
	require.Equal(t, "evil", string(p.buf[:n]))
	require.Equal(t, p.clientAddr(), from)
	require.EqualValues(t, 1, p.nw.LinkCounts(attacker, p.host).Delivered)
	attacker.Forge(nil, p.clientAddr(), p.host.AddrPort(1))
	p.nw.RunFor(0)
	requireBooks(t, p.nw)
}
