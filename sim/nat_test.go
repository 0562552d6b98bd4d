package sim_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// home is a client behind a NAT box and a host outside.
type home struct {
	*testing.T
	nw           *sim.Network
	box          *sim.NAT
	client, host *sim.Node
	c, h         *sim.Socket
}

func newHome(t *testing.T, c sim.NATConfig) *home {
	nw := sim.New(1)
	c.Outside = []netip.Addr{addr("203.0.113.5")}
	h := &home{T: t, nw: nw, box: nw.NAT("box", c), host: nw.Node("host", addr("192.0.2.1"))}
	h.client = h.box.Node("client")
	h.c = h.listen(h.client, 4000)
	h.h = h.listen(h.host, 7000)
	return h
}

func (h *home) listen(n *sim.Node, port uint16) *sim.Socket {
	s, err := n.Listen(port)
	require.NoError(h, err)
	return s
}

// passes sends a datagram and gives the source that it arrives with, the zero AddrPort if it does not.
func (h *home) passes(from *sim.Socket, to netip.AddrPort, at *sim.Socket) netip.AddrPort {
	h.Helper()
	require.NoError(h, from.Write([]byte("x"), to, addrNone))
	h.nw.RunFor(time.Millisecond)
	_, source, _, err := at.TryRead(nil)
	require.NoError(h, err)
	return source
}

func (h *home) out() netip.AddrPort       { h.Helper(); return h.passes(h.c, at("192.0.2.1:7000"), h.h) }
func (h *home) in(to netip.AddrPort) bool { h.Helper(); return h.passes(h.h, to, h.c).IsValid() }
func (h *home) requireLost(n int)         { h.Helper(); h.requireDrops(h.nw.LinkCounts(h.host, nil), n) }
func (h *home) requireDrops(c sim.Counts, n int) {
	h.Helper()
	require.EqualValues(h, n, c.Drops[sim.DropNAT])
}
func (h *home) outside(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(addr("203.0.113.5"), port)
}
func (h *home) inside() netip.AddrPort                    { return h.client.AddrPort(4000) }
func (h *home) current() (mapped netip.AddrPort, ok bool) { return h.box.Outside(h.inside()) }

func TestNATLendsItsAddress(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	_, mapped := h.current()
	require.False(t, mapped)
	source := h.out()
	require.Equal(t, h.outside(20000), source)
	require.True(t, h.in(source))
	require.Equal(t, source, h.out(), "one mapping, for good")
	now, mapped := h.current()
	require.True(t, mapped)
	require.Equal(t, source, now)

	other := h.listen(h.client, 4001)
	require.Equal(t, h.outside(20001), h.passes(other, at("192.0.2.1:7000"), h.h))
	requireBooks(t, h.nw)
}

func TestNATFiltersWhomTheInsideDidNotSendTo(t *testing.T) {
	for _, open := range []bool{false, true} {
		h := newHome(t, sim.NATConfig{Open: open})
		require.False(t, h.in(h.outside(20000)), "no mapping yet")
		source := h.out()
		stranger := h.listen(h.nw.Node("stranger"), 7000)
		require.Equal(t, open, h.passes(stranger, source, h.c).IsValid())
		other := h.listen(h.host, 7001)
		require.Equal(t, open, h.passes(other, source, h.c).IsValid(), "another port is another sender")
		h.requireLost(1)
		requireBooks(t, h.nw)
	}
}

func TestNATRebindChangesThePort(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	old := h.out()
	h.box.Rebind()
	require.False(t, h.in(old))
	fresh := h.out()
	require.Equal(t, old.Addr(), fresh.Addr())
	require.NotEqual(t, old.Port(), fresh.Port())
	require.True(t, h.in(fresh))
	require.False(t, h.in(old))
}

func TestNATRebindLosesWhatIsOnItsWay(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	old := h.out()
	h.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond})
	require.NoError(t, h.h.Write(nil, old, addrNone))
	h.box.Rebind()
	h.nw.RunFor(time.Second)
	h.requireDrops(h.nw.LinkCounts(h.host, h.client), 1)
	requireBooks(t, h.nw)
}

func TestNATAddressChanges(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	old := h.out()
	h.box.SetOutside(addr("203.0.113.99"))
	require.False(t, h.in(old))
	require.EqualValues(t, 1, h.nw.Counts().Drops[sim.DropNoRoute], "the old address is nobody's")
	fresh := h.out()
	require.Equal(t, addr("203.0.113.99"), fresh.Addr())
	require.True(t, h.in(fresh))
}

func TestNATMappingExpiresUnlessSomethingGoesOut(t *testing.T) {
	h := newHome(t, sim.NATConfig{Expiry: 30 * time.Second})
	source := h.out()
	for range 5 {
		h.nw.RunFor(29 * time.Second)
		require.Equal(t, source, h.out())
	}
	h.nw.RunFor(29 * time.Second)
	require.True(t, h.in(source))
	h.nw.RunFor(2 * time.Second)
	require.False(t, h.in(source), "what comes in does not keep it")
	_, mapped := h.current()
	require.False(t, mapped)
	again := h.out()
	require.NotEqual(t, source, again)
	require.Equal(t, again, h.out(), "the new one stays")
}

func TestTwoPeersSwapAddresses(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	second := h.box.Node("second")
	s := h.listen(second, 4000)
	a, b := h.out(), h.passes(s, at("192.0.2.1:7000"), h.h)
	require.NotEqual(t, a, b)
	h.box.Map(h.inside(), b)
	h.box.Map(second.AddrPort(4000), a)
	require.Equal(t, b, h.out())
	require.Equal(t, a, h.passes(s, at("192.0.2.1:7000"), h.h))
	require.True(t, h.in(b))
}

func TestMappingByHandForwardsAPort(t *testing.T) {
	h := newHome(t, sim.NATConfig{Expiry: time.Second})
	h.box.Map(h.inside(), h.outside(7777))
	h.nw.RunFor(time.Hour)
	require.True(t, h.in(h.outside(7777)), "to strangers, and for ever")
	require.Equal(t, h.outside(7777), h.out())
	require.Panics(t, func() { h.box.Map(at("192.168.9.9:1"), h.outside(1)) })
	require.Panics(t, func() { h.box.Map(h.inside(), at("192.0.2.1:7777")) })
}

func TestInsideAddressesArePrivate(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	neighbour := h.box.Node("neighbour")
	n := h.listen(neighbour, 4000)
	require.Equal(t, h.inside(), h.passes(h.c, neighbour.AddrPort(4000), n), "neighbours see each other as they are")
	require.False(t, h.in(h.inside()), "from outside there is no such address")
	require.EqualValues(t, 1, h.nw.Counts().Drops[sim.DropNoRoute])

	other := h.nw.NAT("other", sim.NATConfig{Outside: []netip.Addr{addr("203.0.113.6")}})
	twin := other.Node("twin")
	require.Equal(t, h.client.Addr(), twin.Addr(), "two homes may use the same")
	s := h.listen(twin, 4000)
	require.Equal(t, at("203.0.113.6:20000"), h.passes(s, at("192.0.2.1:7000"), h.h))
}

func TestNeighboursReachEachOtherByTheOutsideAddress(t *testing.T) {
	h := newHome(t, sim.NATConfig{Open: true})
	n := h.listen(h.box.Node("neighbour"), 4000)
	h.passes(n, at("192.0.2.1:7000"), h.h)
	source := h.passes(h.c, h.outside(20000), n)
	require.Equal(t, h.outside(20001), source)
	require.Equal(t, h.outside(20000), h.passes(n, source, h.c))
}

func TestNATPassesAFamilyThatItHasNoAddressFor(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	host6 := h.nw.Node("host 6", addr("2001:db8::1"))
	client6 := h.box.Node("client 6", addr("192.168.5.5"), addr("2001:db8:5::5"))
	c, s := h.listen(client6, 4000), h.listen(host6, 7000)
	require.Equal(t, at("[2001:db8:5::5]:4000"), h.passes(c, at("[2001:db8::1]:7000"), s))
}

func TestNATThatTranslatesIPv6(t *testing.T) {
	h := newHome(t, sim.NATConfig{})
	h.box.SetOutside(addr("203.0.113.5"), addr("2001:db8:5::1"))
	host6 := h.nw.Node("host 6", addr("2001:db8::1"))
	client6 := h.box.Node("client 6", addr("fd00::5"))
	c, s := h.listen(client6, 4000), h.listen(host6, 7000)
	source := h.passes(c, at("[2001:db8::1]:7000"), s)
	require.Equal(t, at("[2001:db8:5::1]:20000"), source)
	require.True(t, h.passes(s, source, c).IsValid())
}
