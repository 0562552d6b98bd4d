package calling

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	everything "github.com/gannet-net/gannet/internal/testcatalogue/bits"
	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// table is a server and its clients in one process, with a clock that the test moves.
type table struct {
	*testing.T
	now     int64
	clock   func() int64 // over sockets: what moves now
	log     strings.Builder
	server  *side
	clients []*side
	diary   []string // what ran, in order
}

// side is one end.
type side struct {
	*rpc.Calls
	table  *table
	router *msgs.Router
	from   []msgs.Driver
	peer   *msgs.Peer // at a client's side: the client as the server knows it
}

var errRefused = errors.New("a secret of the server")

// sit makes a server and n clients that have joined. edit may change the config of each side.
func sit(t *testing.T, n int, edit ...func(*rpc.Config)) *table {
	tb := &table{T: t, now: int64(time.Hour)}
	tb.server = tb.newSide(msgs.Host, edit...)
	for range n {
		tb.joins(edit...)
	}
	return tb
}

func (tb *table) newSide(of msgs.Side, edit ...func(*rpc.Config)) *side {
	s := &side{table: tb}
	var err error
	s.router, err = msgs.NewRouter(msgs.Config{Side: of, Logger: tb.logger(), Catalogues: []msgs.Mount{
		rpc.Mount(0, 15), {Catalogue: &arena.Catalogue, Channel: 16}, {Catalogue: &everything.Catalogue, Channel: 20},
	}})
	require.NoError(tb, err)
	c := rpc.Config{Router: s.router, Contracts: []*rpc.Contract{&arena.Contract}, Logger: tb.logger()}
	for _, f := range edit {
		f(&c)
	}
	s.Calls, err = rpc.New(c)
	require.NoError(tb, err)
	if of == msgs.Host {
		require.NoError(tb, arena.BindLevelServer(s.Calls, levelServer{tb}))
	} else {
		require.NoError(tb, arena.BindLevelClient(s.Calls, levelClient{tb, s}))
	}
	return s
}

func (tb *table) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(&tb.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// joins adds a client.
func (tb *table) joins(edit ...func(*rpc.Config)) *side {
	client, host, err := loopback.Pipe(loopback.Config{
		Driving: transport.GameLoop, ID: uint32(1 + len(tb.clients)), Clock: func() int64 { return tb.now }, Poison: true,
	})
	require.NoError(tb, err)
	s := tb.newSide(msgs.Client, edit...)
	s.from, tb.server.from = append(s.from, client), append(tb.server.from, host)
	tb.clients = append(tb.clients, s)
	tb.plays()
	s.peer = tb.server.router.Peer(client.ID())
	require.NotNil(tb, s.peer)
	tb.Cleanup(func() { client.Abort() })
	return s
}

// sitUDP makes a server and a client that have joined over real sockets.
func sitUDP(t *testing.T, edit ...func(*rpc.Config)) *table {
	began := time.Now()
	clock := func() int64 { return int64(time.Since(began)) }
	gameLoop := udp.Config{Protocol: udp.Base, Driving: transport.GameLoop, Clock: clock}
	h, err := udp.Listen("127.0.0.1:0", gameLoop)
	require.NoError(t, err)
	c, err := udp.Dial(context.Background(), h.Addr().String(), gameLoop)
	require.NoError(t, err)
	tb := &table{T: t, clock: clock}
	tb.server = tb.newSide(msgs.Host, edit...)
	client := tb.newSide(msgs.Client, edit...)
	tb.server.from, client.from, tb.clients = []msgs.Driver{h}, []msgs.Driver{c}, []*side{client}
	t.Cleanup(func() {
		c.Abort()
		h.Abort()
		tb.until(h.Closed)
	})
	tb.until(func() bool { client.peer = tb.server.router.Peer(c.ID()); return client.peer != nil && c.ID() != 0 })
	return tb
}

// until plays until something is so, over sockets.
func (tb *table) until(is func() bool) {
	tb.Helper()
	for range 5000 {
		tb.plays()
		for _, s := range append([]*side{tb.server}, tb.clients...) {
			for _, d := range s.from {
				d.(interface{ Flush() }).Flush()
			}
		}
		if is() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	tb.Fatal("it does not become so")
}

// plays lets everybody read what has come, until nobody has anything to say.
func (tb *table) plays() {
	if tb.clock != nil {
		tb.now = tb.clock()
	}
	for range 4 {
		for _, s := range append([]*side{tb.server}, tb.clients...) {
			s.Tick(tb.now)
			for _, d := range s.from {
				s.router.Pump(d)
			}
		}
	}
}

// passes lets time go by.
func (tb *table) passes(d time.Duration) {
	tb.now += int64(d)
	tb.plays()
}

// notes what ran.
func (tb *table) notes(format string, args ...any) {
	tb.diary = append(tb.diary, fmt.Sprintf(format, args...))
}

// happened are the notes since the last call.
func (tb *table) happened() []string {
	was := tb.diary
	tb.diary = nil
	return was
}

// number is that of a client among the players.
func (s *side) number() uint32 { return s.router.Host().Conn().ID() }

func (s *side) drops() string { return s.Stats().Drops.String() }

// levelServer is the server's own interface.
type levelServer struct{ *table }

func (l levelServer) Hello(c rpc.ServerCall) { l.notes("%v: hello", c.From) }
func (l levelServer) Spawn(c rpc.ServerCall, vehicle uint16) error {
	l.notes("%v: spawn %d", c.From, vehicle)
	return nil
}
func (l levelServer) Save(c rpc.ServerCall) error {
	l.notes("%v: save", c.From)
	return nil
}

func (l levelServer) Say(c rpc.ServerCall, text string) { l.notes("%v: say %s", c.From, text) }

// levelClient is that of clients.
type levelClient struct {
	*table
	at *side
}

func (l levelClient) LevelNumber(number uint8) { l.notes("client %d: level %d", l.at.number(), number) }
func (l levelClient) Notice(_ rpc.ClientCall, text string, players []uint8) {
	l.notes("client %d: notice %s %v", l.at.number(), text, players)
}
func (l levelClient) Ready(rpc.ClientCall) (bool, error) { return true, nil }

// door is a door at the server.
type door struct {
	*table
	fails error
	does  func(rpc.ServerCall)
}

func (d *door) Toggle(c rpc.ServerCall, want arena.Latch, at arena.Pos) error {
	d.notes("%v: toggle %v %v at %v", c.From, c.ID, want, at)
	if d.does != nil {
		d.does(c)
	}
	return d.fails
}

func (d *door) Price(c rpc.ServerCall, item uint16) (arena.Coins, error) {
	d.notes("%v: price of %d", c.From, item)
	if d.does != nil {
		d.does(c)
	}
	return arena.Coins(10 * item), d.fails
}

// shownDoor is the same door at a client.
type shownDoor struct {
	*table
	at   *side
	does func(rpc.ClientCall)
	gone func()
}

func (d *shownDoor) Swung(c rpc.ClientCall, angle arena.Degrees) {
	d.notes("client %d: %v swung to %.1f", d.at.number(), c.ID, angle)
	if d.does != nil {
		d.does(c)
	}
}

func (d *shownDoor) Painted(colour uint8) { d.notes("client %d: painted %d", d.at.number(), colour) }

func (d *shownDoor) Gone(c rpc.ClientCall) {
	d.notes("client %d: %v gone", d.at.number(), c.ID)
	if d.gone != nil {
		d.gone()
	}
}

// hangs binds a door at the server and at all clients, and gives it to the first of them.
func (tb *table) hangs() (rpc.NetID, *door) {
	id, err := tb.server.Objects().Claim()
	require.NoError(tb, err)
	d := &door{table: tb}
	require.NoError(tb, arena.BindDoorServer(tb.server.Calls, id, d))
	for _, s := range tb.clients {
		require.NoError(tb, arena.BindDoorClient(s.Calls, id, &shownDoor{table: tb, at: s}))
	}
	if len(tb.clients) > 0 {
		require.True(tb, tb.server.Objects().Own(id, tb.clients[0].peer))
	}
	return id, d
}

// lifeOf is what a player is at the server.
type lifeOf struct{ *table }

func (l *lifeOf) Damage(damage uint8, force arena.Pos, cause arena.Cause, limb arena.Limb, killer uint64) {
	l.notes("damage %d %v %v %v %x", damage, force, cause, limb, killer)
}

func (l *lifeOf) Heal(c rpc.ServerCall, amount uint8) error {
	l.notes("%v: heal %d", c.From, amount)
	return nil
}
