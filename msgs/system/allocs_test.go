package system_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
)

func TestACallThatComesInAllocatesNothing(t *testing.T) {
	called := 0
	count := []system.Method{{Name: "Door.Toggle", Handle: func(c *system.Call) { called += int(c.Args.Uint8()) }}}
	w := newWorld(t, func(c *system.ServerConfig) { c.Methods = count })
	g := w.join(func(c *system.ClientConfig) { c.Methods = count })
	toServer := transport.Event{Kind: transport.Message, Conn: g.host, Payload: pack(field{6, 4}, field{0, 1}, field{1, 8}), Delivery: reliably}
	toClient := transport.Event{Kind: transport.Message, Conn: g.end, Payload: pack(field{17, 5}, field{0, 1}, field{1, 8}), Delivery: reliably}
	require.Zero(t, testing.AllocsPerRun(100, func() { w.server.Route(toServer); g.Route(toClient) }))
	require.Equal(t, 202, called)
}

func TestAFrameInWhichNothingHappensAllocatesNothing(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	w.join()
	require.Zero(t, testing.AllocsPerRun(100, func() { w.server.Frame(&w.hub); g.Frame(g.end) }))
}

func TestABadMessageIsNotExplainedToNobody(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	g.host.proves = false
	bad := transport.Event{Kind: transport.Message, Conn: g.host, Payload: malformed, Delivery: lossily}
	for range 50 { // until the log has had enough
		w.server.Route(bad)
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { w.server.Route(bad) }))
}

// A method may cause another call to be handled, and has its own arguments all the same.
func TestCallsNest(t *testing.T) {
	var got []uint8
	var w *world
	var g *guest
	inner := pack(field{6, 4}, field{1, 2}, field{2, 8})
	w = newWorld(t, func(c *system.ServerConfig) {
		c.Methods = []system.Method{
			{Handle: func(c *system.Call) {
				g.fromClient(reliably, inner...)
				got = append(got, c.Args.Uint8())
			}},
			{Handle: func(c *system.Call) { got = append(got, c.Args.Uint8()) }},
		}
	})
	g = w.join()
	g.fromClient(reliably, pack(field{6, 4}, field{0, 2}, field{1, 8})...)
	require.Equal(t, []uint8{2, 1}, got)
}
