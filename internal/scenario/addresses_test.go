package scenario

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// B08: one endpoint, however it and the socket spell addresses. "localhost" has an address of each family.
func TestAnEndpointHasOneAddressOnSocketsOfAllKinds(t *testing.T) {
	four := []string{"127.0.0.1", "::ffff:127.0.0.1", "localhost"}
	six := []string{"::1", "localhost"}
	for bind, targets := range map[string][]string{
		"127.0.0.1:0": four,
		"0.0.0.0:0":   four,
		"[::1]:0":     six,
		"[::]:0":      append(six, four...),
	} {
		for _, target := range targets {
			t.Run(bind+" from "+target, func(t *testing.T) { oneAddress(t, bind, target) })
		}
	}
}

func oneAddress(t *testing.T, bind, target string) {
	t.Parallel()
	var asked []udp.Request
	admit := func(r udp.Request) *udp.Refusal {
		asked = append(asked, r)
		return nil
	}
	h, err := udp.Listen(bind, udp.Config{Protocol: udp.Base, Admit: admit})
	if err != nil && strings.HasPrefix(bind, "[") {
		t.Skipf("this machine has no IPv6: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { h.Close() })
	addr := net.JoinHostPort(target, fmt.Sprint(h.Addr().Port()))
	c, err := udp.Dial(testContext(t), addr, udp.Config{Protocol: udp.Base})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })

	peer := acceptUDP(t, h).(*udp.Conn)
	seen := peer.RemoteAddr()
	require.Equal(t, seen.Addr().Unmap(), seen.Addr(), "addresses are unmapped")
	require.Equal(t, asked[0].Addr, seen, "a ban list sees what the application sees")
	require.Equal(t, c.LocalAddr().Port(), seen.Port())
	require.Equal(t, c.RemoteAddr().Addr(), c.RemoteAddr().Addr().Unmap())
	require.Len(t, h.Conns(), 1)

	mapped := netip.AddrPortFrom(netip.AddrFrom16(seen.Addr().As16()), seen.Port())
	require.Same(t, peer, h.Find(seen))
	require.Same(t, peer, h.Find(mapped), "in either spelling")
	require.NoError(t, h.Find(mapped).Send([]byte("by address"), ordered))
	require.Equal(t, "by address", receiveUDP(t, c))
	require.NoError(t, c.Send([]byte("and back"), ordered))
	require.Equal(t, "and back", receiveUDP(t, peer))
}

// B08: a link-local peer keeps its zone, which its address is nothing without.
func TestALinkLocalPeerIsFoundByItsZonedAddress(t *testing.T) {
	zoned := netip.MustParseAddr("fe80::2%eth0")
	w := newWorld(t)
	h := &app{T: t, w: w, node: w.nw.Node("host", netip.MustParseAddr("fe80::1%eth0"))}
	h.listen()
	c := w.clientOn(w.nw.Node("client", zoned), 0, h.node.AddrPort(port))
	w.until(soon, c.connected)
	require.Equal(t, zoned, h.session().conn.RemoteAddr().Addr())
	require.Same(t, h.session().conn, h.host.Find(c.address()))
	require.Nil(t, h.host.Find(netip.AddrPortFrom(zoned.WithZone("eth1"), c.address().Port())))
	c.says("hello")
	w.run(soon)
	require.Equal(t, []string{"hello"}, h.with(c).heard)
}

// B08: a host that listens on both families.
func TestAHostWithTwoFamiliesHasOnePeerForEachEndpoint(t *testing.T) {
	w := newWorld(t)
	four, six := netip.MustParseAddr("10.1.0.1"), netip.MustParseAddr("fd00::1")
	h := &app{T: t, w: w, node: w.nw.Node("host", four, six)}
	h.listen()
	node := w.nw.Node("client", netip.MustParseAddr("10.1.0.2"), netip.MustParseAddr("fd00::2"))
	a := w.clientOn(node, 6000, netip.AddrPortFrom(four, port))
	b := w.clientOn(node, 6001, netip.AddrPortFrom(six, port))
	w.until(soon, func() bool { return a.connected() && b.connected() && len(h.sessions) == 2 })
	w.run(time.Second)
	require.Equal(t, netip.MustParseAddrPort("10.1.0.2:6000"), h.sessions[0].conn.RemoteAddr())
	require.Equal(t, netip.MustParseAddrPort("[fd00::2]:6001"), h.sessions[1].conn.RemoteAddr())
	require.Equal(t, 2, h.peers())
	require.Zero(t, w.nw.Counts().Drops[sim.DropNoSocket])
}
