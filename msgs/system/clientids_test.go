package system_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

// The messages of a client come to the server as bytes that are put together here, field by field, and the server does what they are for.

// mute dials with a flow, and sends nothing by itself.
func mute(w *world, flow system.Flow) *guest {
	g := w.dial(func(c *system.ClientConfig) { c.Flow = flow })
	g.end.lose = func([]byte, options) bool { return true }
	w.frames(1)
	g.host.sent = nil
	return g
}

func flowOf(f system.Flow) func(*system.ServerConfig) {
	return func(c *system.ServerConfig) { c.Flow = f }
}

func clientConfirmsFiles(t *testing.T) {
	w := newWorld(t, flowOf(system.PatientFlow))
	g := mute(w, system.PatientFlow)
	require.Equal(t, system.StageFiles, g.player().Stage())
	g.fromClient(reliably, pack(field{0, 4}, field{1, 1}, field{0, 1})...)
	require.Equal(t, system.StageReady, g.player().Stage())
}

func clientAsksForPlace(t *testing.T) {
	flow := system.Flow{system.StageReady, system.StageAuthenticate, system.StageAccept}
	w := newWorld(t, flowOf(flow), func(c *system.ServerConfig) { c.Version = 3 })
	g := mute(w, flow)
	g.fromClient(reliably, pack(field{1, 4}, field{3, 32}, field{empty, 1})...)
	require.Equal(t, system.StageAuthenticate, g.player().Stage())
}

// authentication64 is the message of account 77.
func authentication64() []byte {
	fields := with([]field{{2, 4}, {0, 32}}, time64(77)...)
	fields = with(fields, field{empty, 1}, field{0, 10}, field{2, 8}, field{5, 8}, field{1, 8}, field{2, 8}, field{3, 8}, field{0, 24}, field{0, 24}, field{0, 24}, field{0, 1})
	return pack(with(fields, field{1, 5}, field{300, 32}, field{empty, 1})...)
}

func clientAuthenticates(t *testing.T) {
	w := newWorld(t)
	g := mute(w, system.PromptFlow)
	g.fromClient(reliably, authentication64()...)
	require.Equal(t, system.StageFiles, g.player().Stage())
	require.Equal(t, &system.Authenticate{Account: 77, Slot: 2, Skillset: 5, Look: system.Look{Face: 1, Hair: 2, Beard: 3}, Equipped: []system.ItemID{300}},
		g.player().Character())
}

func clientGuards(t *testing.T) {
	var got []byte
	w := newWorld(t, func(c *system.ServerConfig) {
		c.AntiCheat = func(_ *system.Player, b []byte) { got = append(got, b...) }
	})
	message := pack(field{3, 4}, field{2, 11}, field{0, 1}, field{'o', 8}, field{'k', 8})
	w.join().fromClient(lossily, message...)
	require.Equal(t, "ok", string(got))
	without := newWorld(t).join()
	without.fromClient(lossily, message...)
	require.Nil(t, without.host.Err())
	require.Equal(t, "ok", string(got), "without the feature nobody is called")
}

func clientPings(t *testing.T) {
	g := newWorld(t).join()
	g.fromClient(lossily, pack(with([]field{{4, 4}}, time64(0x0102030405060708)...)...)...)
	require.Equal(t, [][]byte{pack(with([]field{{3, 5}}, time64(0x0102030405060708)...)...)}, g.host.payloads())
}

func clientAnswers(t *testing.T) {
	w := newWorld(t)
	g := mute(w, system.PromptFlow)
	asked := w.now
	w.now += int64(30 * time.Millisecond)
	g.fromClient(lossily, pack(with([]field{{5, 4}}, time64(uint64(asked))...)...)...)
	require.Equal(t, 30*time.Millisecond, g.player().RTT())
	g.fromClient(lossily, pack(with([]field{{5, 4}}, time64(uint64(asked)+1)...)...)...)
	require.Equal(t, uint64(1), w.server.Stats().Strays, "an answer to nothing")
}

func clientCalls(t *testing.T) {
	called := -1
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Methods = calls(150)
		c.Methods[3].Handle = func(call *system.Call) { called = int(call.Player.ID()) }
	})
	w.join().fromClient(reliably, unhex(t, "36 00")...)
	require.Equal(t, 1, called)
}

func clientReportsAssets(t *testing.T) {
	asset := system.Asset{ID: system.GUID{1}, Hash: [32]byte{2}}
	w := newWorld(t, func(c *system.ServerConfig) { c.Assets = []system.Asset{asset} })
	g := w.join()
	fields := []field{{7, 4}, {1, 5}, {0, 32}, {1, 32}, {0, 64}, {2, 8}} // of a GUID, each half has its high 32 bits first
	for range 31 {
		fields = with(fields, field{0, 8})
	}
	g.fromClient(reliably, pack(with(fields, field{1, 1})...)...)
	require.True(t, g.player().Validated())
}

func clientSaysGoodbye(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	g.fromClient(reliably, 8)
	require.Equal(t, []string{"joined 1", "left 1"}, w.news)
	require.Error(t, g.host.Err())
}
