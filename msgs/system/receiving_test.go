package system_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
)

// A message that is cut is not read on into what lies behind it in memory.
func readersEndWhereBytesEnd(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	whole := pack(with([]field{{4, 4}}, time64(5)...)...)
	g.fromClient(lossily, whole[:len(whole)-1:len(whole)]...)
	require.Empty(t, g.host.sent)
	require.Equal(t, uint64(1), w.server.Stats().Bad)
	g.fromClient(lossily, whole...)
	require.Len(t, g.host.sent, 1)
	g.fromHost(reliably, pack(field{14, 5}, field{1, 16})[:2:3]...)
	require.Empty(t, g.news)
}

func unknownIDAtServer(t *testing.T) {
	for _, bad := range [][]byte{{9}, {15}, {}} {
		w := newWorld(t)
		g := w.join()
		g.fromClient(reliably, bad...)
		require.Contains(t, w.log.String(), `level=WARN msg="Received invalid packet index" from="player 1"`)
		require.Error(t, g.host.Err())
		w.frames(2)
		require.Equal(t, &system.Ending{Cause: system.EndRejected, Reason: system.ReasonInvalid, Text: "sv invalid packet index", Err: g.ending.Err}, g.ending)

		w = newWorld(t)
		g = w.join()
		g.host.proves = false
		g.fromClient(reliably, bad...)
		require.Nil(t, g.host.Err(), "somebody else may have sent it")
		require.Equal(t, []uint64{1, 1}, []uint64{w.server.Stats().InvalidID, w.server.Stats().Bad})
	}
}

func dispatchByID(t *testing.T) {
	w := newWorld(t)
	g := w.join(func(c *system.ClientConfig) { c.Logs = system.Logs{ReceiveFromServer: true, BadMessages: true} })
	g.log.Reset()
	g.fromHost(reliably, 8)                                   // Verify, out of turn
	g.fromHost(reliably, pack(field{13, 5}, field{1, 16})...) // Admined
	g.fromHost(reliably, 0, 1)                                // nobody reads legacy bytes here
	require.Equal(t, uint64(1), g.Stats().OutOfTurn)
	require.Equal(t, []string{"player 1 admin true"}, g.news)
	require.Equal(t, uint64(1), g.Router().Stats().Drops[msgs.DropNoHandler])
	require.Empty(t, g.log.String(), "silently")
}

func callsReadInPart(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Logs.ReceiveFromClient, c.Methods = true, calls(2)
		c.Methods[0] = system.Method{Name: "Door.Toggle", Handle: func(call *system.Call) { call.Args.Uint32() }}
		c.Methods[1] = system.Method{Name: "Door.Knock", Handle: func(*system.Call) {}}
	})
	g := w.join()
	w.log.Reset()
	g.fromClient(reliably, pack(field{6, 4}, field{0, 2}, field{0, 10})...)
	require.Equal(t, `level=ERROR msg="Message could not be read" message=ClientInvokeMethod from="player 1" method=Door.Toggle error="wire: input is too short"`+"\n", w.log.String())
	w.log.Reset()
	g.fromClient(reliably, pack(field{6, 4}, field{1, 2}, field{0, 26})...)
	require.Equal(t, `level=WARN msg="Did not read to the end of a message" message=ClientInvokeMethod from="player 1" method=Door.Knock bytes=3`+"\n", w.log.String())
	w.log.Reset()
	g.fromClient(reliably, pack(field{6, 4}, field{0, 2}, field{0, 32})...)
	require.Empty(t, w.log.String())
}

func panicAtServer(t *testing.T) {
	called := 0
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Methods = calls(1)
		c.Methods[0].Handle = func(*system.Call) { called++; panic("broken") }
	})
	g := w.join()
	w.log.Reset()
	call := pack(field{6, 4}, field{0, 1})
	g.fromClient(reliably, call...)
	g.fromClient(reliably, call...)
	require.Equal(t, 2, called)
	require.Contains(t, w.log.String(), `level=ERROR msg="A handler panicked" message=ClientInvokeMethod peer="player 1" panic=broken`)
	require.Nil(t, g.host.Err())
}

func unknownIDAtClient(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	for _, bad := range [][]byte{{19}, {31}, {}} {
		g.log.Reset()
		g.fromHost(reliably, bad...)
		require.Contains(t, g.log.String(), `level=ERROR msg="Received invalid message index" from="the host"`)
	}
	for range 100 {
		g.fromHost(reliably, 19)
	}
	w.frames(2)
	require.Nil(t, g.end.Err())
	require.True(t, g.Playing())
	require.Equal(t, uint64(103), g.Stats().InvalidID)
}

func legacyIsHandedOn(t *testing.T) {
	g := legacyGuest(newWorld(t))
	g.fromHost(reliably, 0, 1, 2, 3)
	g.fromHost(lossily, 1)
	require.Equal(t, []string{"legacy true: \x01\x02\x03 at 1", "legacy false:  at 1"}, g.news)
	g.fromHost(reliably, 0|1<<5, 1)
	require.Len(t, g.news, 2, "the bits before the bytes are zeros")
	require.Equal(t, uint64(1), g.Stats().Padding)
}

func packetTimeComesFirst(t *testing.T) {
	silence := int64(-1)
	w := newWorld(t)
	var g *guest
	g = w.join(func(c *system.ClientConfig) {
		c.AdminChanged = func(uint16, bool) { silence = g.Silence() }
		c.Legacy = func(bool, []byte, int, int) { silence = g.Silence() }
	})
	w.now += 7000
	before := g.Silence()
	g.fromHost(reliably, 0, 1)
	require.Equal(t, before, silence, "legacy messages do not count")
	g.fromHost(reliably, 31)
	require.Equal(t, before, g.Silence(), "nor do unknown ones")
	g.fromHost(reliably, pack(field{13, 5}, field{1, 16})...)
	require.Zero(t, silence)
	w.now += 5000
	g.fromHost(lossily, pack(field{15, 5}, field{0, 11})...)
	require.Zero(t, g.Silence(), "those that nobody handles do")
}

func panicAtClient(t *testing.T) {
	called := 0
	g := newWorld(t).join(func(c *system.ClientConfig) {
		c.AdminChanged = func(uint16, bool) { called++; panic("broken") }
	})
	for range 2 {
		g.fromHost(reliably, pack(field{13, 5}, field{1, 16})...)
	}
	require.Equal(t, 2, called)
	require.Contains(t, g.log.String(), `level=ERROR msg="A handler panicked" message=Admined peer="the host" panic=broken`)
	require.True(t, g.Playing())
}

// full are settings with which both sides handle everything.
func fullServer(c *system.ServerConfig) {
	c.AntiCheat = func(*system.Player, []byte) {}
}

func fullClient(c *system.ClientConfig) {
	c.AntiCheat = func([]byte) {}
	c.Legacy = func(bool, []byte, int, int) {}
}

// unhandled are the names of the messages that come to a router and that nobody handles.
func unhandled(r *msgs.Router) (names []string) {
	for _, d := range r.Unhandled() {
		names = append(names, d.Entry.Name)
	}
	return names
}

func tablesAreFull(t *testing.T) {
	w := newWorld(t, fullServer)
	g := w.dial(fullClient)
	require.Empty(t, unhandled(w.server.Router()))
	require.Empty(t, unhandled(g.Router()))
	rows := map[msgs.Side]int{}
	for m := range w.server.Router().Messages() {
		rows[m.Entry.From]++
	}
	require.Equal(t, map[msgs.Side]int{msgs.Host: 19, msgs.Client: 9}, rows)
	w.frames(10)
	require.Empty(t, unhandled(g.Router()), "nothing is added or taken away later")
	err := g.Router().Add(msgs.On(func(*msgs.In, *system.Verify) {}))
	require.ErrorContains(t, err, "has a handler already")
}

// handled is how many kinds of messages a side handles.
func handled(r *msgs.Router, from msgs.Side) int {
	n := -len(r.Unhandled())
	for m := range r.Messages() {
		if m.Entry.From == from {
			n++
		}
	}
	return n
}

func numberOfHandlers(t *testing.T) {
	w := newWorld(t)
	g := w.dial()
	require.Equal(t, []int{8, 16}, []int{handled(w.server.Router(), msgs.Client), handled(g.Router(), msgs.Host)})
	guarded := newWorld(t, fullServer)
	both := guarded.dial(func(c *system.ClientConfig) { c.AntiCheat = func([]byte) {} })
	require.Equal(t, []int{9, 17}, []int{handled(guarded.server.Router(), msgs.Client), handled(both.Router(), msgs.Host)})
}

func missingHandlersAreLogged(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.Checks = true })
	g := w.dial(func(c *system.ClientConfig) { c.Checks = true })
	require.Equal(t, "level=INFO msg=\"Missing message handler\" message=ClientThirdPartyAntiCheat id=3\n", w.log.String())
	require.Equal(t, "level=INFO msg=\"Missing message handler\" message=HostThirdPartyAntiCheat id=15\n", g.log.String())
	require.Empty(t, newWorld(t).log.String(), "only if that is asked for")
}

func gatedMessages(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.Logs = system.Logs{ReceiveFromClient: true, BadMessages: true} })
	g := w.join(func(c *system.ClientConfig) { c.Logs = system.Logs{ReceiveFromServer: true, BadMessages: true} })
	w.log.Reset()
	g.log.Reset()
	for range 100 {
		require.NoError(t, g.Send(system.ClientThirdPartyAntiCheat{Data: []byte{1}}))
		require.NoError(t, w.server.Send(g.player(), system.HostThirdPartyAntiCheat{Data: []byte{1}}))
	}
	w.frames(2)
	for _, r := range []*msgs.Router{w.server.Router(), g.Router()} {
		require.Equal(t, uint64(100), r.Stats().Drops[msgs.DropNoHandler])
		require.Equal(t, uint64(100), r.Stats().Drops.Total())
	}
	require.Empty(t, w.log.String()+g.log.String())
	require.Zero(t, w.server.Stats())
	require.Equal(t, []uint16{15, 3, 17, 6}, []uint16{entry(t, "HostThirdPartyAntiCheat").ID, entry(t, "ClientThirdPartyAntiCheat").ID,
		entry(t, "HostInvokeMethod").ID, entry(t, "ClientInvokeMethod").ID}, "and ids do not move")
}

// logLines are the lines of a log that contain a text.
func logLines(log, part string) (lines []string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, part) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
