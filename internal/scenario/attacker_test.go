package scenario

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
)

// attacker hears everything that is sent, keeps what it is told to, and sends in anybody's name. What it sends arrives at once.
type attacker struct {
	*raw
	tape   []overheard
	keep   bool
	random *rand.Rand
}

// overheard is a datagram that somebody sent.
type overheard struct {
	payload  []byte
	from, to netip.AddrPort
}

// attacker makes an attacker of a host, and of its clients.
func (w *world) attacker(h *app, clients ...*app) *attacker {
	a := &attacker{raw: w.raw("attacker", h), random: rand.New(rand.NewPCG(1, 2))}
	a.reaches(clients...)
	w.nw.Watch(func(e sim.Event) {
		if a.keep && e.Kind == sim.Sent && e.From != a.node {
			a.tape = append(a.tape, overheard{bytes.Clone(e.Payload), e.Source, e.Destination})
		}
	})
	return a
}

// reaches makes what it sends to these arrive at once.
func (a *attacker) reaches(apps ...*app) {
	for _, app := range apps {
		a.w.nw.SetBoth(a.node, app.node, sim.Conditions{})
	}
}

// records keeps what is sent while f runs.
func (a *attacker) records(f func()) {
	a.keep = true
	f()
	a.keep = false
}

// taped are the datagrams of a kind that were kept, in order.
func (a *attacker) taped(kind framing.Kind) (of []overheard) {
	for _, d := range a.tape {
		if kindOf(d.payload) == kind {
			of = append(of, d)
		}
	}
	return of
}

// last is the newest datagram of a kind on the tape that went to an address.
func (a *attacker) last(kind framing.Kind, to netip.AddrPort) []byte {
	a.Helper()
	var found []byte
	for _, d := range a.taped(kind) {
		if d.to == to {
			found = d.payload
		}
	}
	require.NotNil(a, found, "no %s on the tape", handshake.Name(kind))
	return bytes.Clone(found)
}

// noise fills d with random bytes and gives it back.
func (a *attacker) noise(d []byte) []byte {
	for i := range d {
		d[i] = byte(a.random.Uint32())
	}
	return d
}

// middle is somebody on the path: clients dial it, and it passes on what it likes. To the host it has one port for each client.
type middle struct {
	w     *world
	node  *sim.Node
	front *sim.Socket
	host  netip.AddrPort
	ways  []*way

	// pass says what becomes of a datagram on its way: nothing, itself, or whatever else.
	pass func(toHost bool, d []byte) [][]byte
}

// way is the port of one client.
type way struct {
	client netip.AddrPort
	back   *sim.Socket
}

func (w *world) middle(h *app) *middle {
	m := &middle{w: w, node: w.nw.Node("middle"), host: h.address(), pass: untouched}
	var err error
	m.front, err = m.node.Listen(port)
	require.NoError(w, err)
	m.node.Attach(sim.ProcessFunc(func(int64) int64 { m.carry(); return never }))
	return m
}

const never = int64(1<<63 - 1)

func untouched(_ bool, d []byte) [][]byte { return [][]byte{d} }

// editing passes the datagrams of a kind on as edit makes them.
func editing(kind framing.Kind, edit func(d []byte) []byte) func(bool, []byte) [][]byte {
	return func(_ bool, d []byte) [][]byte {
		if kindOf(d) == kind {
			d = edit(bytes.Clone(d))
		}
		return [][]byte{d}
	}
}

// client starts a client that dials the middle.
func (m *middle) client(name string, settings ...setting) *app {
	m.w.Helper()
	return m.w.clientOn(m.w.nw.Node(name), 0, m.node.AddrPort(port), settings...)
}

func (m *middle) carry() {
	m.take(m.front, func(d []byte, from netip.AddrPort) {
		back := m.wayOf(from).back
		for _, d := range m.pass(true, d) {
			require.NoError(m.w, back.Write(d, m.host, netip.Addr{}))
		}
	})
	for _, w := range m.ways {
		m.take(w.back, func(d []byte, from netip.AddrPort) {
			for _, d := range m.pass(false, d) {
				require.NoError(m.w, m.front.Write(d, w.client, netip.Addr{}))
			}
		})
	}
}

func (m *middle) take(s *sim.Socket, f func(d []byte, from netip.AddrPort)) {
	var buf [2000]byte
	for {
		n, from, _, err := s.TryRead(buf[:])
		require.NoError(m.w, err)
		if !from.IsValid() {
			return
		}
		f(buf[:n], from)
	}
}

func (m *middle) wayOf(client netip.AddrPort) *way {
	for _, w := range m.ways {
		if w.client == client {
			return w
		}
	}
	back, err := m.node.Listen(0)
	require.NoError(m.w, err)
	w := &way{client, back}
	m.ways = append(m.ways, w)
	return w
}

// seenAs is the address at which the host sees a client of the middle.
func (m *middle) seenAs(c *app) netip.AddrPort {
	return m.node.AddrPort(m.wayOf(c.address()).back.LocalAddr().Port())
}

// The attacker's tools must work, or its tests show nothing.
func TestAMiddleThatChangesNothingIsNotNoticed(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	m := w.middle(h)
	a := w.attacker(h)
	var c *app
	a.records(func() {
		c = m.client("client")
		w.until(soon, c.connected)
		c.says("hello")
		w.run(soon)
	})
	require.Equal(t, []string{"hello"}, h.session().heard)
	require.Equal(t, m.seenAs(c), h.session().conn.RemoteAddr())
	require.Equal(t, framing.Drops{}, h.host.Stats().Drops)
	for kind := handshake.KindHello; kind <= handshake.KindSealed; kind++ {
		require.Len(t, a.taped(kind)[:2], 2, "once to the middle and once from it: %s", handshake.Name(kind))
	}
}
