package scenario

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// handshakeSizes are the sizes of the datagrams of a handshake without a token.
var handshakeSizes = map[framing.Kind]int{
	handshake.KindHello: handshake.HelloSize, handshake.KindChallenge: handshake.ChallengeSize,
	handshake.KindAuth: handshake.MinAuth, handshake.KindSecureAccept: handshake.SecureAcceptSize,
}

// edits are what somebody on the path does to one byte, or from it on.
var edits = []func(d []byte, at int) []byte{
	func(d []byte, at int) []byte { d[at] ^= 1; return d },
	func(d []byte, at int) []byte { d[at] ^= 0x80; return d },
	func(d []byte, at int) []byte { d[at] ^= 0xFF; return d },
	func(d []byte, at int) []byte { d[at]++; return d },
	func(d []byte, at int) []byte { return d[:at] },
	func(d []byte, at int) []byte { return slices.Insert(d, at, 0) },
}

// requireSameView requires that both sides of a session know the same of it.
func requireSameView(t *testing.T, h *session, c *app) {
	t.Helper()
	peer := h.conn.(*udp.Conn)
	require.Equal(t, peer.ChannelBinding(), c.conn.ChannelBinding())
	require.Equal(t, peer.ID(), c.conn.ID())
	require.Equal(t, c.conn.Identity().Key, hostKey.Public())
	require.Equal(t, peer.Identity().Key, keyOf("player").Public())
	require.True(t, c.conn.HostVerified())
}

// T20: somebody on the path edits each byte of each datagram of a handshake, whenever it comes by. Nobody ever has a session, or falls back to
// what can be read. With the edit of one copy alone both sides have the same session.
func TestNobodyHasASessionThatWasEdited(t *testing.T) {
	step, always, once := size(23, 1), 0, 0
	for kind, length := range handshakeSizes {
		for at := 0; at < length; at += step {
			w := newSecureWorld(t)
			w.links(sim.Conditions{})
			h := w.host()
			m := w.middle(h)
			for i, change := range edits {
				w.play(h, m, editOf{kind, at, i, change, false})
				always++
			}
			w.play(h, m, editOf{kind, at, at % len(edits), edits[at%len(edits)], true})
			once++
		}
	}
	t.Logf("%d handshakes with every copy edited: no session; %d with one: both sides have the same", always, once)
}

// editOf is what the middle does in one handshake.
type editOf struct {
	kind   framing.Kind
	at     int
	number int
	change func(d []byte, at int) []byte
	once   bool // to the first copy alone
}

func (e editOf) String() string {
	return fmt.Sprintf("%s, byte %d, edit %d, once: %v", handshake.Name(e.kind), e.at, e.number, e.once)
}

// play dials through the middle, which edits.
func (w *world) play(h *app, m *middle, e editOf) {
	edited, before := 0, len(h.sessions)
	m.pass = editing(e.kind, func(d []byte) []byte {
		if edited++; e.once && edited > 1 {
			return d
		}
		return e.change(d, e.at)
	})
	c := m.client(e.String(), func(c *udp.Config) {
		c.ClientKey, c.DialTimeout = keyOf("player"), 600*time.Millisecond
		if e.once {
			c.DialTimeout = 6 * time.Second
		}
	})
	if e.once {
		w.until(6*time.Second, func() bool { return c.connected() && len(h.sessions) > before })
		requireSameView(w.T, h.session(), c)
		return
	}
	w.run(700 * time.Millisecond)
	require.False(w, c.session().up, e)
	require.Len(w, h.sessions, before, e)
	require.Positive(w, edited, e)
}

// T20: a host that offers plain text as well, and somebody on the path who lets nothing but plain text through.
func TestAClientOfTheSecureProtocolNeverFallsBack(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(func(c *udp.Config) { c.Plain = udp.PlainAny })
	m := w.middle(h)
	m.pass = func(toHost bool, d []byte) [][]byte {
		if !toHost {
			return [][]byte{encode(t, "accept 1"), encode(t, "refuse version"), encode(t, "reliable 0 hello")}
		}
		return [][]byte{connect}
	}
	c := m.client("client", func(c *udp.Config) { c.HostKey = [32]byte{} }) // world.inspect looks at what it sends
	w.run(11 * time.Second)
	require.False(t, c.session().up)
	require.Error(t, c.session().err)
}

// joinAll lets so many clients dial one after the other, and gives how long each took.
func joinAll(t *testing.T, n int, links sim.Conditions) (took []time.Duration) {
	const each = 100 // clients in a world
	for seed := range n / each {
		w := newSecureSeededWorld(t, uint64(1+seed))
		w.links(links)
		h := w.host()
		for i := range each {
			began := w.nw.Now()
			c := w.client(fmt.Sprint("client ", i), h, func(c *udp.Config) { c.DialTimeout = 30 * time.Second })
			w.until(31*time.Second, func() bool { return c.connected() && h.with(c) != nil })
			took = append(took, time.Duration(w.nw.Now()-began))
			c.leaves()
			w.run(200 * time.Millisecond)
		}
		require.Len(t, h.sessions, each, "one peer, and one Connected, for each")
	}
	slices.Sort(took)
	return took
}

// Handshakes where bursts of three lose 30 % of all datagrams each way.
func TestClientsJoinUnderLossInBursts(t *testing.T) {
	took := joinAll(t, size(100, 1000), sim.Conditions{Delay: oneWay, Burst: sim.Burst{Average: sim.Percent(30), Length: 3}})
	require.LessOrEqual(t, took[size(94, 989)], 6*time.Second)
	t.Logf("%d joins: median %v, p99 %v, slowest %v", len(took), took[len(took)/2], took[len(took)*99/100-1], took[len(took)-1])
}

// Handshakes where 30 % of all datagrams arrive with a bit flipped, as if their checksum still held.
func TestClientsJoinThoughDatagramsAreDamaged(t *testing.T) {
	took := joinAll(t, size(100, 1000), sim.Conditions{Delay: oneWay, Corrupt: sim.Percent(30)})
	t.Logf("%d joins: median %v, p99 %v, slowest %v", len(took), took[len(took)/2], took[len(took)*99/100-1], took[len(took)-1])
}

// Each step of a handshake is lost up to three times, or comes five times more, in every combination of two steps.
func TestEachStepOfAHandshakeMayGetLostOrComeTwice(t *testing.T) {
	steps := []framing.Kind{handshake.KindHello, handshake.KindChallenge, handshake.KindAuth, handshake.KindSecureAccept, handshake.KindSealed}
	for _, first := range steps {
		for _, second := range steps {
			for lost := range 4 {
				w := newSecureWorld(t)
				h := w.host()
				m := w.middle(h)
				left := map[framing.Kind]int{first: lost, second: lost}
				m.pass = func(toHost bool, d []byte) [][]byte {
					kind := kindOf(d)
					if left[kind] > 0 {
						left[kind]--
						return nil
					}
					if kind != first && kind != second {
						return [][]byte{d}
					}
					return slices.Repeat([][]byte{d}, 6)
				}
				c := m.client("client")
				w.until(8*time.Second, func() bool { return c.connected() && h.session().up })
				c.says("hello")
				h.session().says("welcome")
				w.run(time.Second)
				require.Len(t, h.sessions, 1, "one peer, and one Connected")
				require.Equal(t, []string{"hello"}, h.session().heard)
				require.Equal(t, []string{"welcome"}, c.heard())
				require.Equal(t, 1, h.peers())
			}
		}
	}
}

// A host is killed and started again at every moment of a join.
func TestAHostThatIsRestartedDuringAJoinIsJoined(t *testing.T) {
	for at := time.Duration(0); at < 200*time.Millisecond; at += 5 * time.Millisecond {
		w := newSecureWorld(t)
		h := w.host()
		c := w.client("client", h)
		w.run(at)
		h.node.Kill()
		h.node.Restart()
		again := &app{T: w.T, w: w, name: "again", node: h.node}
		again.listen()
		if w.run(3500 * time.Millisecond); c.connected() {
			require.NotNil(t, again.with(c), "restarted after %v", at)
			continue
		}
		require.Equal(t, transport.Forgotten, c.session().cause(), "restarted after %v: it was connected before", at)
		require.GreaterOrEqual(t, at, 3*oneWay, "the host had admitted it")
	}
}

// B37: a host is killed and started again in play: its clients know within a second, and come back.
func TestClientsOfAHostThatIsRestartedComeBack(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	clients := w.join(h, names(50)...)
	w.run(300 * time.Millisecond)
	h.node.Kill()
	h.node.Restart()
	again := &app{T: w.T, w: w, name: "again", node: h.node}
	again.listen()
	restarted := w.nw.Now()
	w.every(time.Second/60, 60, func(int) {
		for _, c := range clients {
			if c.connected() {
				c.sends("tick", unreliable)
			}
		}
	})
	for i, c := range clients {
		require.Equal(t, transport.Forgotten, c.session().cause())
		clients[i] = c.again()
	}
	w.until(soon, func() bool { return again.peers() == len(clients) })
	w.run(soon)
	require.True(t, !slices.ContainsFunc(clients, func(c *app) bool { return !c.connected() }))
	t.Logf("all were told within a second, and all were back %v after the restart", time.Duration(w.nw.Now()-restarted))
}
