package routing

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	catalogue "github.com/gannet-net/gannet/internal/testcatalogue/bytes"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// network is a host on a simulated network, to which players come and go. Everything runs in virtual time.
type network struct {
	*testing.T
	*sim.Network
	server *sim.Node
	host   *udp.Host
}

const port = 7777

func newNetwork(t *testing.T, c sim.Conditions, router *side) *network {
	nw := &network{T: t, Network: sim.New(1)}
	nw.SetDefault(c)
	nw.server = nw.Node("server")
	var err error
	nw.host, err = udp.Listen("", nw.config(nw.server, port))
	require.NoError(t, err)
	nw.drive(nw.server, func() {
		router.frame(nw.host)
	})
	t.Cleanup(func() { require.NoError(t, nw.Audit()) })
	return nw
}

func (nw *network) config(n *sim.Node, port uint16) udp.Config {
	socket, err := n.Listen(port)
	require.NoError(nw, err)
	return udp.Config{Protocol: udp.Base, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Socket: socket, Clock: n.Clock, Seed: [32]byte{1}, Poison: true}
}

// drive runs frames of a game on n, 60 a second.
func (nw *network) drive(n *sim.Node, frame func()) {
	n.Attach(sim.ProcessFunc(func(now int64) int64 {
		frame()
		return now + int64(time.Second/60)
	}))
}

func (nw *network) dial(n *sim.Node, port uint16) *udp.Conn {
	c, err := udp.Dial(context.Background(), nw.server.AddrPort(7777).String(), nw.config(n, port))
	require.NoError(nw, err)
	return c
}

// letter is a message of about 700 bytes that proves that it is whole.
func letter(n int) catalogue.Texts {
	m := catalogue.Texts{Text: fmt.Sprint(n)}
	for i := range 3 {
		m.Lines = append(m.Lines, strings.Repeat(fmt.Sprint(n, "/", i, " "), 20))
	}
	m.Hash = sum(&m)
	return m
}

func sum(m *catalogue.Texts) (hash [4]byte) {
	n := crc32.ChecksumIEEE([]byte(m.Text + strings.Join(m.Lines, "\n")))
	return [4]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
}

// Ann writes 20 letters a second. The host passes each on to Eve, and a copy that names the session to Bob, who comes and goes every 300 ms, from a new port and from
// the same, with a goodbye and without.
func TestNothingReachesTheNextSessionOfAPlayer(t *testing.T) {
	const sessions = 100
	var bob *msgs.Peer
	joined := 0
	host := newSide(t, msgs.Config{Side: msgs.Host, Joined: func(p *msgs.Peer) {
		if joined >= 2 { // after Ann and Eve
			bob = p
		}
		p.Data = catalogue.Name(fmt.Sprint("session ", joined))
		joined++
		require.NoError(t, catalogue.Texts{Name: p.Data.(catalogue.Name)}.Send(p))
	}}, msgs.OnFrame(func(in *msgs.In, m *catalogue.Texts) {
		require.NoError(t, in.Relay(in.Router.Except(in.Peer, bob)))
		if bob != nil {
			m.Name = bob.Data.(catalogue.Name)
			_ = m.Send(bob) // fails if Bob is just gone
		}
	}))
	nw := newNetwork(t, sim.Conditions{Delay: 20 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: sim.Percent(5)}, host)

	// reader checks what a player gets.
	reader := func() (s *side, letters *[]string) {
		letters = new([]string)
		var session catalogue.Name
		return newSide(t, msgs.Config{Side: msgs.Client}, msgs.On(func(_ *msgs.In, m *catalogue.Texts) {
			switch {
			case session == "":
				session = m.Name
			case m.Name != "" && m.Name != session:
				t.Errorf("a letter for %s reached %s", m.Name, session)
			case m.Hash != sum(m):
				t.Errorf("letter %s is not whole", m.Text)
			default:
				*letters = append(*letters, m.Text)
			}
		})), letters
	}

	var want []string
	annNode, eveNode, bobNode := nw.Node("ann"), nw.Node("eve"), nw.Node("bob")
	ann, _ := reader()
	eve, eveGot := reader()
	annConn, eveConn := nw.dial(annNode, 0), nw.dial(eveNode, 0)
	frames := 0
	nw.drive(annNode, func() {
		frames++
		if frames%3 == 0 && len(want) < sessions*6 && eve.Host().Conn() != nil && ann.Host().Conn() != nil {
			want = append(want, fmt.Sprint(len(want)))
			require.NoError(t, letter(len(want)-1).Send(ann.Host()))
		}
		ann.frame(annConn)
	})
	nw.drive(eveNode, func() { eve.frame(eveConn) })
	nw.RunFor(time.Second)
	require.Equal(t, 2, joined)

	bobGot := 0
	var drive func()
	nw.drive(bobNode, func() {
		if drive != nil {
			drive()
		}
	})
	for i := range sessions {
		s, letters := reader()
		conn := nw.dial(bobNode, []uint16{0, 5000}[i%2])
		drive = func() { s.frame(conn) }
		nw.RunFor(300 * time.Millisecond)
		if i%3 == 0 {
			conn.Abort()
		} else {
			_ = conn.Close()
		}
		nw.RunFor(150 * time.Millisecond)
		bobGot += len(*letters)
	}
	nw.RunFor(15 * time.Second)

	require.Equal(t, want, *eveGot, "others are not affected")
	require.Greater(t, bobGot, sessions)
	require.Greater(t, joined, sessions)
	require.Zero(t, host.Stats().Drops.Total())
	peers := 0
	for p := range host.Peers() {
		require.Nil(t, p.Conn().Err())
		peers++
	}
	require.Equal(t, 2, peers, "nobody is kept who has gone")
}

// On a link that corrupts and cuts, each message that the transport hands out is handled, or is dropped for one reason.
func TestOnACorruptingLinkTheBooksBalance(t *testing.T) {
	host := newSide(t, msgs.Config{Side: msgs.Host, Joined: func(p *msgs.Peer) { require.NoError(t, p.Enter(catalogue.StatePlaying)) }},
		msgs.On(func(*msgs.In, *catalogue.Pose) {}), msgs.OnFrame(func(in *msgs.In, m *catalogue.Texts) { _ = m.Send(in.Peer) }))
	nw := newNetwork(t, sim.Conditions{Delay: 5 * time.Millisecond, Corrupt: sim.Percent(20), CorruptBits: 3, Truncate: sim.Percent(5), Extend: sim.Percent(5)}, host)
	node := nw.Node("player")
	conn := nw.dial(node, 0)
	client := newSide(t, msgs.Config{Side: msgs.Client, Joined: func(p *msgs.Peer) { require.NoError(t, p.Enter(catalogue.StatePlaying)) }},
		msgs.On(func(*msgs.In, *catalogue.Texts) {}))
	nw.drive(node, func() {
		_ = catalogue.Pose{T: 1}.Send(client.Host())
		_ = letter(1).Send(client.Host())
		client.frame(conn)
	})
	nw.RunFor(20 * time.Second)

	require.False(t, client.hasSeen("left"), "the session lives")
	require.Equal(t, nw.host.Conns()[0].(*udp.Conn).Stats().MessagesReceived, host.Stats().Handled.Messages+host.Stats().Drops.Total())
	for _, s := range []*side{host, client} {
		require.Greater(t, s.Stats().Handled.Messages, uint64(500))
		require.Greater(t, s.Stats().Drops.Total(), uint64(50))
	}
	require.Positive(t, host.Stats().Abuse, "and abuse, for all that can be known")
}
