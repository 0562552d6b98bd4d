package udp_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// behind is a client of the host behind a box.
func (w *world) behind(box *sim.NAT, h *member, c udp.Config) *member {
	w.t.Helper()
	return w.clientOn(box.Node("inside"), h, c)
}

// chats sends a message each way every 50 ms for a while and wants all of them.
func chats(w *world, h, c *member, d time.Duration) {
	w.t.Helper()
	h.log, c.log = nil, nil
	n := int(d / (50 * time.Millisecond))
	for i := range n {
		send(w.t, c.conn, fmt.Sprint("up ", i), ordered)
		send(w.t, h.host.Conns()[0], fmt.Sprint("down ", i), ordered)
		c.node.Wake()
		h.node.Wake()
		w.run(50 * time.Millisecond)
	}
	w.run(2 * time.Second)
	var up, down []string
	for i := range n {
		up, down = append(up, fmt.Sprint("1 message up ", i)), append(down, fmt.Sprint("1 message down ", i))
	}
	h.wants(up...)
	c.wants(down...)
}

func TestAClientGoesOnWhenItsPortChanges(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	box := w.nw.NAT("box", sim.NATConfig{Outside: []netip.Addr{netip.MustParseAddr("203.0.113.5")}})
	c := w.behind(box, h, knows())
	w.run(time.Second)
	before := h.host.Conns()[0].RemoteAddr()
	for range 3 {
		box.Rebind()
		chats(w, h, c, time.Second)
	}
	after := h.host.Conns()[0].RemoteAddr()
	require.Equal(t, before.Addr(), after.Addr())
	require.NotEqual(t, before.Port(), after.Port())
	require.Equal(t, h.host.Conns()[0], transport.Conn(h.host.Find(after)))
	require.Nil(t, h.host.Find(before))
	require.Equal(t, uint64(3), h.host.Stats().Moved)
}

func TestAClientGoesOnWhenItMovesToAnotherNetwork(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("phone", h, knows())
	w.run(time.Second)
	for i := range 3 {
		c.node.SetAddrs(netip.AddrFrom4([4]byte{198, 51, 100, byte(10 + i)}))
		chats(w, h, c, time.Second)
		require.Equal(t, c.node.Addr(), h.host.Conns()[0].RemoteAddr().Addr())
	}
	require.Equal(t, uint64(3), h.host.Stats().Moved)
}

func TestAClientThatIsQuietIsFoundAgainByItsHeartbeat(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("phone", h, knows())
	w.run(2 * time.Second)
	c.node.SetAddrs(netip.MustParseAddr("198.51.100.10"))
	w.run(1200 * time.Millisecond)
	require.Equal(t, c.node.Addr(), h.host.Conns()[0].RemoteAddr().Addr())
	send(t, h.host.Conns()[0], "there you are", ordered)
	h.node.Wake()
	w.run(time.Second)
	c.wants("1 connected", "1 message there you are")
}

func TestAPeerThatMovedCountsAtItsNewAddress(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.MaxPeersPerAddress = 1
	h := w.host(config)
	phone := w.client("phone", h, knows())
	w.run(time.Second)
	old := phone.node.Addr()
	phone.node.SetAddrs(netip.MustParseAddr("198.51.100.10"))
	w.run(2 * time.Second)
	next := w.client("next", h, knows(), old.String())
	w.run(time.Second)
	next.wants("2 connected")
	third := w.clientOn(phone.node, h, knows())
	w.run(time.Second)
	third.wants("0 dial failed: refused by the host: too many clients of one address")
}

func TestAHostOnAllItsAddressesAnswersFromThatWhichTheClientUses(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed(), "10.1.0.1", "10.2.0.1")
	m := w.member("client", nil)
	var err error
	m.conn, err = udp.Dial(context.Background(), netip.AddrPortFrom(netip.MustParseAddr("10.2.0.1"), port).String(), m.config(knows(), 0))
	require.NoError(t, err)
	m.node.Attach(sim.ProcessFunc(func(int64) int64 { return m.frame(m.conn) }))
	w.run(time.Second)
	m.node.SetAddrs(netip.MustParseAddr("198.51.100.10"))
	chats(w, h, m, time.Second)
	require.Equal(t, "10.2.0.1", h.host.Conns()[0].LocalAddr().Addr().String())
}

func TestThePathOfAnotherNetworkIsMeasuredAnew(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("phone", h, knows())
	w.run(time.Second)
	chats(w, h, c, time.Second)
	peer := h.host.Conns()[0].(*udp.Conn)
	require.Less(t, peer.Stats().RTTMin, 100*time.Millisecond)
	w.nw.SetLink(c.node, h.node, sim.Conditions{Delay: 80 * time.Millisecond})
	w.nw.SetLink(h.node, c.node, sim.Conditions{Delay: 80 * time.Millisecond})
	c.node.SetAddrs(netip.MustParseAddr("198.51.100.10"))
	chats(w, h, c, time.Second)
	require.Greater(t, peer.Stats().RTTMin, 100*time.Millisecond)
}

func TestASessionThatIsOverAsksForNoProof(t *testing.T) {
	w := newSecureWorld(t)
	w.nw.SetDefault(sim.Conditions{Delay: 300 * time.Millisecond})
	h := w.member("host", nil)
	config := h.config(keyed(), port)
	sock := &sizes{Socket: config.Socket}
	config.Socket = sock
	var err error
	h.host, err = udp.Listen("", config)
	require.NoError(t, err)
	h.node.Attach(sim.ProcessFunc(func(int64) int64 { return h.frame(h.host) }))
	c := w.client("phone", h, knows())
	w.run(3 * time.Second)
	c.node.SetAddrs(netip.MustParseAddr("198.51.100.10"))
	c.say("from elsewhere", unreliable)
	w.run(500 * time.Millisecond) // the first challenge is on its way, and a second would be due
	h.host.Conns()[0].(*udp.Conn).Kick(0, "")
	h.node.Wake()
	w.run(3 * time.Second)
	require.NotContains(t, sock.all, 0, "an empty datagram")
}

func TestAPacketThatComesLateFromElsewhereBeginsNoCheck(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.member("client", nil)
	config := c.config(knows(), 0)
	sock := &watched{Socket: config.Socket}
	config.Socket = sock
	w.dialWith(c, h, config)
	w.run(time.Second)
	w.nw.Cut(c.node, h.node)
	c.say("lost", unreliable)
	w.run(time.Millisecond)
	kept := append([]byte(nil), sock.last...)
	w.nw.Heal(c.node, h.node)
	w.run(2 * time.Second)
	elsewhere := w.raw("elsewhere", h)
	elsewhere.send(kept)
	w.run(time.Second)
	elsewhere.wantsNothing()
	require.Contains(t, h.log, "1 message lost", "whoever carries it, it is the client's")
	require.Equal(t, c.node.Addr(), h.host.Conns()[0].RemoteAddr().Addr())
}
