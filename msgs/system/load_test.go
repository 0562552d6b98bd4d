package system_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

func noBandwidthByType(t *testing.T) {
	for _, e := range system.Catalogue.Entries {
		require.Equal(t, []any{uint8(0), time.Duration(0), false}, []any{e.Channel, e.TTL, e.Urgent}, e.Name)
	}
	w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = 1 })
	g := w.join()
	for range 1000 { // of one type, and the others go on
		require.NoError(t, w.server.Invoke(g.player().Peer(), lossily, 0, nil))
	}
	require.NoError(t, w.server.Send(g.player(), system.Verify{}))
	require.Len(t, g.host.sent, 1001)
}

func callLimits(t *testing.T) {
	var called []int64
	var w *world
	w = newWorld(t, func(c *system.ServerConfig) {
		c.Methods = calls(3)
		c.Methods[1] = system.Method{Every: 100 * time.Millisecond, Handle: func(*system.Call) { called = append(called, w.now) }}
	})
	a, b := w.join(), w.join()
	call := pack(field{6, 4}, field{1, 2})
	for range 1000 { // 10 a second are allowed, 1,000 come
		w.now += int64(time.Millisecond)
		a.fromClient(reliably, call...)
	}
	require.Len(t, called, 10)
	require.Equal(t, int64(100*time.Millisecond), called[1]-called[0])
	require.Equal(t, uint64(990), w.server.Stats().Limited)
	b.fromClient(reliably, call...)
	require.Len(t, called, 11, "others are not affected")
	require.Nil(t, a.host.Err())
}

func movementYields(t *testing.T) {
	w := newWorld(t)
	g := w.join(func(c *system.ClientConfig) { c.Legacy = func(bool, []byte, int, int) {} })
	sender := system.LegacySender{Reserve: 1000}
	for _, room := range []int{1000, 999, 0} {
		g.host.room = room
		require.NoError(t, sender.Send(g.player().Peer(), false, []byte{1}))
		require.NoError(t, sender.Send(g.player().Peer(), true, []byte{2}))
	}
	require.Equal(t, []int{1, 0, 0, 0}, ids(g.host.payloads(), 5))
	require.Equal(t, uint64(2), sender.Dropped)
}

// Buffers and time-outs of connections belong to the transport: a side takes what Sendable and Send say, and what the transport ends is ended here.
func transportSettings(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	g.host.fails = errBroken
	require.ErrorIs(t, w.server.Send(g.player(), system.Verify{}), errBroken, "a full buffer is reported")
	g.host.fails = nil
	g.end.timedOut()
	w.frames(2)
	require.Equal(t, system.EndTimeout, g.ending.Cause)
	require.Equal(t, 30*time.Second, system.Timeout)
}

func methodsAreSampled(t *testing.T) {
	p := &profile{}
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Profiler, c.Methods = p, calls(1)
		c.Methods[0].Name = "Door.Toggle"
		c.Methods[0].Handle = func(*system.Call) { p.notes = append(p.notes, "called") }
	})
	g := w.join()
	p.notes = nil
	g.fromClient(reliably, pack(field{6, 4}, field{0, 1})...)
	require.Equal(t, []string{"Server.InvokeMethod {", "Door.Toggle {", "called", "} Door.Toggle", "} Server.InvokeMethod"}, p.notes)
}

// profile notes what it is told.
type profile struct{ notes []string }

func (p *profile) Begin(name string) { p.notes = append(p.notes, name+" {") }
func (p *profile) End(name string)   { p.notes = append(p.notes, "} "+name) }

func callsNeedAPlayer(t *testing.T) {
	called := 0
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Methods = calls(1)
		c.Methods[0].Handle = func(*system.Call) { called++ }
	})
	g := mute(w, system.PromptFlow)
	g.fromClient(reliably, pack(field{6, 4}, field{0, 1})...)
	require.Zero(t, called)
	require.Equal(t, []uint64{1, 1}, []uint64{w.server.Stats().Unresolved, w.server.Stats().Bad})
	w.join().fromClient(reliably, pack(field{6, 4}, field{0, 1})...)
	require.Equal(t, 1, called)
}

// malformed is a ping that is too long.
var malformed = append(pack(with([]field{{4, 4}}, time64(1)...)...), 0)[:8]

func badPacketsEnd(t *testing.T) {
	w := newWorld(t)
	proven, forged := w.join(), w.join()
	forged.host.proves = false
	for range 10 {
		proven.fromClient(lossily, malformed...)
	}
	require.Nil(t, proven.host.Err())
	w.now += int64(2500 * time.Millisecond)
	for range 10 {
		proven.fromClient(lossily, malformed...)
	}
	require.Nil(t, proven.host.Err(), "a new window")
	proven.fromClient(lossily, malformed...)
	require.Error(t, proven.host.Err())
	require.Equal(t, uint64(1), w.server.Stats().Abuse)
	require.Equal(t, []string{"joined 1", "joined 2", "left 1"}, w.news)

	for range 100 {
		forged.fromClient(lossily, malformed...)
	}
	require.Nil(t, forged.host.Err(), "a stranger may have sent them")
	require.Equal(t, uint64(10), w.server.Stats().Abuse)
	require.Equal(t, uint64(121), w.server.Stats().Bad)
}

func silenceEnds(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	g.cut()
	g.end.lose = func([]byte, options) bool { return true }
	w.pass(31 * time.Second)
	require.Error(t, g.host.Err())
	require.NotNil(t, g.ending)
	require.Zero(t, w.server.Stats().Bad)

	idle := newWorld(t).dial()
	idle.end.lose = func(b []byte, _ options) bool { return b[0]&15 != 5 } // it answers pings, and does nothing that it is waited for
	idle.w.pass(14 * time.Second)
	require.Nil(t, idle.ending)
	idle.w.pass(2 * time.Second)
	require.Equal(t, []any{system.EndRejected, system.ReasonTimeout}, []any{idle.ending.Cause, idle.ending.Reason})
}
