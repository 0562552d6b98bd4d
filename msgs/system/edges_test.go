package system_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/wire"
)

func TestWithoutAQueueWhoComesToAFullServerIsRejected(t *testing.T) {
	flow := system.Flow{system.StageAuthenticate, system.StageAccept}
	short := func(c *system.ClientConfig) { c.Flow = flow }
	w := newWorld(t, flowOf(flow), func(c *system.ServerConfig) { c.MaxPlayers = 1 })
	first, second := w.join(short), w.dial(short)
	w.frames(5)
	require.Equal(t, system.ReasonFull, second.ending.Reason)
	first.Disconnect()
	w.frames(3)
	w.join(short)
}

func TestRightsMayBeGivenBeforeAPlayerIsAccepted(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) {
		verify := func(p *system.Player, _ *system.Authenticate, answer func(system.Verdict)) {
			p.Data = "known"
			answer(system.Verdict{OK: true})
		}
		c.Verify = verify
	})
	g := mute(w, system.PromptFlow)
	w.server.SetAdmin(g.player(), true)
	require.Empty(t, g.host.sent)
	g.end.lose = nil
	g.fromClient(reliably, authentication64()...)
	g.fromClient(reliably, 0x10)
	w.frames(3)
	require.Equal(t, "known", g.player().Data)
	require.True(t, g.player().Admin())
}

// More messages than wait for a frame come in one: none is lost.
func TestAFrameHandlesAllThatHasComeIn(t *testing.T) {
	const many = 10_000 // the queue of a router has 4,096 places
	atServer, atClient := 0, 0
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Handlers = []msgs.Handler{msgs.OnFrame(func(*msgs.In, *system.ClientThirdPartyAntiCheat) { atServer++ })}
	})
	g := w.join(func(c *system.ClientConfig) {
		c.Handlers = []msgs.Handler{msgs.OnFrame(func(*msgs.In, *system.HostThirdPartyAntiCheat) { atClient++ })}
	})
	for range many {
		require.NoError(t, g.Send(system.ClientThirdPartyAntiCheat{}))
		require.NoError(t, w.server.Send(g.player(), system.HostThirdPartyAntiCheat{}))
	}
	w.frames(1)
	require.Equal(t, []int{many, many}, []int{atServer, atClient})
}

func TestACallOfAMethodThatThereIsNotIsAnError(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = 2 })
	g := w.join(func(c *system.ClientConfig) { c.ServerMethods = 2 })
	for _, index := range []int{-1, 2} {
		require.ErrorIs(t, g.Invoke(reliably, index, nil), wire.ErrRange)
		require.ErrorIs(t, w.server.Invoke(w.server.Playing(), reliably, index, nil), wire.ErrRange)
	}
	require.Empty(t, g.end.sent)
}

func TestTheWidthOfAnIndexIsThatOfTheNumberOfMethods(t *testing.T) {
	for n, bits := range map[int]int{1: 1, 2: 2, 100: 7, 127: 7, 128: 8, 150: 8, 255: 8, 256: 9} {
		w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = n })
		g := w.join()
		require.NoError(t, w.server.Invoke(w.server.Playing(), reliably, n-1, func(w *wire.BitWriter) { w.Bool(true) }))
		require.Equal(t, [][]byte{pack(field{17, 5}, field{uint64(n - 1), bits}, field{1, 1})}, g.host.payloads(), "%d methods", n)
	}
}

// breaking is a file of the server that can break, and is closed.
type breaking struct {
	io.ReaderAt
	closed *int
}

func (b breaking) Close() error { *b.closed++; return nil }

type nothing struct{}

func (nothing) ReadAt([]byte, int64) (int, error) { return 0, errBroken }

func TestAFileOfTheServerThatBreaksRejects(t *testing.T) {
	s, closed := newShelf(3000), 0
	w := newWorld(t, s.serve, func(c *system.ServerConfig) {
		c.Open = func(uint64) io.ReaderAt { return breaking{nothing{}, &closed} }
	})
	g := w.dial((&store{}).use)
	w.frames(5)
	require.Equal(t, []any{system.EndRejected, system.ReasonFiles}, []any{g.ending.Cause, g.ending.Reason})
	require.Equal(t, 1, closed)
}

// frail is a file of the client that fails to be written, or read again, and is closed.
type frail struct {
	*stored
	write, read error
	closed      *int
}

func (f frail) Close() error { *f.closed++; return nil }

func (f frail) WriteAt(b []byte, at int64) (int, error) {
	if f.write != nil {
		return 0, f.write
	}
	return f.stored.WriteAt(b, at)
}

func (f frail) ReadAt(b []byte, at int64) (int, error) {
	if f.read != nil {
		return 0, f.read
	}
	return f.stored.ReadAt(b, at)
}

type frailStore struct {
	store
	write, read error
	closed      int
}

func (s *frailStore) Open(f system.WorkshopFile) (system.File, error) {
	_, _ = s.store.Open(f)
	return frail{&stored{&s.store, f.ID}, s.write, s.read, &s.closed}, nil
}

func TestAFileOfTheClientThatBreaksEndsTheDownloadOrBeginsItAnew(t *testing.T) {
	s := newShelf(3000)
	w := newWorld(t, s.serve)
	full := &frailStore{write: errors.New("disk full")}
	g := w.dial(func(c *system.ClientConfig) { c.Store = full })
	w.frames(5)
	require.Equal(t, system.EndFiles, g.ending.Cause)
	require.ErrorContains(t, g.ending.Err, "file 1 cannot be kept: disk full")
	require.Equal(t, 1, full.closed)

	unreadable := &frailStore{read: errBroken}
	unreadable.content = map[uint64][]byte{1: make([]byte, 100)}
	g = w.dial(func(c *system.ClientConfig) { c.Store = unreadable })
	w.frames(10)
	require.True(t, g.Playing())
	require.Equal(t, s.content, unreadable.content)
	require.Equal(t, 1, unreadable.closed)
}

func TestLegacyChunksThatAreCopiedOrContradictThemselvesAreLeftOut(t *testing.T) {
	var r system.LegacyReceiver
	last := []byte{1, 0, 1, 2, 'b'}
	require.Nil(t, r.Receive(true, last, 0, 5))
	require.Nil(t, r.Receive(true, last, 0, 5))
	require.Zero(t, r.Malformed)
	require.Nil(t, r.Receive(true, []byte{1, 0, 2, 3, 'c'}, 0, 5), "of as many chunks before")
	require.Equal(t, uint64(1), r.Malformed)
}

func TestTheOldestOfTooManyLegacyMessagesIsPushedOut(t *testing.T) {
	var r system.LegacyReceiver
	half := func(sequence, index byte) []byte {
		chunk := append([]byte{sequence, 0, index, 2}, make([]byte, 1024)...)
		return r.Receive(false, chunk, 0, len(chunk))
	}
	for sequence := range byte(5) {
		require.Nil(t, half(sequence, 0))
	}
	for _, sequence := range []byte{4, 3, 2, 1} {
		require.Len(t, half(sequence, 1), 2048, sequence)
	}
	require.Nil(t, half(0, 1), "its first half has gone")
	require.Equal(t, uint64(1), r.Incomplete)
}

func TestALegacyChunkOfMoreThan1024BytesIsMalformed(t *testing.T) {
	var r system.LegacyReceiver
	for size, malformed := range map[int]uint64{1024: 0, 1025: 1} {
		r.Malformed = 0
		chunk := append([]byte{byte(size), 0, 0, 1}, make([]byte, size)...)
		r.Receive(true, chunk, 0, len(chunk))
		require.Equal(t, malformed, r.Malformed, size)
	}
}

func TestASampleEndsEvenIfTheHandlerPanics(t *testing.T) {
	p := &profile{}
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Profiler, c.Methods = p, calls(1)
		c.Methods[0] = system.Method{Name: "Door.Toggle", Handle: func(*system.Call) { panic("no door") }}
		c.Verify = func(_ *system.Player, m *system.Authenticate, answer func(system.Verdict)) {
			if answer(system.Verdict{OK: true}); m.Account == 100 {
				panic("no database")
			}
		}
	})
	g := w.join()
	require.Contains(t, p.notes, "} Server.Authenticate")
	p.notes = nil
	g.fromClient(reliably, pack(field{6, 4}, field{0, 1})...)
	require.Equal(t, []string{"Server.InvokeMethod {", "Door.Toggle {", "} Door.Toggle", "} Server.InvokeMethod"}, p.notes)
}
