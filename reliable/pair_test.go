package reliable

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
)

// pair is a client and a host on a simulated network. Tests read like the life of a connection: make it, let time pass, look
// at what arrived.
type pair struct {
	t            *testing.T
	net          *sim.Network
	client, host *side
}

// side is one endpoint at its socket, driven as the package comment says.
type side struct {
	t      *testing.T
	node   *sim.Node
	socket *sim.Socket
	peer   netip.AddrPort
	e      *Endpoint

	accept func(now int64) *Endpoint // makes the endpoint of a host when the first Connect comes
	got    []string                  // messages, in the order of PollEvent
	at     []int64                   // when each was read
	end    *Event                    // Disconnected or DialFailed
	ups    int                       // Connected events
	fates  map[uint64]Fate
	onRead func(Event)
	paused bool // the application does not read
}

const (
	seeds = 20
	// oneWay is the delay in each direction unless a test says otherwise: a round trip of 50 ms.
	oneWay = 25 * time.Millisecond
)

// newPair connects a client and a host over links with the given conditions in both directions.
func newPair(t *testing.T, seed uint64, c sim.Conditions, change ...func(*Config)) *pair {
	p := &pair{t: t, net: sim.New(seed)}
	p.net.SetDefault(c)
	p.host = p.newSide("host", 7000)
	p.client = p.newSide("client", 5000)
	p.client.peer = netip.AddrPortFrom(p.host.node.Addr(), 7000)
	p.client.e = New(0, p.config(Config{Role: framing.Client}, change))
	p.host.accept = func(now int64) *Endpoint {
		return New(now, p.config(Config{Role: framing.Host, PeerID: 1}, change))
	}
	p.host.node.Attach(p.host)
	p.client.node.Attach(p.client)
	return p
}

func (p *pair) newSide(name string, port uint16) *side {
	s := &side{t: p.t, node: p.net.Node(name), fates: map[uint64]Fate{}}
	socket, err := s.node.Listen(port)
	require.NoError(p.t, err)
	s.socket = socket
	return s
}

func (p *pair) config(c Config, change []func(*Config)) Config {
	c.Pool = &Pool{Poison: true}
	for _, f := range change {
		f(&c)
	}
	require.NoError(p.t, c.Check())
	return c
}

// connected runs until both sides are connected.
func (p *pair) connected() *pair {
	p.t.Helper()
	p.until(10*time.Second, func() bool { return p.client.ups == 1 && p.host.ups == 1 })
	return p
}

// until runs until done reports true, which must be within d.
func (p *pair) until(d time.Duration, done func() bool) {
	p.t.Helper()
	for end := p.net.Now() + int64(d); !done(); {
		require.Less(p.t, p.net.Now(), end, "not within %v of virtual time", d)
		p.net.RunFor(time.Millisecond)
	}
}

func (p *pair) run(d time.Duration) { p.net.RunFor(d) }

// every calls f n times, d apart, and lets time pass.
func (p *pair) every(d time.Duration, n int, f func(i int)) {
	for i := range n {
		f(i)
		p.run(d)
	}
}

// Run reads what waits, runs the endpoint, and sends what it has to send.
func (s *side) Run(now int64) int64 {
	var buf [1500]byte
	for {
		n, from, _, err := s.socket.TryRead(buf[:])
		require.NoError(s.t, err)
		if !from.IsValid() {
			break
		}
		if s.receive(now, from, buf[:n]); s.e != nil {
			s.send(now)
		}
	}
	if s.e == nil {
		return never
	}
	s.send(now)
	s.read()
	s.send(now)
	return s.e.NextDeadline()
}

func (s *side) receive(now int64, from netip.AddrPort, d []byte) {
	if s.e == nil && s.accept != nil {
		if f, drop := framing.Parse(d, framing.Host); drop == framing.Accepted && f.Kind == framing.KindConnect {
			s.e, s.peer = s.accept(now), from
		}
		return
	}
	s.e.HandleDatagram(now, d)
}

// send hands everything that is due to the network. A write that fails is a lost datagram.
func (s *side) send(now int64) {
	for {
		d := s.e.PollDatagram(now, nil)
		if len(d) == 0 {
			return
		}
		require.LessOrEqual(s.t, len(d), framing.MaxDatagram)
		require.LessOrEqual(s.t, d[0], byte(8))
		_ = s.socket.Write(d, s.peer, netip.Addr{})
	}
}

func (s *side) read() {
	for !s.paused {
		ev, ok := s.e.PollEvent()
		if !ok {
			return
		}
		require.Nil(s.t, s.end, "nothing comes after the last event")
		s.note(ev)
	}
}

func (s *side) note(ev Event) {
	switch ev.Kind {
	case EventConnected:
		require.Empty(s.t, s.got, "connected comes first")
		s.ups++
	case EventMessage:
		s.got, s.at = append(s.got, string(ev.Payload)), append(s.at, s.node.Clock())
		if s.onRead != nil {
			s.onRead(ev)
		}
		s.e.Recycle(ev.Payload)
	case EventOutcome:
		require.NotContains(s.t, s.fates, ev.Receipt, "one outcome each")
		s.fates[ev.Receipt] = ev.Fate
	default:
		s.end = &ev
	}
}

// say sends one message of the application now.
func (s *side) say(mode Mode, text string) {
	s.t.Helper()
	require.NoError(s.t, s.e.Send(s.node.Clock(), []byte(text), SendOptions{Mode: mode}))
	s.kick()
}

// kick lets the endpoint act on an input of the application at once.
func (s *side) kick() { s.node.Wake() }
