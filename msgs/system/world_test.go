package system_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
)

const frame = 20 * time.Millisecond

// world is a server and its clients in virtual time.
type world struct {
	*testing.T
	now     int64
	server  *system.Server
	hub     hub
	clients []*guest
	log     strings.Builder // of the server
	news    []string        // what the server told the game
}

// guest is a client with its ends of the connection.
type guest struct {
	*system.Client
	w      *world
	end    *end // its own
	host   *end // the server's
	log    strings.Builder
	news   []string // what it told the game
	ending *system.Ending
}

func (w *world) clock() int64 { return w.now }

// newWorld makes a server. What change does to its settings comes last.
func newWorld(t *testing.T, change ...func(*system.ServerConfig)) *world {
	w := &world{T: t, now: int64(time.Hour)}
	c := system.ServerConfig{
		Clock:  w.clock,
		Logger: logTo(&w.log),
		Spawn:  func(p *system.Player) system.Accepted { return system.Accepted{Health: 100, Level: "level"} },
		Joined: func(p *system.Player) { w.news = append(w.news, fmt.Sprint("joined ", p.ID())) },
		Left:   func(p *system.Player) { w.news = append(w.news, fmt.Sprint("left ", p.ID())) },
	}
	for _, f := range change {
		f(&c)
	}
	var err error
	w.server, err = system.NewServer(c)
	require.NoError(t, err)
	return w
}

func logTo(b *strings.Builder) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// dial connects another client, with an account of its own. What change does to its settings comes last.
func (w *world) dial(change ...func(*system.ClientConfig)) *guest {
	id := uint32(len(w.clients) + 1)
	g := &guest{w: w}
	g.end, g.host = &end{w: w, id: id, proves: true, limit: 1195, room: 1 << 20}, &end{w: w, id: id, proves: true, limit: 1195, room: 1 << 20}
	g.end.other, g.host.other = g.host, g.end
	c := system.ClientConfig{
		Clock:        w.clock,
		Logger:       logTo(&g.log),
		Character:    system.Authenticate{Account: uint64(id) * 100, Name: fmt.Sprint("player", id)},
		Accepted:     func(m *system.Accepted) { g.notes("accepted %d", m.Player) },
		Configured:   func(*system.ReplicateConfig) { g.notes("configured") },
		PlayerJoined: func(m *system.PlayerConnected) { g.notes("player %d joined", m.Player) },
		PlayerLeft:   func(player uint16) { g.notes("player %d left", player) },
		AdminChanged: func(player uint16, admin bool) { g.notes("player %d admin %t", player, admin) },
		Queued:       func(place int) { g.notes("place %d", place) },
		ShuttingDown: func(m *system.Shutdown) { g.notes("shutdown in %d: %s", m.Seconds, m.Text) },
		Ended:        func(e system.Ending) { g.ending = &e },
	}
	for _, f := range change {
		f(&c)
	}
	var err error
	g.Client, err = system.NewClient(c)
	require.NoError(w, err)
	w.clients = append(w.clients, g)
	w.hub.ends = append(w.hub.ends, g.host)
	g.end.inbox = []letter{{w.now, transport.Event{Kind: transport.Connected, Conn: g.end}}}
	g.host.inbox = []letter{{w.now, transport.Event{Kind: transport.Connected, Conn: g.host}}}
	return g
}

func (g *guest) notes(format string, args ...any) {
	g.news = append(g.news, fmt.Sprintf(format, args...))
}

// frames lets a number of frames pass.
func (w *world) frames(n int) {
	for range n {
		w.now += int64(frame)
		w.server.Frame(&w.hub)
		for _, g := range w.clients {
			g.Frame(g.end)
		}
	}
}

// pass lets a time pass.
func (w *world) pass(d time.Duration) { w.frames(int(d / frame)) }

// join dials and waits until the client plays.
func (w *world) join(change ...func(*system.ClientConfig)) *guest {
	g := w.dial(change...)
	w.frames(10)
	require.True(w, g.Playing(), "it is in stage %v, and ended as %+v", g.Stage(), g.ending)
	g.end.sent, g.host.sent, g.news = nil, nil, nil
	return g
}

// player is what the server knows of a client.
func (g *guest) player() *system.Player {
	if p := g.w.server.Router().Peer(g.host.id); p != nil {
		return p.Data.(*system.Player)
	}
	return nil
}

// fromHost lets bytes come to the client as a message of the server.
func (g *guest) fromHost(mode transport.Delivery, b ...byte) {
	g.Route(transport.Event{Kind: transport.Message, Conn: g.end, Payload: b, Delivery: mode, At: g.w.now})
}

// fromClient lets bytes come to the server as a message of the client.
func (g *guest) fromClient(mode transport.Delivery, b ...byte) {
	g.w.server.Route(transport.Event{Kind: transport.Message, Conn: g.host, Payload: b, Delivery: mode, At: g.w.now})
}

const (
	reliably = transport.ReliableOrdered
	lossily  = transport.Unreliable
)

// ids are the ids of messages, of idBits bits each.
func ids(payloads [][]byte, idBits int) (list []int) {
	for _, b := range payloads {
		list = append(list, int(b[0])&(1<<idBits-1))
	}
	return list
}

// entry finds a message of the catalogue.
func entry(t *testing.T, name string) *msgs.Entry {
	for i := range system.Catalogue.Entries {
		if e := &system.Catalogue.Entries[i]; e.Name == name {
			return e
		}
	}
	t.Fatal("no message " + name)
	return nil
}
