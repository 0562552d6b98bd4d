package system_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

func sendToOne(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = 3 })
	g, other := w.join(), w.join()
	g.host.sent = nil
	require.NoError(t, w.server.Send(g.player(), system.QueuePositionChanged{Position: 7}))
	require.NoError(t, w.server.Invoke(g.player().Peer(), lossily, 1, nil))
	require.NoError(t, w.server.Invoke(g.player().Peer(), reliably, 2, func(w *wire.BitWriter) { w.Bool(true) }))
	require.Equal(t, []options{{Delivery: reliably}, {Delivery: lossily}, {Delivery: reliably}}, []options{g.host.sent[0].o, g.host.sent[1].o, g.host.sent[2].o})
	require.Equal(t, [][]byte{pack(field{16, 5}, field{7, 8}), pack(field{17, 5}, field{1, 2}), pack(field{17, 5}, field{2, 2}, field{1, 1})}, g.host.payloads())
	require.Empty(t, other.host.sent)
}

func sendToMany(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = 3 })
	guests := []*guest{w.join(), w.join(), w.join()}
	for _, g := range guests {
		g.host.sent = nil
	}
	encoded := 0
	require.NoError(t, w.server.Invoke(w.server.Playing(), reliably, 1, func(w *wire.BitWriter) { encoded++; w.Uint8(9) }))
	require.Equal(t, 1, encoded)
	for _, g := range guests {
		require.Len(t, g.host.sent, 1)
		require.Same(t, guests[0].host.sent[0].lent, g.host.sent[0].lent, "the same buffer")
		require.Equal(t, pack(field{17, 5}, field{1, 2}, field{9, 8}), g.host.sent[0].payload)
	}
}

func sendToServer(t *testing.T) {
	g := newWorld(t).join(func(c *system.ClientConfig) { c.ServerMethods = 9 })
	require.NoError(t, g.Send(system.GetWorkshopFiles{Done: true}))
	require.NoError(t, g.Invoke(lossily, 8, nil))
	require.Equal(t, []options{{Delivery: reliably}, {Delivery: lossily}}, []options{g.end.sent[0].o, g.end.sent[1].o})
	require.Equal(t, [][]byte{{0x10}, pack(field{6, 4}, field{8, 4})}, g.end.payloads())
}

func sendWithoutConnection(t *testing.T) {
	w := newWorld(t)
	g := w.dial()
	require.ErrorIs(t, g.Send(system.ReadyToConnect{}), transport.ErrNotConnected)
	require.Equal(t, "level=WARN msg=\"Ignoring request to send message to server because we are not connected\" message=ReadyToConnect\n", g.log.String())
	require.Empty(t, g.end.sent)

	w.frames(10)
	g.Disconnect()
	g.log.Reset()
	require.Error(t, g.Send(system.ReadyToConnect{}))
	require.Contains(t, g.log.String(), "message=ReadyToConnect", "after the session as well")
}

func sendErrorsAreLogged(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.Logs.SendToClient = true })
	g := w.join(func(c *system.ClientConfig) { c.Logs.SendToServer = true })
	w.log.Reset()
	g.log.Reset()
	require.ErrorIs(t, w.server.Send(g.player(), system.Kicked{Text: string(make([]byte, 201))}), wire.ErrLimit)
	require.Equal(t, "level=ERROR msg=\"Message not sent\" to=\"player 1\" error=\"not sent: message Kicked, field Text: above its limit\"\n", w.log.String())
	require.ErrorIs(t, g.Send(system.Authenticate{Name: string(make([]byte, 33))}), wire.ErrLimit)
	require.Equal(t, "level=ERROR msg=\"Message not sent\" to=\"the host\" error=\"not sent: message Authenticate, field Name: above its limit\"\n", g.log.String())
	require.Empty(t, g.host.sent)
}

// Each message has a writer of its own, so that one can be sent while another is written, and from a handler.
func sendingNests(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) {
		c.ClientMethods, c.Methods = 3, calls(1)
		c.Methods[0].Handle = func(call *system.Call) {
			before := call.Args.Uint8()
			require.NoError(t, system.Verify{}.Send(call.Player.Peer()))
			require.Equal(t, []byte{0xAA, 0xBB}, []byte{before, call.Args.Uint8()})
		}
	})
	g := w.join(func(c *system.ClientConfig) { c.ServerMethods = 1 })
	require.NoError(t, w.server.Invoke(w.server.Playing(), reliably, 1, func(inner *wire.BitWriter) {
		inner.Uint32(0x01020304)
		require.NoError(t, system.Shutdown{Seconds: 0xFFFF}.Send(w.server.Playing()))
		require.NoError(t, w.server.Invoke(w.server.Playing(), reliably, 2, nil))
		inner.Uint32(0x05060708)
	}))
	require.Equal(t, [][]byte{unhex(t, "E4 FF 3F"), pack(field{17, 5}, field{2, 2}), pack(field{17, 5}, field{1, 2}, field{0x01020304, 32}, field{0x05060708, 32})}, g.host.payloads())
	g.fromClient(reliably, pack(field{6, 4}, field{0, 1}, field{0xAA, 8}, field{0xBB, 8})...)
	require.Equal(t, [][]byte{{8}}, g.host.payloads())
}

func directionsAreKept(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	require.ErrorIs(t, w.server.Send(g.player(), system.GracefullyDisconnect{}), msgs.ErrDirection)
	require.ErrorIs(t, g.Send(system.Verify{}), msgs.ErrDirection)
	require.Empty(t, g.host.sent)
	require.Empty(t, g.end.sent)
}

var errBroken = errors.New("broken")

func TestAServerThatCannotTellItsStateRejects(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Spawn = func(*system.Player) system.Accepted { return system.Accepted{Health: 101} }
	})
	g := w.dial()
	w.frames(10)
	require.Equal(t, []any{system.EndRejected, system.ReasonOther}, []any{g.ending.Cause, g.ending.Reason})
	require.Empty(t, w.news)
}

func TestAClientWhoseDialFailsIsToldWhy(t *testing.T) {
	g := newWorld(t).dial()
	g.Route(transport.Event{Kind: transport.DialFailed, Conn: g.end, Err: errBroken})
	require.Equal(t, &system.Ending{Cause: system.EndLost, Err: errBroken}, g.ending)
}
