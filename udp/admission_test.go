package udp_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/udp"
)

func (m *member) drops(d framing.Drop) int { return int(m.host.Stats().Drops[d]) }

func TestAnAdmittedClientGetsAcceptAndOneEvent(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("client", h)
	r.connect(version)
	r.wants("Accept id 1")
	h.wants("1 connected")
}

func TestTheSameConnectGetsTheSameAcceptAndChangesNothing(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("client", h)
	for range 5 {
		r.connect(version)
		r.wants("Accept id 1")
	}
	h.wants("1 connected")
	require.Len(t, h.host.Conns(), 1)
}

func TestAnotherVersionIsRefusedAndASessionStays(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("client", h)
	r.connect("HRD-LOCAL-2")
	r.wants(`Refuse "version"`)
	r.connect(version)
	r.wants("Accept id 1")
	r.connect("HRD-LOCAL-2")
	r.wants(`Refuse "version"`)
	h.wants("1 connected")
	require.Len(t, h.host.Conns(), 1)
}

func TestARefuseIsNoLargerThanItsConnect(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("client", h)
	r.connect("v2")
	r.wants(`Refuse "ve"`)
}

func TestPolicyAnswersNobodyOutsideIt(t *testing.T) {
	for _, c := range []struct {
		plain  udp.Plain
		addr   string // "" is a neighbour on loopback
		answer bool
	}{
		{udp.PlainLoopback, "", true},
		{udp.PlainLoopback, "10.0.0.9", false},
		{udp.PlainPrivateLAN, "192.168.3.4", true},
		{udp.PlainPrivateLAN, "169.254.3.4", true},
		{udp.PlainPrivateLAN, "8.8.8.8", false},
		{udp.PlainPrivateLAN, "fd00::9", true},
		{udp.PlainPrivateLAN, "2001:db8::9", false},
		{udp.PlainAny, "8.8.8.8", true},
	} {
		t.Run(fmt.Sprint(c.plain, " ", c.addr), func(t *testing.T) {
			w := newWorld(t)
			h := w.host(udp.Config{Plain: c.plain}, "10.0.0.1", "fd00::1")
			r := w.neighbour(h)
			if c.addr != "" {
				r = w.raw("client", h, c.addr)
			}
			if strings.Contains(c.addr, ":") {
				r.to = netip.MustParseAddrPort("[fd00::1]:7000")
			}
			r.connect(version)
			require.Equal(t, c.answer, len(r.got()) == 1)
			require.Equal(t, c.answer, h.drops(framing.DropPolicy) == 0)
		})
	}
}

func TestConnectsOfOneSourceAreLimited(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("flood", h)
	for range 1000 {
		r.w.nw.RunFor(time.Millisecond)
		_ = r.sock.Write(framing.AppendConnect(nil, "other"), r.to, netip.Addr{})
	}
	w.run(100 * time.Millisecond)
	answers := len(r.got())
	require.InDelta(t, 5+20, answers, 1)
	require.Equal(t, 1000-answers, h.drops(framing.DropRate))

	other := w.raw("other", h)
	other.connect(version)
	other.wants("Accept id 1")
}

func TestConnectsOfAPeerAreInItsBudget(t *testing.T) {
	w := newWorld(t)
	c := lan()
	c.SendCeiling = 1200
	h := w.host(c)
	r := w.raw("client", h)
	r.connect(version)
	r.wants("Accept id 1")
	for range 2000 {
		_ = r.sock.Write(framing.AppendConnect(nil, "other"), r.to, netip.Addr{})
	}
	w.run(100 * time.Millisecond)
	refused := len(r.got())
	require.InDelta(t, 48_000/(8+28), refused, 10, "the burst of the budget")
	require.Equal(t, 2000-refused, h.drops(framing.DropRate))
}

func TestConnectsFromLoopbackAreNotLimited(t *testing.T) {
	w := newWorld(t)
	r := w.neighbour(w.host(udp.Config{}))
	for range 100 {
		_ = r.sock.Write(framing.AppendConnect(nil, "other"), r.to, netip.Addr{})
	}
	w.run(100 * time.Millisecond)
	require.Len(t, r.got(), 100)
}

func TestOneAddressMayNotTakeAllPlaces(t *testing.T) {
	w := newWorld(t)
	c := lan()
	c.MaxPeersPerAddress = 2
	h := w.host(c)
	node := w.member("crowd", nil).node
	for i := range 3 {
		sock, err := node.Listen(0)
		require.NoError(t, err)
		r := &raw{t, w, node, sock, h.node.AddrPort(port)}
		w.run(time.Second)
		r.connect(version)
		r.wants([]string{"Accept id 1", "Accept id 2", `Refuse "full"`}[i])
	}
}

func TestAFullHostRefuses(t *testing.T) {
	w := newWorld(t)
	c := lan()
	c.MaxPeers = 2
	h := w.host(c)
	for i, want := range []string{"Accept id 1", "Accept id 2", `Refuse "full"`} {
		r := w.raw(fmt.Sprint("client", i), h)
		r.connect(version)
		r.wants(want)
	}
	s := h.host.Stats()
	require.EqualValues(t, 2, s.Admitted)
	require.EqualValues(t, 1, s.Refused)
	require.Equal(t, 2, s.Peers)
}

func TestAdmitDecides(t *testing.T) {
	w := newWorld(t)
	var asked []udp.Request
	answers := []*udp.Refusal{{Text: "not today"}, {}, {Text: "longer than eleven bytes"}, nil}
	c := lan()
	c.Admit = func(r udp.Request) *udp.Refusal {
		asked = append(asked, r)
		return answers[len(asked)-1]
	}
	h := w.host(c)
	r := w.raw("client", h)
	for _, want := range []string{`Refuse "not today"`, `Refuse "banned"`, `Refuse "longer than"`, "Accept id 1"} {
		r.connect(version)
		r.wants(want)
	}
	h.wants("1 connected")
	require.Equal(t, udp.Request{Addr: r.addr(), Local: h.node.Addr()}, asked[0])
}

func TestAdmitIsAskedOnceForConnectsThatWait(t *testing.T) {
	w := newWorld(t)
	asked := 0
	c := lan()
	c.Admit = func(udp.Request) *udp.Refusal { asked++; return &udp.Refusal{} }
	h := w.host(c)
	r := w.raw("client", h)
	for range 3 {
		_ = r.sock.Write(framing.AppendConnect(nil, version), r.to, netip.Addr{})
	}
	w.run(100 * time.Millisecond)
	r.wants(`Refuse "banned"`)
	require.Equal(t, 1, asked)
}

func TestNoMoreThan64ClientsWaitForAdmit(t *testing.T) {
	w := newWorld(t)
	asked := 0
	h := w.host(udp.Config{Admit: func(udp.Request) *udp.Refusal { asked++; return nil }})
	for range 70 {
		r := w.neighbour(h)
		require.NoError(t, r.sock.Write(framing.AppendConnect(nil, version), r.to, netip.Addr{}))
	}
	w.run(time.Millisecond)
	require.Equal(t, 64, asked)
	require.Equal(t, 6, h.drops(framing.DropRate))
}

func TestOneAddressMayNotTakeAllPlacesWhileItsClientsWait(t *testing.T) {
	w := newWorld(t)
	c := lan()
	c.MaxPeersPerAddress = 1
	c.Admit = func(udp.Request) *udp.Refusal { return nil }
	h := w.host(c)
	r := w.raw("client", h)
	second, err := r.node.Listen(0)
	require.NoError(t, err)
	require.NoError(t, r.sock.Write(framing.AppendConnect(nil, version), r.to, netip.Addr{}))
	require.NoError(t, second.Write(framing.AppendConnect(nil, version), r.to, netip.Addr{}))
	w.run(20 * time.Millisecond)
	r.wants("Accept id 1")
	r.sock = second
	r.wants(`Refuse "full"`)
}

func TestAdmitMayCloseTheHost(t *testing.T) {
	w := newWorld(t)
	var h *member
	c := lan()
	c.Admit = func(udp.Request) *udp.Refusal {
		require.NoError(t, h.host.Close())
		h.host.Poll()
		return nil
	}
	h = w.host(c)
	r := w.raw("client", h)
	r.connect(version)
	r.wantsNothing()
	require.Empty(t, h.host.Conns())
}

func TestOnlyAConnectMakesAPeer(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("stranger", h)
	r.send([]byte("\x04hello"))
	r.send([]byte("\x05\x00\x00\x00\x00hello"))
	r.send([]byte("\x06\x00\x00\x00\x00"))
	r.send([]byte("\x07"))
	r.send([]byte("\x08"))
	r.wantsNothing()
	require.Equal(t, 5, h.drops(framing.DropNoPeer))
	require.Empty(t, h.log)
}

func TestAnUnconfirmedPeerCostsLittleAndNotForLong(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("silent", h)
	r.connect(version)
	r.got()
	sent := h.host.Stats().BytesSent
	require.NoError(t, h.host.Conns()[0].Send(make([]byte, 1000), ordered))
	w.run(6 * time.Second)
	require.LessOrEqual(t, h.host.Stats().BytesSent-sent, uint64(64))
	h.wants("1 connected", "1 disconnected: connection timed out")
}

func TestAnIDIsNotGivenAgainWhileAnEventNamesIt(t *testing.T) {
	w := newWorld(t)
	m := w.idleHost()
	r := w.neighbour(m)
	for id := 1; id <= 251; id++ {
		r.connect(version)
		m.host.Poll()
		w.run(time.Millisecond)
		if id == 251 {
			break
		}
		r.wants(fmt.Sprintf("Accept id %d", id))
		r.send(framing.AppendDisconnect(nil))
		m.host.Poll()
	}
	r.wants(`Refuse "full"`)
	m.frame(m.host)
	require.Len(t, m.log, 500)
	r.connect(version)
	m.host.Poll()
	w.run(time.Millisecond)
	r.wants("Accept id 1")
}

func TestIDsAreGivenOutLeastRecentlyFreedFirst(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	for i := 1; i <= 3; i++ {
		r := w.raw(fmt.Sprint("client", i), h)
		r.connect(version)
		r.wants(fmt.Sprint("Accept id ", i))
		r.send([]byte("\x08"))
	}
}
