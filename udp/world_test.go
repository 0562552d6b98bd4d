package udp_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

const port = 7000

const epoch = 1_800_000_000 // Unix seconds when a simulated network begins

// world is a simulated network with hosts, clients and attackers on it. Everything runs in virtual time.
type world struct {
	t        testing.TB
	nw       *sim.Network
	protocol udp.Protocol // of the members to come
	members  byte         // that were configured
	batches  bool         // their sockets move many datagrams with one call
	runs     bool         // and cut and join them
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, nw: sim.New(1), protocol: udp.Base}
	w.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond})
	t.Cleanup(func() { require.NoError(t, w.nw.Audit()) })
	return w
}

func (w *world) run(d time.Duration) { w.nw.RunFor(d) }

// member is a host or a client on a node of its own, driven as a game loop. It writes its events down.
type member struct {
	testing.TB
	w     *world
	node  *sim.Node
	sock  *sim.Socket
	batch *batched // in front of it, nil if there is none
	log   []string
	errs  []error // of Disconnected and DialFailed events
	on    func(transport.Event)

	host *udp.Host
	conn *udp.Conn
}

func (w *world) member(name string, addrs []string) *member {
	var ips []netip.Addr
	for _, a := range addrs {
		ips = append(ips, netip.MustParseAddr(a))
	}
	return &member{TB: w.t, w: w, node: w.nw.Node(name, ips...)}
}

// Config fits the simulator: addresses are of a private network.
func (m *member) config(c udp.Config, port uint16) udp.Config {
	var err error
	m.sock, err = m.node.Listen(port)
	require.NoError(m, err)
	c.Protocol, c.Driving, c.Clock, c.Socket, c.Poison = m.w.protocol, udp.GameLoop, m.node.Clock, m.sock, true
	if m.w.batches {
		m.batch = &batched{Socket: m.sock, runs: m.w.runs}
		c.Socket = m.batch
	}
	m.w.members++
	c.Seed = [32]byte{m.w.members}
	if c.UnixTime == nil {
		c.UnixTime = func() int64 { return epoch + m.w.nw.Now()/int64(time.Second) }
	}
	return c
}

// lan is a host configuration for private addresses.
func lan() udp.Config { return udp.Config{Plain: udp.PlainPrivateLAN} }

func (w *world) host(c udp.Config, addrs ...string) *member {
	return w.hostOn(w.member("host", addrs).node, c)
}

// hostOn is a host on a node that exists.
func (w *world) hostOn(node *sim.Node, c udp.Config) *member {
	m := &member{TB: w.t, w: w, node: node}
	var err error
	m.host, err = udp.Listen("", m.config(c, port))
	require.NoError(w.t, err)
	m.node.Attach(sim.ProcessFunc(func(int64) int64 { return m.frame(m.host) }))
	return m
}

// restart puts a new host in the place of one that is killed.
func (w *world) restart(h *member, c udp.Config) *member {
	h.node.Kill()
	h.node.Restart()
	return w.hostOn(h.node, c)
}

// idleHost is a host that nobody drives but the test.
func (w *world) idleHost() *member {
	m := w.member("host", nil)
	var err error
	m.host, err = udp.Listen("", m.config(udp.Config{}, port))
	require.NoError(w.t, err)
	return m
}

func (w *world) client(name string, host *member, c udp.Config, addrs ...string) *member {
	return w.clientOn(w.member(name, addrs).node, host, c)
}

// clientOn is a client on a node that exists.
func (w *world) clientOn(node *sim.Node, host *member, c udp.Config) *member {
	m := &member{TB: w.t, w: w, node: node}
	w.dialWith(m, host, m.config(c, 0))
	return m
}

// dialWith lets a member dial with a configuration that member.config made.
func (w *world) dialWith(m, host *member, c udp.Config) {
	var err error
	m.conn, err = udp.Dial(context.Background(), host.node.AddrPort(port).String(), c)
	require.NoError(w.t, err)
	m.node.Attach(sim.ProcessFunc(func(int64) int64 { return m.frame(m.conn) }))
}

// looper is a host or a client in a game loop.
type looper interface {
	driver
	NextDeadline() int64
}

func (m *member) frame(l looper) int64 {
	l.Poll()
	for ev, ok := l.Next(); ok; ev, ok = l.Next() {
		m.note(ev)
	}
	l.Flush()
	return l.NextDeadline()
}

func (m *member) note(ev transport.Event) {
	line := fmt.Sprintf("%d %v", ev.Conn.ID(), ev.Kind)
	switch {
	case ev.Kind == transport.Message:
		line += " " + string(ev.Payload)
	case ev.Kind == transport.Outcome:
		line += fmt.Sprintf(" %d %v", ev.Receipt, ev.Fate)
	case ev.Err != nil:
		line += ": " + ev.Err.Error()
		m.errs = append(m.errs, ev.Err)
	}
	m.log = append(m.log, line)
	if m.on != nil {
		m.on(ev)
	}
}

// wants compares the events since the last call.
func (m *member) wants(events ...string) {
	m.Helper()
	require.Equal(m, events, m.log)
	m.log = nil
}

// raw is a plain socket that a test scripts byte by byte.
type raw struct {
	testing.TB
	w    *world
	node *sim.Node
	sock *sim.Socket
	to   netip.AddrPort
}

func (w *world) raw(name string, to *member, addrs ...string) *raw {
	node := w.member(name, addrs).node
	sock, err := node.Listen(0)
	require.NoError(w.t, err)
	return &raw{w.t, w, node, sock, to.node.AddrPort(port)}
}

// neighbour is a raw socket on the host's own node, which talks to it over loopback.
func (w *world) neighbour(h *member) *raw {
	sock, err := h.node.Listen(0)
	require.NoError(w.t, err)
	return &raw{w.t, w, h.node, sock, netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port)}
}

func (r *raw) addr() netip.AddrPort {
	return netip.AddrPortFrom(r.node.Addr(), r.sock.LocalAddr().Port())
}

// send sends one datagram and lets 20 ms pass, in which it arrives and is answered.
func (r *raw) send(d []byte) {
	r.Helper()
	require.NoError(r, r.sock.Write(d, r.to, netip.Addr{}))
	r.w.run(20 * time.Millisecond)
}

func (r *raw) connect(version string) {
	r.Helper()
	r.send(framing.AppendConnect(nil, version))
}

// got is everything that has come, in words.
func (r *raw) got() []string {
	var got []string
	buf := make([]byte, 2000)
	for {
		n, from, _, err := r.sock.TryRead(buf)
		require.NoError(r, err)
		if !from.IsValid() {
			return got
		}
		f, drop := framing.Parse(buf[:n], framing.Client)
		require.Equal(r, framing.Accepted, drop)
		got = append(got, f.String())
	}
}

func (r *raw) wants(frames ...string) {
	r.Helper()
	require.Equal(r, frames, r.got())
}

func (r *raw) wantsNothing() {
	r.Helper()
	require.Empty(r, r.got())
}

const version = framing.BaseVersion
