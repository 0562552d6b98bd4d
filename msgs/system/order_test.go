package system_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

// source visits the files of the package that are no tests.
func source(t *testing.T, visit func(name string, file *ast.File)) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			visit(name, file)
		}
	}
}

// imported are the packages that the package imports.
func imported(t *testing.T) (paths []string) {
	source(t, func(_ string, file *ast.File) {
		for _, i := range file.Imports {
			paths = append(paths, strings.Trim(i.Path.Value, `"`))
		}
	})
	return paths
}

func sidesShareNothing(t *testing.T) {
	source(t, func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			_, starts := n.(*ast.GoStmt)
			require.False(t, starts, "%s starts a goroutine", name)
			return true
		})
	})
	require.NotContains(t, imported(t), "sync")

	var all sync.WaitGroup
	for range 4 { // under the race detector this finds what they share
		all.Go(func() {
			w := newWorld(t)
			g := w.dial()
			w.pass(2 * time.Second)
			if !g.Playing() {
				t.Error("a world of its own goroutine does not work")
			}
		})
	}
	all.Wait()
}

func reliableOrder(t *testing.T) {
	var order []string
	w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = 1 })
	g := w.join(func(c *system.ClientConfig) {
		c.Methods = []system.Method{{Handle: func(*system.Call) { order = append(order, "call") }}}
		c.Configured = func(*system.ReplicateConfig) { order = append(order, "config") }
		c.AdminChanged = func(uint16, bool) { order = append(order, "admin") }
		c.Legacy = func(bool, []byte, int, int) { order = append(order, "legacy") }
	})
	order = nil
	g.host.delay = 100 * time.Millisecond
	p := g.player().Peer()
	require.NoError(t, w.server.Send(g.player(), system.ReplicateConfig{}))
	require.NoError(t, w.server.Invoke(p, reliably, 0, nil))
	require.NoError(t, system.SendLegacy(p, true, []byte{1}))
	w.server.SetAdmin(g.player(), true)
	require.NoError(t, w.server.Invoke(p, reliably, 0, nil))
	for _, s := range g.host.sent[:5] {
		require.Equal(t, options{Delivery: reliably}, s.o, "one mode and one channel, whose order the transport keeps")
	}
	w.frames(10)
	require.Equal(t, []string{"config", "call", "legacy", "admin", "call"}, order)
}

func lateMessages(t *testing.T) {
	w := newWorld(t)
	g := legacyGuest(w)
	p := g.player().Peer()
	g.host.delay = 500 * time.Millisecond
	require.NoError(t, system.SendLegacy(p, false, []byte("first")))
	g.host.delay = 0
	require.NoError(t, system.SendLegacy(p, false, []byte("second")))
	w.pass(time.Second)
	require.Equal(t, []string{"legacy false: second at 1", "legacy false: first at 1"}, g.news)
}

func noOrderBetweenModes(t *testing.T) {
	w := newWorld(t)
	g := legacyGuest(w)
	p := g.player().Peer()
	g.host.delay = 500 * time.Millisecond
	require.NoError(t, system.SendLegacy(p, true, []byte("must arrive")))
	g.host.delay = 0
	require.NoError(t, system.SendLegacy(p, false, []byte("may be lost")))
	w.pass(time.Second)
	require.Equal(t, []string{"legacy false: may be lost at 1", "legacy true: must arrive at 1"}, g.news)
}

// carrier is the counters of a transport.
type carrier struct{ system.Traffic }

func (c *carrier) read() system.Traffic { return c.Traffic }

func trafficIsReadable(t *testing.T) {
	c := &carrier{}
	w := newWorld(t, func(s *system.ServerConfig) { s.Traffic = c.read })
	g := w.dial(func(s *system.ClientConfig) { s.Traffic = c.read })
	c.Traffic = system.Traffic{BytesSent: 1000, BytesReceived: 200, PacketsSent: 10, PacketsReceived: 2}
	require.Equal(t, c.Traffic, w.server.Traffic())
	require.Equal(t, c.Traffic, g.Traffic())
	require.Zero(t, newWorld(t).server.Traffic(), "a transport that does not count")
}

func trafficBeginsAnew(t *testing.T) {
	c := &carrier{system.Traffic{BytesSent: 5, BytesReceived: 6, PacketsSent: 7, PacketsReceived: 8}}
	w := newWorld(t, func(s *system.ServerConfig) { s.Traffic = c.read })
	g := w.dial(func(s *system.ClientConfig) { s.Traffic = c.read })
	require.Zero(t, w.server.Traffic(), "a new server")
	require.Zero(t, g.Traffic())
	c.BytesSent += 100
	c.PacketsReceived++
	require.Equal(t, system.Traffic{BytesSent: 100, PacketsReceived: 1}, w.server.Traffic())
	w.server.LevelLoaded()
	g.LevelLoaded()
	require.Zero(t, w.server.Traffic())
	require.Zero(t, g.Traffic())
	c.BytesReceived += 3
	require.Equal(t, system.Traffic{BytesReceived: 3}, w.server.Traffic())
	require.Equal(t, system.Traffic{BytesReceived: 3}, g.Traffic())
}

func trafficIsTheTransports(t *testing.T) {
	c := &carrier{}
	w := newWorld(t, func(s *system.ServerConfig) { s.Traffic = c.read })
	g := legacyGuest(w)
	for range 10 {
		require.NoError(t, system.SendLegacy(g.player().Peer(), true, []byte{1}))
	}
	require.Zero(t, w.server.Traffic(), "messages are not counted")
	c.PacketsSent, c.BytesSent = 1, 80 // all of them in one packet
	require.Equal(t, system.Traffic{PacketsSent: 1, BytesSent: 80}, w.server.Traffic())
}
