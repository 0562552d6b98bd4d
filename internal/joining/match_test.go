package joining

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// content is a file that clients need.
var content = bytes.Repeat([]byte("what the level is made of "), 2000)

// driver is a host or a connection in a game loop.
type driver interface {
	msgs.Driver
	Flush()
}

// match is a server that counts, and numbers what it calls and what calls it.
type match struct {
	*system.Server
	heard map[uint16][]uint32 // the numbers that came from each player
	next  uint32
}

func newMatch(t *testing.T, clock func() int64, change ...func(*system.ServerConfig)) *match {
	m := &match{heard: map[uint16][]uint32{}}
	c := system.ServerConfig{
		Clock: clock, ClientMethods: 1, Version: 4,
		Methods: []system.Method{{Name: "Match.Number", Handle: func(call *system.Call) {
			m.heard[call.Player.ID()] = append(m.heard[call.Player.ID()], call.Args.Uint32())
		}}},
		Files: []system.WorkshopFile{{ID: 1, Size: uint32(len(content)), Hash: sha256.Sum256(content)}},
		Open:  func(uint64) io.ReaderAt { return bytes.NewReader(content) },
		Spawn: func(*system.Player) system.Accepted { return system.Accepted{Health: 100, Level: "level"} },
		Game:  system.ReplicateConfig{Damage: system.DamageConfig{Player: 1.5}},
	}
	for _, f := range change {
		f(&c)
	}
	var err error
	m.Server, err = system.NewServer(c)
	require.NoError(t, err)
	return m
}

// frame is a frame of the game: everybody in it gets the next number.
func (m *match) frame(d driver) {
	m.Frame(d)
	_ = m.Invoke(m.Playing(), transport.ReliableOrdered, 0, func(w *wire.BitWriter) { w.Uint32(m.next) })
	m.next++
	d.Flush()
}

// player is a client that notes what happens.
type player struct {
	*system.Client
	file    bytes.Buffer
	news    []string
	numbers []uint32
	next    uint32
	ending  *system.Ending
}

func newPlayer(t *testing.T, clock func() int64, name string, change ...func(*system.ClientConfig)) *player {
	p := &player{}
	note := func(format string, args ...any) { p.news = append(p.news, fmt.Sprintf(format, args...)) }
	c := system.ClientConfig{
		Clock: clock, ServerMethods: 1, Store: p,
		Character: system.Authenticate{Version: 4, Name: name},
		Methods: []system.Method{{Name: "Player.Number", Handle: func(call *system.Call) {
			p.numbers = append(p.numbers, call.Args.Uint32())
		}}},
		Accepted:     func(*system.Accepted) { note("accepted") },
		Configured:   func(c *system.ReplicateConfig) { note("configured %v", c.Damage.Player) },
		PlayerJoined: func(m *system.PlayerConnected) { note("%s joined", m.Name) },
		PlayerLeft:   func(uint16) { note("somebody left") },
		ShuttingDown: func(m *system.Shutdown) { note("shutdown: %s", m.Text) },
		Ended:        func(e system.Ending) { p.ending = &e },
	}
	for _, f := range change {
		f(&c)
	}
	var err error
	p.Client, err = system.NewClient(c)
	require.NoError(t, err)
	return p
}

// frame is a frame of the game: a player sends its next number.
func (p *player) frame(d driver) {
	p.Frame(d)
	if p.Playing() {
		_ = p.Invoke(transport.ReliableOrdered, 0, func(w *wire.BitWriter) { w.Uint32(p.next) })
		p.next++
	}
	d.Flush()
}

// Open, ReadAt, WriteAt and Size keep the one file in memory.
func (p *player) Open(system.WorkshopFile) (system.File, error) { return p, nil }
func (p *player) Size() int64                                   { return int64(p.file.Len()) }

func (p *player) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(p.file.Bytes()).ReadAt(b, at)
}

func (p *player) WriteAt(b []byte, at int64) (int, error) {
	p.file.Truncate(int(at))
	return p.file.Write(b)
}

// requireInOrder requires numbers that follow one another without a gap.
func requireInOrder(t *testing.T, numbers []uint32) {
	t.Helper()
	require.NotEmpty(t, numbers)
	for i, n := range numbers {
		require.Equal(t, numbers[0]+uint32(i), n, "number %d of %d", i, len(numbers))
	}
}

// requireJoined requires that a player came into the game in the order of the steps, with the file.
func (p *player) requireJoined(t *testing.T) {
	t.Helper()
	require.True(t, p.Playing(), "it ended as %+v", p.ending)
	require.Equal(t, []string{"accepted", "configured 1.5"}, p.news[:2])
	require.Equal(t, content, p.file.Bytes())
}

func (p *player) hasNews(text string) bool { return slices.Contains(p.news, text) }
