package routing

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	catalogue "github.com/gannet-net/gannet/internal/testcatalogue/bytes"
	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of these tests. Nothing waits that long unless it fails.
const patience = 10 * time.Second

// side is a router with what it has seen.
type side struct {
	*msgs.Router
	mu   sync.Mutex
	seen []string
}

func newSide(t *testing.T, c msgs.Config, handlers ...msgs.Handler) *side {
	s := &side{}
	c.Handlers = handlers
	if c.Catalogues == nil {
		c.Catalogues = []msgs.Mount{{Catalogue: &catalogue.Catalogue}}
	}
	joined := c.Joined
	c.Joined = func(p *msgs.Peer) {
		s.sees("%v joined", p)
		if joined != nil {
			joined(p)
		}
	}
	c.Left = func(p *msgs.Peer, err error) { s.sees("%v left: %v", p, err) }
	var err error
	s.Router, err = msgs.NewRouter(c)
	require.NoError(t, err)
	return s
}

func (s *side) sees(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, fmt.Sprintf(format, args...))
}

func (s *side) saw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, "\n")
}

func (s *side) hasSeen(part string) bool { return strings.Contains(s.saw(), part) }

// newSides are a host that says to everybody what somebody says, and a client that says hello and, when it hears itself, goodbye.
func newSides(t *testing.T, on func(func(*msgs.In, *catalogue.Texts)) msgs.Handler) (host, client *side) {
	host = newSide(t, msgs.Config{Side: msgs.Host}, on(func(in *msgs.In, m *catalogue.Texts) {
		host.sees("%v: %s", in.Peer, m.Text)
		if err := in.Relay(in.Router.All()); err != nil {
			host.sees("%v", err)
		}
	}))
	client = newSide(t, msgs.Config{Side: msgs.Client, Joined: func(p *msgs.Peer) { say(client, "hello") }},
		on(func(in *msgs.In, m *catalogue.Texts) {
			client.sees("heard: %s", m.Text)
			if m.Text == "hello" {
				say(client, "goodbye")
			} else {
				_ = in.Peer.Conn().Close()
			}
		}))
	return host, client
}

func say(client *side, text string) {
	if err := (catalogue.Texts{Text: text}).Send(client.Host()); err != nil {
		client.sees("%v", err)
	}
}

// requireSession requires that both sides have seen a whole session of the given player.
func requireSession(t *testing.T, host, client *side, player int) {
	t.Helper()
	require.Equal(t, strings.ReplaceAll("player N joined\nplayer N: hello\nplayer N: goodbye\nplayer N left: connection closed by the peer",
		"N", fmt.Sprint(player)), host.saw())
	require.Equal(t, "the host joined\nheard: hello\nheard: goodbye\nthe host left: connection closed locally", client.saw())
	for _, s := range []*side{host, client} {
		require.Equal(t, uint64(2), s.Stats().Handled.Messages)
		require.Equal(t, s.Stats().Handled, s.Stats().Out)
		require.Zero(t, s.Stats().Drops.Total())
	}
}

func eventually(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it takes too long")
	}
}

// driver is a host or a connection in a game loop.
type driver interface {
	msgs.Driver
	Flush()
}

func (s *side) frame(d driver) {
	s.Pump(d)
	s.RunFrame()
	d.Flush()
}

var gameLoop = udp.Config{Protocol: udp.Base, Driving: udp.GameLoop}

// overUDP connects a client with a host, in game loops. They are closed at the end of the test.
func overUDP(t *testing.T) (h *udp.Host, c *udp.Conn) {
	h, err := udp.Listen("127.0.0.1:0", gameLoop)
	require.NoError(t, err)
	c, err = udp.Dial(context.Background(), h.Addr().String(), gameLoop)
	require.NoError(t, err)
	t.Cleanup(func() {
		c.Abort()
		h.Abort()
		eventually(t, func() bool { c.Poll(); h.Poll(); return h.Closed() })
	})
	return h, c
}

func TestASessionOverUDPInAGameLoop(t *testing.T) {
	for name, on := range map[string]func(func(*msgs.In, *catalogue.Texts)) msgs.Handler{
		"at once": msgs.On[catalogue.Texts, *catalogue.Texts], "in frames": msgs.OnFrame[catalogue.Texts, *catalogue.Texts],
	} {
		t.Run(name, func(t *testing.T) {
			h, c := overUDP(t)
			host, client := newSides(t, on)
			eventually(t, func() bool {
				host.frame(h)
				client.frame(c)
				return client.hasSeen("left") && host.hasSeen("left")
			})
			requireSession(t, host, client, 1)
		})
	}
}

func TestASessionOverUDPInTheBackground(t *testing.T) {
	host, client := newSides(t, msgs.On[catalogue.Texts, *catalogue.Texts])
	background := func(s *side) udp.Config {
		return udp.Config{Protocol: udp.Base, Handler: func(ev transport.Event) { s.Route(ev) }}
	}
	h, err := udp.Listen("127.0.0.1:0", background(host))
	require.NoError(t, err)
	c, err := udp.Dial(context.Background(), h.Addr().String(), background(client))
	require.NoError(t, err)
	eventually(t, func() bool { return client.hasSeen("left") && host.hasSeen("left") })
	_ = c.Close()
	_ = h.Close()
	requireSession(t, host, client, 1)
}

func TestASessionInOneProcess(t *testing.T) {
	c, h, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Poison: true})
	require.NoError(t, err)
	host, client := newSides(t, msgs.OnFrame[catalogue.Texts, *catalogue.Texts])
	for range 10 {
		host.frame(h)
		client.frame(c)
	}
	requireSession(t, host, client, 251)
}

// A host with a player over UDP and one in its own process: both hear what either says.
func TestALocalPlayerIsRoutedAsAnyOther(t *testing.T) {
	h, remote := overUDP(t)
	local, end, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Poison: true})
	require.NoError(t, err)
	require.NoError(t, h.Attach(end))
	host, _ := newSides(t, msgs.OnFrame[catalogue.Texts, *catalogue.Texts])
	listen := func() *side {
		var s *side
		s = newSide(t, msgs.Config{Side: msgs.Client}, msgs.On(func(_ *msgs.In, m *catalogue.Texts) { s.sees("heard: %s", m.Text) }))
		return s
	}
	near, far := listen(), listen()
	frame := func() {
		near.frame(local)
		far.frame(remote)
		host.frame(h)
	}
	eventually(t, func() bool {
		frame()
		return host.hasSeen("player 1 joined") && host.hasSeen("player 251 joined") && far.hasSeen("joined")
	})
	say(near, "near")
	say(far, "far")
	eventually(t, func() bool {
		frame()
		return near.hasSeen("heard: near") && near.hasSeen("heard: far") && far.hasSeen("heard: near") && far.hasSeen("heard: far")
	})
	require.True(t, host.hasSeen("player 251: near"))
	require.True(t, host.hasSeen("player 1: far"))
}

// What the queue for the frame has no room for waits in the transport, through any number of Polls, whole and in order.
func TestWhatWaitsForRoomIsWholeAndInOrder(t *testing.T) {
	for name, pair := range map[string]func(*testing.T) (host, client driver){
		"udp": func(t *testing.T) (driver, driver) { h, c := overUDP(t); return h, c },
		"loopback": func(t *testing.T) (driver, driver) {
			c, h, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Poison: true})
			require.NoError(t, err)
			return h, c
		},
	} {
		t.Run(name, func(t *testing.T) {
			var host, client *side
			host = newSide(t, msgs.Config{Side: msgs.Host, QueueMessages: 3}, msgs.OnFrame(func(_ *msgs.In, m *catalogue.Texts) { host.sees("%s", m.Text) }))
			client = newSide(t, msgs.Config{Side: msgs.Client, Joined: func(*msgs.Peer) {
				for i := range 100 {
					say(client, fmt.Sprintf("text %d %s", i, strings.Repeat("x", i)))
				}
			}})
			h, c := pair(t)
			eventually(t, func() bool {
				for range 5 { // several Polls for each frame
					host.Pump(h)
				}
				host.frame(h)
				client.frame(c)
				return host.hasSeen("text 99")
			})
			seen := strings.Split(host.saw(), "\n")[1:]
			require.Len(t, seen, 100)
			for i, text := range seen {
				require.Equal(t, fmt.Sprintf("text %d %s", i, strings.Repeat("x", i)), text)
			}
			require.Zero(t, host.Stats().Drops.Total())
		})
	}
}
