package system_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
)

// Whatever comes in whatever stage, neither side panics, and whoever else plays goes on playing.
func TestNoBytesBreakEitherSide(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		flow := []system.Flow{system.PromptFlow, system.PatientFlow}[seed%2]
		s := newShelf(3000)
		settings := func(c *system.ServerConfig) {
			s.serve(c)
			c.Flow, c.MaxPlayers, c.Methods, c.ClientMethods = flow, 2, calls(5), 5
		}
		client := func(c *system.ClientConfig) {
			c.Flow, c.Store, c.Methods, c.ServerMethods = flow, &store{}, calls(5), 5
			c.Legacy = func(_ bool, packet []byte, offset, size int) {
				var r system.LegacyReceiver
				r.Receive(false, packet, offset, size)
			}
		}
		w := newWorld(t, settings)
		honest := w.join(client)
		forger := w.dial(client)
		forger.host.proves = seed%3 == 0
		for range 300 {
			b := randomMessage(random, 4, 9)
			forger.fromClient(modeOf(random, 4, b), b...)
			b = randomMessage(random, 5, 19)
			forger.fromHost(modeOf(random, 5, b), b...)
			if random.Uint64N(10) == 0 {
				w.frames(1)
			}
		}
		w.pass(3 * time.Second)
		for _, r := range []*msgs.Router{w.server.Router(), forger.Router()} {
			require.Zero(t, r.Stats().Drops[msgs.DropPanic], "seed %d", seed)
			require.Zero(t, r.Stats().Panics, "seed %d", seed)
		}
		require.True(t, honest.Playing(), "seed %d", seed)
	}
}

// randomMessage is the bytes of a message, or nearly so: a sample or random bytes behind an id, some bits flipped.
func randomMessage(random *rand.Rand, idBits int, idCount uint64) []byte {
	b := make([]byte, 1+random.Uint64N(60))
	if h := headers[random.Uint64N(uint64(len(headers)))]; random.Uint64N(2) == 0 {
		if m, ok := h.message.(msgs.Message); ok && (h.from == msgs.Client) == (idBits == 4) {
			b, _ = m.Append(nil)
		}
	} else {
		for i := range b {
			b[i] = byte(random.Uint64())
		}
		b[0] = b[0]>>idBits<<idBits | byte(random.Uint64N(idCount))
	}
	for range random.Uint64N(3) {
		b[random.Uint64N(uint64(len(b)))] ^= 1 << random.Uint64N(8)
	}
	return b
}

// modeOf is the mode that a message should have, most of the time.
func modeOf(random *rand.Rand, idBits int, b []byte) transport.Delivery {
	for _, e := range system.Catalogue.Entries {
		if (e.From == msgs.Client) == (idBits == 4) && int(e.ID) == int(b[0])&(1<<idBits-1) && random.Uint64N(20) > 0 {
			return e.Delivery
		}
	}
	return lossily
}

// What a client sends out of turn changes nothing but counters.
func TestMessagesOutOfTurnAreCounted(t *testing.T) {
	w := newWorld(t)
	g := w.join()
	g.host.proves = false
	for i, m := range []system.GetWorkshopFiles{{Done: true}, {Want: true}} {
		require.NoError(t, g.Send(m))
		w.frames(2)
		require.Equal(t, uint64(i+1), w.server.Stats().OutOfTurn)
	}
	require.NoError(t, g.Send(system.Authenticate{Account: 1}))
	require.NoError(t, g.Send(system.ReadyToConnect{}))
	w.frames(2)
	require.Equal(t, uint64(4), w.server.Stats().OutOfTurn)
	require.True(t, g.player().Playing())
	require.Equal(t, uint64(100), g.player().Character().Account)

	files := newWorld(t, newShelf(100).serve)
	h := mute(files, system.PromptFlow)
	h.host.proves = false
	h.fromClient(reliably, authentication64()...)
	for _, bad := range []system.GetWorkshopFiles{{}, {Done: true, Want: true}, {Want: true, File: 2}, {Want: true, File: 1, Offset: 100}} {
		b, err := (&bad).Append(nil)
		require.NoError(t, err)
		h.fromClient(reliably, b...)
	}
	require.Equal(t, uint64(4), files.server.Stats().Bad)
	require.NoError(t, h.Send(system.ValidateAssets{Last: true}))
	h.fromClient(reliably, pack(field{7, 4}, field{0, 5}, field{1, 1})...)
	require.Equal(t, uint64(1), files.server.Stats().OutOfTurn)
	require.Equal(t, system.StageFiles, h.player().Stage())
}

// The same of what a server sends.
func TestAClientIgnoresWhatIsOutOfTurn(t *testing.T) {
	g := newWorld(t).join()
	for i, message := range []system.DownloadWorkshopFiles{{List: true}, {Chunk: true, Data: []byte{1}}} {
		b, err := (&message).Append(nil)
		require.NoError(t, err)
		g.fromHost(reliably, b...)
		require.Equal(t, uint64(i+1), g.Stats().OutOfTurn)
	}
	g.fromHost(reliably, acceptance()...)
	g.fromHost(reliably, 8)
	g.fromHost(reliably, pack(field{16, 5}, field{3, 8})...)
	g.fromHost(reliably, pack(field{13, 5}, field{99, 16})...)
	require.Equal(t, uint64(6), g.Stats().OutOfTurn)
	require.Equal(t, uint16(1), g.ID())
	require.Empty(t, g.news)

	early := alone(t, system.PromptFlow)
	early.fromHost(reliably, newcomer(9)...)
	for _, bad := range []system.DownloadWorkshopFiles{
		{List: true, First: 1, Total: 2, Files: make([]system.WorkshopFile, 1)},
		{List: true, Total: 1, Files: make([]system.WorkshopFile, 2)},
		{List: true, Total: 1},
	} {
		b, err := (&bad).Append(nil)
		require.NoError(t, err)
		early.fromHost(reliably, b...)
	}
	require.Equal(t, uint64(4), early.Stats().OutOfTurn)
	b, err := (&system.DownloadWorkshopFiles{Chunk: true, Data: []byte{1}}).Append(nil)
	require.NoError(t, err)
	early.fromHost(reliably, b...)
	require.Equal(t, uint64(1), early.Stats().Chunks)
	require.Equal(t, system.StageFiles, early.Stage())
}

func TestEachPlayerHasABlockOfItsOwn(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		g := w.join()
		require.Equal(t, system.NetID(1+17*i), g.player().NetID(), fmt.Sprint(i))
	}
}
