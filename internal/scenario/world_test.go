package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	sealing "github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

var (
	ordered    = transport.SendOptions{Delivery: transport.ReliableOrdered}
	unreliable = transport.SendOptions{Delivery: transport.Unreliable}
)

const (
	// port is the one that hosts listen on.
	port = 7000
	// oneWay is the delay in each direction unless a test says otherwise: a round trip of 50 ms.
	oneWay = 25 * time.Millisecond
	// soon is enough for anything that is not waiting for a timer of seconds.
	soon = 500 * time.Millisecond
)

// world is a simulated network with hosts and clients on it, in virtual time.
type world struct {
	*testing.T
	nw       *sim.Network
	protocol udp.Protocol            // of the apps to come
	apps     map[netip.AddrPort]*app // that run, by their addresses
	dials    int                     // and hosts, on the secure protocol
	origin   int64                   // of the clocks of apps
}

func newWorld(t *testing.T) *world { return newSeededWorld(t, 1) }

func newSeededWorld(t *testing.T, seed uint64) *world {
	w := &world{T: t, nw: sim.New(seed), protocol: udp.Base, apps: map[netip.AddrPort]*app{}}
	w.links(sim.Conditions{Delay: oneWay})
	w.nw.Watch(w.inspect)
	t.Cleanup(func() { require.NoError(t, w.nw.Audit()) })
	return w
}

// newSecureWorld is a world whose apps speak the secure protocol. Its hosts have hostKey, which clients know.
func newSecureWorld(t *testing.T) *world { return newSecureSeededWorld(t, 1) }

func newSecureSeededWorld(t *testing.T, seed uint64) *world {
	w := newSeededWorld(t, seed)
	w.protocol = udp.Secure
	return w
}

// onBothProtocols plays f in a world of each protocol.
func onBothProtocols(t *testing.T, f func(w *world)) {
	t.Run("base", func(t *testing.T) { f(newWorld(t)) })
	t.Run("secure", func(t *testing.T) { f(newSecureWorld(t)) })
}

// hostKey is the private key of hosts on the secure protocol.
var hostKey = sealing.Secret{0: 0xA0, 31: 1}

// unixStart is when a simulated network begins, in Unix seconds.
const unixStart = 1_800_000_000

// inspect looks at every datagram that is sent by a host or a client. Who speaks the secure protocol says nothing in plain but to whoever does.
func (w *world) inspect(e sim.Event) {
	a := w.apps[e.Source]
	if e.Kind != sim.Sent || a == nil || a.node != e.From {
		return
	}
	kind := kindOf(e.Payload)
	plain := kind >= framing.KindConnect && kind <= framing.KindDisconnect
	switch size := len(e.Payload); {
	case size == 0 || size > framing.MaxDatagram:
		require.Fail(w, "a datagram of a size that is never sent", "%d bytes", size)
	case a.protocol == udp.Base && !plain:
		require.Fail(w, "a kind that the base protocol lacks", "%d", kind)
	case a.protocol == udp.Secure && a.conn != nil && plain:
		require.Fail(w, "a fallback to plain text", "%d", kind)
	}
}

// links sets the conditions between all nodes.
func (w *world) links(c sim.Conditions) { w.nw.SetDefault(c) }

// lossy are the usual links with so many percent of loss in each direction.
func lossy(percent float64) sim.Conditions {
	return sim.Conditions{Delay: oneWay, Loss: sim.Percent(percent)}
}

func (w *world) run(d time.Duration) { w.nw.RunFor(d) }

// until runs until done reports true, which must be within d.
func (w *world) until(d time.Duration, done func() bool) {
	w.Helper()
	require.True(w, w.nw.RunUntilDone(w.nw.Now()+int64(d), done), "not within %v of virtual time", d)
}

// every calls f n times, d apart, and lets time pass.
func (w *world) every(d time.Duration, n int, f func(i int)) {
	w.Helper()
	for i := range n {
		f(i)
		w.run(d)
	}
}

// cut loses everything between two nodes from now on, in both directions.
func (w *world) cut(a, b *sim.Node) { w.nw.Cut(a, b); w.nw.Cut(b, a) }

// setting changes the configuration of a host or a client.
type setting func(*udp.Config)

// app is a program on a node: a host, or a client with its one connection, driven by its game loop.
type app struct {
	*testing.T
	w        *world
	protocol udp.Protocol
	name     string
	node     *sim.Node
	sock     *sim.Socket

	host *udp.Host // one of the two is nil
	conn *udp.Conn

	sessions []*session            // in the order of their first events
	on       func(transport.Event) // what it does about an event, after the event was noted
	quiet    bool                  // messages are for on alone
	frame    time.Duration         // between two turns of its loop; 0 is as soon as there is something to do
	origin   int64                 // what Config.Clock shows when the node's clock shows 0
	nextTurn int64
	turns    int
	stop     func()
}

// session is what an app saw of one connection.
type session struct {
	*testing.T
	app   *app
	conn  transport.Conn
	id    uint32
	up    bool     // Connected was seen
	heard []string // the messages
	err   error    // of the last event, nil while the connection stands
}

// host starts a host for the private addresses of this network.
func (w *world) host(settings ...setting) *app { return w.hostNamed("host", settings...) }

func (w *world) hostNamed(name string, settings ...setting) *app {
	a := &app{T: w.T, w: w, name: name, node: w.nw.Node(name), origin: w.origin}
	a.listen(settings...)
	return a
}

// listen starts the host on its node.
func (a *app) listen(settings ...setting) {
	a.Helper()
	var err error
	a.host, err = udp.Listen("", a.config(port, settings))
	require.NoError(a, err)
	a.start()
}

// client starts a client that dials the host. It is on a node of its own.
func (w *world) client(name string, to *app, settings ...setting) *app {
	w.Helper()
	return w.clientOn(w.nw.Node(name), 0, to.node.AddrPort(port), settings...)
}

// clientOn starts a client on a node, with a port of its choice.
func (w *world) clientOn(node *sim.Node, own uint16, to netip.AddrPort, settings ...setting) *app {
	w.Helper()
	a := &app{T: w.T, w: w, name: node.Name(), node: node, origin: w.origin}
	var err error
	a.conn, err = udp.Dial(context.Background(), to.String(), a.config(own, settings))
	require.NoError(w, err)
	a.start()
	return a
}

// again starts another client at the very address of this one.
func (a *app) again(settings ...setting) *app {
	a.Helper()
	return a.w.clientOn(a.node, a.sock.LocalAddr().Port(), a.conn.RemoteAddr(), settings...)
}

// join starts clients and runs until they and the host are connected.
func (w *world) join(h *app, names ...string) []*app {
	w.Helper()
	var clients []*app
	for _, name := range names {
		clients = append(clients, w.client(name, h))
	}
	w.until(soon, func() bool {
		return !slices.ContainsFunc(clients, func(c *app) bool { return !c.connected() || h.with(c) == nil })
	})
	return clients
}

// pair is a host with one client.
func (w *world) pair(settings ...setting) (h, c *app) {
	w.Helper()
	h = w.host(settings...)
	return h, w.join(h, "client")[0]
}

// names are the given number of names for clients.
func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("client ", i)
	}
	return out
}

func (a *app) config(own uint16, settings []setting) udp.Config {
	a.Helper()
	var err error
	a.sock, err = a.node.Listen(own)
	require.NoError(a, err)
	a.protocol = a.w.protocol
	c := udp.Config{
		Protocol: a.protocol, Driving: udp.GameLoop, Plain: udp.PlainPrivateLAN,
		Socket: a.sock, Clock: func() int64 { return a.node.Clock() + a.origin }, Seed: [32]byte{1}, Poison: true,
	}
	if a.protocol == udp.Secure {
		c.Key, c.HostKey = hostKey, hostKey.Public()
		a.w.dials++
		c.Seed[1], c.Seed[2] = byte(a.w.dials), byte(a.w.dials>>8) // two that begin in one moment are not the same player
		c.UnixTime = func() int64 { return unixStart + a.node.Clock()/int64(time.Second) }
	}
	for _, set := range settings {
		set(&c)
	}
	return c
}

func (a *app) start() {
	a.w.apps[a.address()] = a
	a.stop = a.node.Attach(sim.ProcessFunc(a.turn), a.sock)
}

// loop is what a host and a connection have in common.
type loop interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
	NextDeadline() int64
}

func (a *app) loop() loop {
	if a.host != nil {
		return a.host
	}
	return a.conn
}

// turn is one turn of the game loop.
func (a *app) turn(now int64) int64 {
	if now < a.nextTurn {
		return a.nextTurn
	}
	a.turns++
	l := a.loop()
	l.Poll()
	for ev, ok := l.Next(); ok; ev, ok = l.Next() {
		a.note(ev)
	}
	l.Flush()
	if a.frame > 0 {
		a.nextTurn = now + int64(a.frame)
		return a.nextTurn
	}
	return a.onNode(l.NextDeadline())
}

// onNode is a time of Config.Clock on the clock of the node.
func (a *app) onNode(t int64) int64 {
	if t == math.MaxInt64 {
		return t
	}
	return t - a.origin
}

// wake lets the app act on what the test has just made it do.
func (a *app) wake() { a.node.Wake() }

// note writes an event down and holds the rules that all events follow.
func (a *app) note(ev transport.Event) {
	s := a.sessionOf(ev.Conn)
	if s.err != nil {
		require.Fail(a, "nothing comes after the last event", "%v", ev.Kind)
	}
	if first := ev.Kind == transport.Connected || ev.Kind == transport.DialFailed; first == s.up {
		require.Fail(a, "Connected comes first, and once", "%v", ev.Kind)
	}
	switch ev.Kind {
	case transport.Connected:
		s.up, s.id = true, ev.Conn.ID()
	case transport.Message:
		if a.quiet {
			break
		}
		s.heard = append(s.heard, string(ev.Payload))
	case transport.Disconnected, transport.DialFailed:
		require.Error(a, ev.Err)
		s.err = ev.Err
	}
	if s.up && ev.Conn.ID() != s.id {
		require.Fail(a, "an id stays with its connection")
	}
	if a.on != nil {
		a.on(ev)
	}
}

func (a *app) sessionOf(conn transport.Conn) *session {
	for _, s := range a.sessions {
		if s.conn == conn {
			return s
		}
	}
	s := &session{T: a.T, app: a, conn: conn}
	a.sessions = append(a.sessions, s)
	return s
}

// address is where the app can be reached.
func (a *app) address() netip.AddrPort { return a.node.AddrPort(a.sock.LocalAddr().Port()) }

// session is the one connection of a client, or the newest of a host.
func (a *app) session() *session {
	if len(a.sessions) == 0 {
		return &session{T: a.T, app: a}
	}
	return a.sessions[len(a.sessions)-1]
}

// with is the connection that stands between a host and a client, nil if there is none.
func (a *app) with(client *app) *session {
	for _, s := range slices.Backward(a.sessions) {
		if s.conn.RemoteAddr() == client.address() && s.up && s.err == nil {
			return s
		}
	}
	return nil
}

// connected reports whether the connection of a client stands.
func (a *app) connected() bool { return a.session().up && a.session().err == nil }

// heard are the messages of a client.
func (a *app) heard() []string { return a.session().heard }

// says sends a reliable message of a client.
func (a *app) says(text string) { a.Helper(); a.sends(text, ordered) }

func (a *app) sends(text string, o transport.SendOptions) {
	a.Helper()
	require.NoError(a, a.conn.Send([]byte(text), o))
	a.wake()
}

// says sends a reliable message of the host.
func (s *session) says(text string) {
	s.Helper()
	require.NoError(s, s.conn.Send([]byte(text), ordered))
	s.app.wake()
}

// leaves closes the connection of a client gracefully, or a host with all its connections.
func (a *app) leaves() {
	a.Helper()
	if a.host != nil {
		require.NoError(a, a.host.Close())
	} else {
		require.NoError(a, a.conn.Close())
	}
	a.wake()
}

// dies ends a program without a word to anybody.
func (a *app) dies() {
	a.stop()
	require.NoError(a, a.sock.Close())
}

// kicks throws the peer out.
func (s *session) kicks() {
	s.conn.(*udp.Conn).Kick(0, "")
	s.app.wake()
}

// cause is why a connection ended, 0 while it stands.
func (s *session) cause() transport.Cause {
	var d *transport.DisconnectError
	if errors.As(s.err, &d) {
		return d.Cause
	}
	return 0
}

// stats are those of the client's connection.
func (a *app) stats() udp.Stats { return a.conn.Stats() }

// drops is how many datagrams a host has dropped for a reason.
func (a *app) drops(why framing.Drop) int { return int(a.host.Stats().Drops[why]) }

// peers is how many sessions of a host stand.
func (a *app) peers() int { return a.host.Stats().Peers }

// numbers are the texts "0" to "n-1".
func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return out
}
