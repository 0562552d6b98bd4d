package scenario

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	sealing "github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
)

// roaming is a sealed session of a client behind a NAT box with a host outside, 25 ms away, and whoever else a test puts there.
type roaming struct {
	*testing.T
	nw           *sim.Network
	box          *sim.NAT
	client, host *roamer
	said         int
}

// roamer is one side, driven as a socket drives it.
type roamer struct {
	t       *testing.T
	node    *sim.Node
	socket  *sim.Socket
	session *sealing.Session
	e       *reliable.Endpoint
	remote  netip.AddrPort // where a client sends to

	paths  sealing.Paths // of a host
	random *rand.ChaCha8
	events []sealing.PathEvent // other than PathStays
	at     []int64             // when each was
	sent   map[netip.AddrPort]int
	heard  map[netip.AddrPort]int // bytes that opened

	told    []int64 // when each message was sent here
	other   *roamer
	got     int
	longest time.Duration // between the sending of a message at the other side and its coming here
}

var (
	homeAddr = netip.MustParseAddr("203.0.113.5")
	awayAddr = netip.MustParseAddr("203.0.113.6")
	hostAddr = netip.MustParseAddr("192.0.2.1")
)

func newRoaming(t *testing.T, c sim.Conditions) *roaming {
	nw := sim.New(7)
	nw.SetDefault(c)
	w := &roaming{T: t, nw: nw, box: nw.NAT("box", sim.NATConfig{Outside: []netip.Addr{homeAddr}})}
	l := &sealedLink{t: t}
	l.connect(1 << 20)
	w.client = w.side(l, 0, w.box.Node("client"))
	w.host = w.side(l, 1, nw.Node("host", hostAddr))
	w.client.other, w.host.other = w.host, w.client
	w.client.remote = netip.AddrPortFrom(hostAddr, port)
	w.said = 1 // the message with which a sealedLink begins
	for _, s := range []*roamer{w.client, w.host} {
		s.told = []int64{0}
		s.node.Attach(s)
	}
	w.client.write([]byte{0}, w.client.remote) // in place of the handshake, which is over: the box has a port for the client
	w.host.paths = sealing.NewPaths(w.clientAddr())
	w.talk(1, 10*time.Millisecond)
	return w
}

func (w *roaming) side(l *sealedLink, i int, n *sim.Node) *roamer {
	socket, err := n.Listen(port)
	require.NoError(w, err)
	return &roamer{
		t: w.T, node: n, socket: socket, session: l.seals[i], e: l.ends[i], random: rand.NewChaCha8([32]byte{9}),
		sent: map[netip.AddrPort]int{}, heard: map[netip.AddrPort]int{},
	}
}

// clientAddr is where the client is seen now.
func (w *roaming) clientAddr() netip.AddrPort {
	a, ok := w.box.Outside(w.client.node.AddrPort(port))
	require.True(w, ok)
	return a
}

// talk lets both sides send a message n times, with a pause behind each.
func (w *roaming) talk(n int, pause time.Duration) {
	for range n {
		for _, s := range []*roamer{w.client, w.host} {
			s.told = append(s.told, w.nw.Now())
			require.NoError(w, s.e.Send(w.nw.Now(), []byte(fmt.Sprint(w.said)), reliable.SendOptions{Mode: reliable.ReliableOrdered}))
			s.node.Wake()
		}
		w.said++
		w.nw.RunFor(pause)
	}
}

// requireAll waits for every message, and requires that none took longer than d.
func (w *roaming) requireAll(d time.Duration) {
	w.Helper()
	w.nw.RunFor(3 * time.Second)
	require.Equal(w, [2]int{w.said, w.said}, [2]int{w.client.got, w.host.got})
	require.LessOrEqual(w, w.client.longest, d, "to the client")
	require.LessOrEqual(w, w.host.longest, d, "to the host")
	require.NoError(w, w.nw.Audit())
}

// requireBudget holds that an address that was never proved got no more than three times what came from it.
func (w *roaming) requireBudget(a netip.AddrPort) {
	w.Helper()
	require.Positive(w, w.host.sent[a], "it was asked")
	require.LessOrEqual(w, w.host.sent[a], 3*w.host.heard[a])
}

// Run is what a socket does for its endpoint.
func (s *roamer) Run(now int64) int64 {
	var buf [1500]byte
	for {
		n, from, _, err := s.socket.TryRead(buf[:])
		require.NoError(s.t, err)
		if !from.IsValid() {
			break
		}
		s.receive(now, from, buf[:n])
	}
	for s.send(now, buf[:0]) {
	}
	s.read(now)
	for s.send(now, buf[:0]) {
	}
	if s.isHost() {
		return min(s.e.NextDeadline(), s.paths.NextDeadline())
	}
	return s.e.NextDeadline()
}

func (s *roamer) isHost() bool { return !s.remote.IsValid() }

func (s *roamer) receive(now int64, from netip.AddrPort, d []byte) {
	before := s.session.Highest()
	drop := s.e.HandleDatagram(now, d)
	newest := s.session.Highest() > before
	if !s.isHost() || !newest && drop != framing.Accepted {
		return
	}
	s.heard[from] += len(d)
	s.note(now, s.paths.Received(from, len(d), newest))
	if random, ok := s.e.PollPathResponse(); ok {
		event, rtt := s.paths.Responded(now, from, random)
		s.note(now, event)
		if event == sealing.PathMoved {
			s.e.PathChanged(now, rtt)
		}
	}
}

func (s *roamer) note(now int64, event sealing.PathEvent) {
	if event != sealing.PathStays {
		s.events, s.at = append(s.events, event), append(s.at, now)
	}
}

func (s *roamer) send(now int64, buf []byte) bool {
	to := s.remote
	if s.isHost() && now >= s.paths.NextDeadline() {
		var random [8]byte
		s.random.Read(random[:])
		if challenge, to, ok := s.paths.Poll(now, random); ok {
			s.write(s.e.AppendPathChallenge(now, buf, challenge), to)
		}
	}
	d := s.e.PollDatagram(now, buf)
	if len(d) == 0 {
		return false
	}
	if s.isHost() {
		to = s.paths.Target(len(d))
	}
	s.write(d, to)
	return true
}

func (s *roamer) write(d []byte, to netip.AddrPort) {
	s.sent[to] += len(d)
	require.NoError(s.t, s.socket.Write(d, to, netip.Addr{}))
}

// read requires that messages come in order, each once.
func (s *roamer) read(now int64) {
	for ev, ok := s.e.PollEvent(); ok; ev, ok = s.e.PollEvent() {
		switch ev.Kind {
		case reliable.EventMessage:
			require.Equal(s.t, fmt.Sprint(s.got), string(ev.Payload))
			if s.got > 0 {
				s.longest = max(s.longest, time.Duration(now-s.other.told[s.got]))
			}
			s.got++
			s.e.Recycle(ev.Payload)
		case reliable.EventDisconnected:
			require.Fail(s.t, "disconnected", "%v", ev)
		}
	}
}

// tap hands each datagram that the client sends to f, as somebody sees it who stands near the client.
func (w *roaming) tap(f func(d []byte)) {
	link := w.nw.Link(w.client.node, w.host.node)
	link.Drop = func(d []byte) bool {
		d = bytes.Clone(d)
		w.nw.After(0, func() { f(d) })
		return false
	}
	w.nw.SetLink(w.client.node, w.host.node, link)
}

// attacker is somebody who can be faster than the client.
func (w *roaming) attacker(n *sim.Node) *sim.Socket {
	w.nw.SetBoth(n, w.host.node, sim.Conditions{Delay: time.Millisecond})
	s, err := n.Listen(port)
	require.NoError(w, err)
	return s
}

func TestAClientWhosePortChangesIsFollowedAtOnce(t *testing.T) {
	w := newRoaming(t, sim.Conditions{Delay: oneWay})
	w.talk(40, 50*time.Millisecond)
	w.box.Rebind()
	w.talk(40, 50*time.Millisecond)
	require.Equal(t, []sealing.PathEvent{sealing.PathFollowed, sealing.PathProved}, w.host.events)
	require.Equal(t, int64(2*oneWay), w.host.at[1]-w.host.at[0])
	require.Equal(t, w.clientAddr(), w.host.paths.Proved())
	w.requireAll(200 * time.Millisecond)
}

func TestAClientWhoseAddressChangesIsFoundWithinARoundTripOfItsNextPacket(t *testing.T) {
	w := newRoaming(t, sim.Conditions{Delay: oneWay})
	w.talk(40, 50*time.Millisecond)
	w.box.SetOutside(awayAddr)
	w.nw.SetBoth(w.client.node, w.host.node, sim.Conditions{Delay: 40 * time.Millisecond})
	w.talk(40, 50*time.Millisecond)
	require.Equal(t, []sealing.PathEvent{sealing.PathMoved}, w.host.events)
	require.Equal(t, 80*time.Millisecond, w.host.e.Stats().RTTMin, "nothing of the old path is left in the estimate")
	require.Equal(t, w.clientAddr(), w.host.paths.Proved())
	w.requireAll(350 * time.Millisecond)
}

func TestAnIdleClientIsFoundByItsHeartbeat(t *testing.T) {
	w := newRoaming(t, sim.Conditions{Delay: oneWay})
	w.nw.RunFor(20 * time.Second)
	w.box.SetOutside(awayAddr)
	w.nw.RunFor(1100 * time.Millisecond)
	require.Equal(t, []sealing.PathEvent{sealing.PathMoved}, w.host.events)
	w.talk(1, time.Second)
	w.requireAll(oneWay)
}

func TestNoMessageIsLostWhileAddressesChangeUnderLoss(t *testing.T) {
	w := newRoaming(t, sim.Conditions{Delay: oneWay, Jitter: 5 * time.Millisecond, Loss: sim.Percent(20)})
	for i := range 20 {
		w.talk(40, 50*time.Millisecond)
		switch i % 3 {
		case 0:
			w.box.Rebind()
		case 1:
			w.box.SetOutside(awayAddr)
		default:
			w.box.SetOutside(homeAddr)
		}
	}
	w.talk(40, 50*time.Millisecond)
	require.Equal(t, w.clientAddr(), w.host.paths.Proved())
	w.requireAll(2 * time.Second)
}

func TestWhoForwardsPacketsFromElsewhereGetsNoTraffic(t *testing.T) {
	w := newRoaming(t, sim.Conditions{Delay: oneWay})
	thief := w.attacker(w.nw.Node("thief", netip.MustParseAddr("198.51.100.9")))
	from, copied := netip.AddrPortFrom(netip.MustParseAddr("198.51.100.9"), port), 0
	w.tap(func(d []byte) {
		if copied++; copied%3 == 0 {
			require.NoError(t, thief.Write(d, w.client.remote, netip.Addr{}))
		}
	})
	w.talk(200, 50*time.Millisecond)
	require.Empty(t, w.host.events)
	require.Positive(t, w.host.heard[from])
	w.requireBudget(from)
	require.LessOrEqual(t, w.host.sent[from], 34*41, "a challenge each 250 ms at most")
	w.requireAll(oneWay)
}

func TestWhoForwardsPacketsFromTheSameAddressGetsNoMoreThanItsBudget(t *testing.T) {
	w := newRoaming(t, sim.Conditions{Delay: oneWay})
	n := w.box.Node("neighbour")
	thief, copied := w.attacker(n), 0
	w.tap(func(d []byte) {
		if copied++; copied%5 == 0 {
			require.NoError(t, thief.Write(d, w.client.remote, netip.Addr{}))
		}
	})
	w.talk(200, 50*time.Millisecond)
	from, ok := w.box.Outside(n.AddrPort(port))
	require.True(t, ok)
	require.Contains(t, w.host.events, sealing.PathFollowed)
	require.Contains(t, w.host.events, sealing.PathBack)
	require.NotContains(t, w.host.events, sealing.PathProved)
	w.requireBudget(from)
	w.requireAll(300 * time.Millisecond)
	require.Equal(t, w.clientAddr(), w.host.paths.Proved())
}

// T24 of the list of threats: who forwards every packet, and faster than they come by themselves, is on the path. Once he leaves it, traffic is back
// where the client is a round trip after its next packet.
func TestTrafficIsBackARoundTripAfterThePacketThatNobodyForwards(t *testing.T) {
	w := newRoaming(t, sim.Conditions{Delay: oneWay})
	n := w.nw.Node("thief", netip.MustParseAddr("198.51.100.9"))
	w.nw.SetBoth(n, w.client.node, sim.Conditions{Delay: time.Millisecond})
	thief, at := w.attacker(n), n.AddrPort(port)
	there := true
	w.tap(func(d []byte) {
		if there {
			require.NoError(t, thief.Write(d, w.client.remote, netip.Addr{}))
		}
	})
	n.Attach(sim.ProcessFunc(func(int64) int64 {
		var buf [1500]byte
		for {
			size, from, _, err := thief.TryRead(buf[:])
			require.NoError(t, err)
			if !from.IsValid() {
				return 1<<63 - 1
			}
			if there {
				n.Forge(buf[:size], from, w.clientAddr())
			}
		}
	}))
	w.talk(40, 50*time.Millisecond)
	require.Equal(t, []sealing.PathEvent{sealing.PathMoved}, w.host.events)
	require.Equal(t, at, w.host.paths.Proved())

	there = false
	w.talk(40, 50*time.Millisecond)
	require.Equal(t, []sealing.PathEvent{sealing.PathMoved, sealing.PathMoved}, w.host.events)
	require.Equal(t, w.clientAddr(), w.host.paths.Proved())
	next := w.client.told[42] + int64(oneWay) // the first packet that nobody forwards is there
	require.LessOrEqual(t, w.host.at[1]-next, int64(2*oneWay))
	w.requireAll(350 * time.Millisecond)
}
