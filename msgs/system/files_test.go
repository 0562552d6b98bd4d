package system_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
)

// shelf is the files of a server.
type shelf struct {
	files   []system.WorkshopFile
	content map[uint64][]byte
}

// newShelf makes files of so many bytes, with ids from 1 on.
func newShelf(sizes ...int) *shelf {
	s := &shelf{content: map[uint64][]byte{}}
	random := rand.NewChaCha8([32]byte{1})
	for i, size := range sizes {
		b := make([]byte, size)
		_, _ = random.Read(b)
		id := uint64(i + 1)
		s.content[id] = b
		s.files = append(s.files, system.WorkshopFile{ID: id, Size: uint32(size), Hash: sha256.Sum256(b)})
	}
	return s
}

func (s *shelf) serve(c *system.ServerConfig) {
	c.Files = s.files
	c.Open = func(id uint64) io.ReaderAt { return bytes.NewReader(s.content[id]) }
}

// store is the files of a client.
type store struct {
	content map[uint64][]byte
	opened  []uint64
	fails   error
}

func (s *store) use(c *system.ClientConfig) { c.Store = s }

func (s *store) Open(f system.WorkshopFile) (system.File, error) {
	if s.content == nil {
		s.content = map[uint64][]byte{}
	}
	if s.content[f.ID] == nil {
		s.content[f.ID] = []byte{}
	}
	s.opened = append(s.opened, f.ID)
	return &stored{s, f.ID}, s.fails
}

type stored struct {
	*store
	id uint64
}

func (s *stored) Size() int64 { return int64(len(s.content[s.id])) }

func (s *stored) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(s.content[s.id]).ReadAt(b, at)
}

func (s *stored) WriteAt(b []byte, at int64) (int, error) {
	s.content[s.id] = append(s.content[s.id][:at], b...)
	return len(b), nil
}

// piecesOf are the offsets of the pieces of files that were sent, and their bytes in all.
func piecesOf(payloads [][]byte) (offsets []uint32, size int) {
	for _, b := range payloads {
		var m system.DownloadWorkshopFiles
		if b[0]&31 == 7 && m.Parse(b) == nil && m.Chunk {
			offsets = append(offsets, m.Offset)
			size += len(m.Data)
		}
	}
	return offsets, size
}

func filesInPieces(t *testing.T) {
	const size = 200_000
	s := newShelf(size, 10)
	w := newWorld(t, s.serve)
	var steps []system.Progress
	kept := &store{}
	g := w.dial(kept.use, func(c *system.ClientConfig) { c.Progress = func(p system.Progress) { steps = append(steps, p) } })
	for len(steps) < 100 {
		w.frames(1)
	}
	offsets, _ := piecesOf(g.host.payloads())
	require.Equal(t, []uint32{0, 960, 1920}, offsets[:3])
	got := steps[len(steps)-1].Bytes
	require.Less(t, got, uint32(size))
	g.Disconnect()
	w.frames(3)

	g = w.dial(kept.use, func(c *system.ClientConfig) { c.Progress = func(p system.Progress) { steps = append(steps, p) } })
	w.frames(40)
	require.True(t, g.Playing())
	require.Equal(t, s.content, kept.content)
	offsets, sent := piecesOf(g.host.payloads())
	require.Equal(t, got, offsets[0], "it goes on where it was broken off")
	require.Equal(t, size+10-int(got), sent)
	last := steps[len(steps)-1]
	require.Equal(t, system.Progress{File: s.files[1], Index: 1, Files: 2, Bytes: 10}, last)
}

func TestNoMoreOfAFileIsUnderWayThanAWindow(t *testing.T) {
	w := newWorld(t, newShelf(1<<20).serve)
	g := w.dial((&store{}).use)
	g.host.delay = time.Hour // the client gets nothing
	w.frames(2)
	g.fromClient(reliably, pack(field{0, 4}, field{0, 1}, field{1, 1}, field{0, 32}, field{1, 32}, field{0, 32})...)
	w.frames(200)
	_, size := piecesOf(g.host.payloads())
	require.InDelta(t, 64<<10, size, 960)
	g.host.room = 0
	g.fromClient(reliably, pack(field{0, 4}, field{0, 1}, field{1, 1}, field{0, 32}, field{1, 32}, field{0, 32})...)
	w.frames(5)
	require.Empty(t, without(ids(g.host.payloads(), 5), 2, 3), "nothing while the queue is nearly full")
	g.host.room, g.host.proves = 1<<20, false
	for range 1000 { // however often it asks within a frame
		g.fromClient(reliably, pack(field{0, 4}, field{0, 1}, field{1, 1}, field{0, 32}, field{1, 32}, field{0, 32})...)
	}
	w.frames(1)
	_, size = piecesOf(g.host.payloads())
	require.InDelta(t, 64<<10, size, 960)
}

func TestAFileThatIsNotTheOneAnnouncedIsFetchedAnewOnce(t *testing.T) {
	s := newShelf(5000)
	w := newWorld(t, s.serve)
	spoilt := &store{content: map[uint64][]byte{1: make([]byte, 3000)}}
	g := w.dial(spoilt.use)
	w.frames(30)
	require.True(t, g.Playing(), "what an earlier download left was wrong")
	require.Equal(t, s.content, spoilt.content)

	s.content[1][4999] ^= 1 // now it is the server's that is wrong
	g = w.dial((&store{}).use)
	w.frames(30)
	require.Equal(t, system.EndFiles, g.ending.Cause)
	require.ErrorContains(t, g.ending.Err, "file 1 is not what the server announced")
}

func TestADownloadThatCannotBeEndsTheSession(t *testing.T) {
	s := newShelf(5000)
	w := newWorld(t, s.serve)
	for want, change := range map[string]func(*system.ClientConfig){
		"there is no Store":                func(*system.ClientConfig) {},
		"above MaxDownload":                func(c *system.ClientConfig) { c.Store, c.MaxDownload = &store{}, 4999 },
		"file 1 cannot be kept: disk full": func(c *system.ClientConfig) { c.Store = &store{fails: errors.New("disk full")} },
	} {
		g := w.dial(change)
		w.frames(10)
		require.NotNil(t, g.ending, want)
		require.Equal(t, system.EndFiles, g.ending.Cause)
		require.ErrorContains(t, g.ending.Err, want)
	}
	unread := newWorld(t, s.serve, func(c *system.ServerConfig) { c.Open = func(uint64) io.ReaderAt { return nil } })
	g := unread.dial((&store{}).use)
	unread.frames(10)
	require.Equal(t, system.ReasonFiles, g.ending.Reason)
}

func TestAListOf255FilesComesInParts(t *testing.T) {
	s := newShelf(make([]int, 255)...)
	w := newWorld(t, s.serve)
	kept := &store{}
	g := w.dial(kept.use)
	w.frames(600)
	require.True(t, g.Playing())
	require.Len(t, kept.opened, 255)
}

// numbered is a legacy message of so many bytes.
func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

func legacyChunks(t *testing.T) {
	w := newWorld(t)
	var receiver system.LegacyReceiver
	var got [2][][]byte
	g := w.join(func(c *system.ClientConfig) {
		c.Legacy = func(reliable bool, packet []byte, offset, size int) {
			i := 0
			if reliable {
				i = 1
			}
			if whole := receiver.Receive(reliable, packet, offset, size); whole != nil {
				got[i] = append(got[i], whole)
			}
		}
	})
	sender := system.LegacySender{}
	for _, n := range []int{2500, 1024, 0} {
		require.NoError(t, sender.Send(g.player().Peer(), true, numbered(n)))
		require.NoError(t, sender.Send(g.player().Peer(), false, numbered(n)))
	}
	sent := g.host.payloads()
	require.Equal(t, []byte{0, 0, 0, 0, 3}, sent[0][:5], "id, sequence, index, count")
	require.Equal(t, []byte{0, 0, 0, 2, 3}, sent[2][:5])
	require.Equal(t, []int{1029, 1029, 457}, []int{len(sent[0]), len(sent[1]), len(sent[2])})
	require.Equal(t, []byte{1, 0, 0, 0, 3}, sent[3][:5], "the variant that may be lost counts by itself")
	require.Equal(t, []byte{0, 1, 0, 0, 1}, sent[6][:5], "the next sequence")
	w.frames(2)
	want := [][]byte{numbered(2500), numbered(1024), numbered(0)}
	require.Equal(t, [2][][]byte{want, want}, got)

	reordered := [][]byte{{1, 0, 1, 2, 'b'}, append([]byte{1, 0, 0, 2}, numbered(1024)...)}
	require.Nil(t, receiver.Receive(false, reordered[0], 0, 5))
	require.Equal(t, append(numbered(1024), 'b'), receiver.Receive(false, reordered[1], 0, 1028))
	for i := range byte(5) { // one more than it keeps
		require.Nil(t, receiver.Receive(false, []byte{10 + i, 0, 1, 2, 'b'}, 0, 5))
	}
	require.Equal(t, uint64(1), receiver.Incomplete)
	for _, bad := range [][]byte{{}, {1, 0, 2, 2, 1}, {1, 0, 0, 0}, {1, 0, 0, 2, 'a'}, make([]byte, 1029)} {
		require.Nil(t, receiver.Receive(true, bad, 0, len(bad)))
	}
	require.Equal(t, uint64(5), receiver.Malformed)
	require.ErrorIs(t, sender.Send(g.player().Peer(), true, make([]byte, 255*1024+1)), system.ErrLegacyTooLarge)
}

func wholeMessages(t *testing.T) {
	w := newWorld(t)
	var got [][]byte
	g := w.join(func(c *system.ClientConfig) {
		c.Legacy = func(_ bool, packet []byte, offset, size int) { got = append(got, packet[offset:][:size]) }
	})
	large := numbered(500_000)
	var tooLarge *transport.TooLargeError
	require.ErrorAs(t, system.SendLegacy(g.player().Peer(), true, large), &tooLarge, "nothing here splits it")
	g.host.limit = 1 << 20 // a transport that does
	require.NoError(t, system.SendLegacy(g.player().Peer(), true, large))
	require.Len(t, g.host.sent, 1)
	w.frames(2)
	require.Equal(t, [][]byte{large}, got)
}

func streams(t *testing.T) {
	messages := [][]byte{{8}, {}, numbered(300), numbered(1000)}
	var stream []byte
	for _, m := range messages {
		stream = system.AppendFrame(stream, m)
	}
	require.Equal(t, []byte{1, 0, 0, 0, 8, 0, 0, 0, 0, 44, 1, 0, 0}, stream[:13])
	for _, cut := range []int{1, 3, 4, 100, len(stream)} {
		frames := system.Frames{Limit: 1000}
		var got [][]byte
		for rest := stream; len(rest) > 0; rest = rest[min(cut, len(rest)):] {
			require.NoError(t, frames.Feed(rest[:min(cut, len(rest))]))
			for m, ok := frames.Next(); ok; m, ok = frames.Next() {
				got = append(got, append([]byte{}, m...))
			}
		}
		require.Equal(t, messages, got)
	}
	frames := system.Frames{Limit: 999}
	require.NoError(t, frames.Feed(stream[:20]))
	require.ErrorIs(t, frames.Feed([]byte{}), nil)
	frames = system.Frames{Limit: 999}
	require.ErrorIs(t, frames.Feed([]byte{0xE8, 3, 0, 0}), system.ErrFrameTooLarge)
	_, ok := frames.Next()
	require.False(t, ok)
}

// want asks for bytes of a file as a client does.
func (g *guest) want(file uint64, offset uint32) {
	b, err := (&system.GetWorkshopFiles{Want: true, File: file, Offset: offset}).Append(nil)
	require.NoError(g.w, err)
	g.fromClient(reliably, b...)
}

// downloading is a client that answers pings, and has the stage of the files to itself.
func downloading(w *world, change ...func(*system.ClientConfig)) *guest {
	g := w.dial(append(change, (&store{}).use)...)
	g.end.lose = func(b []byte, _ options) bool { return b[0]&15 != 5 && b[0]&15 != 2 }
	w.frames(2)
	require.Equal(w, system.StageFiles, g.player().Stage())
	return g
}

func TestAClientThatBeginsWithAFileAgainAndAgainRunsOutOfTime(t *testing.T) {
	opened := 0
	s := newShelf(100_000, 10)
	w := newWorld(t, s.serve, func(c *system.ServerConfig) {
		open := c.Open
		c.Open = func(id uint64) io.ReaderAt { opened++; return open(id) }
	})
	g := downloading(w)
	for range 10 {
		g.want(1, 0)
		w.pass(10 * time.Second)
	}
	require.Equal(t, system.ReasonTimeout, g.ending.Reason)
	require.Equal(t, 4, opened, "each file twice")
}

func TestAClientThatConfirmsAFileByteByByteRunsOutOfTime(t *testing.T) {
	w := newWorld(t, newShelf(100_000).serve)
	g := downloading(w)
	g.want(1, 0)
	for i := range uint32(10) {
		w.pass(5 * time.Second)
		g.want(1, i+1)
	}
	require.NotNil(t, g.ending)
	require.Equal(t, system.ReasonTimeout, g.ending.Reason)

	slow := downloading(w)
	slow.want(1, 0)
	for i := range uint32(3) {
		w.pass(10 * time.Second)
		slow.want(1, (i+1)*32<<10)
	}
	require.Nil(t, slow.ending, "who takes half a window goes on")
}

// What a large file of an earlier download takes is time in which the server hears nothing.
func TestWhatIsHereAlreadyIsReadInFewFrames(t *testing.T) {
	b := make([]byte, 32<<20)
	s := &shelf{[]system.WorkshopFile{{ID: 1, Size: uint32(len(b)), Hash: sha256.Sum256(b)}}, map[uint64][]byte{1: b}}
	w := newWorld(t, s.serve)
	g := w.dial((&store{content: map[uint64][]byte{1: b}}).use)
	w.frames(10)
	require.True(t, g.Playing())
}

// endless is a file of any size.
type endless struct{}

func (endless) ReadAt(b []byte, _ int64) (int, error) { return len(b), nil }

func TestAFileAboveTwoGigabytesIsSent(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) {
		c.Files = []system.WorkshopFile{{ID: 1, Size: math.MaxUint32}}
		c.Open = func(uint64) io.ReaderAt { return endless{} }
	})
	g := downloading(w, func(c *system.ClientConfig) { c.MaxDownload = math.MaxUint32 })
	g.host.sent = nil
	g.want(1, 0)
	w.frames(1)
	offsets, _ := piecesOf(g.host.payloads())
	require.Len(t, offsets, 69)
	g.want(1, math.MaxUint32-5)
	w.frames(1)
	_, size := piecesOf(g.host.payloads())
	require.Equal(t, 5, size)
}

// Whatever else a server sends, and however often, nothing of it comes into the file.
func TestOnlyThePieceThatIsNextIsTaken(t *testing.T) {
	s, kept := newShelf(2000), &store{}
	w := newWorld(t, s.serve)
	g := w.dial(kept.use)
	g.host.lose = func(b []byte, _ options) bool { return b[0]&31 == 7 } // they come from here
	send := func(m system.DownloadWorkshopFiles) {
		b, err := m.Append(nil)
		require.NoError(t, err)
		g.fromHost(reliably, b...)
	}
	piece := func(file uint64, offset uint32, data []byte) {
		send(system.DownloadWorkshopFiles{Chunk: true, File: file, Offset: offset, Data: data})
	}
	w.frames(3)
	send(system.DownloadWorkshopFiles{List: true, Total: 1, Files: s.files})
	send(system.DownloadWorkshopFiles{List: true, First: 1, Total: 2, Files: s.files})
	require.Equal(t, uint64(1), g.Stats().OutOfTurn, "a list does not grow")
	piece(1, 0, s.content[1][:960]) // before it has asked for it
	w.frames(3)
	right := s.content[1]
	piece(1, 960, right[960:1920])
	piece(2, 0, right[:960])
	piece(1, 0, nil)
	require.Empty(t, kept.content[1])
	piece(1, 0, right[:960])
	piece(1, 0, right[:960])
	piece(1, 960, right[960:1920])
	piece(1, 1920, make([]byte, 81)) // a byte beyond the size
	require.Equal(t, uint64(6), g.Stats().Chunks)
	require.Equal(t, right[:1920], kept.content[1])
	piece(1, 1920, right[1920:])
	w.frames(5)
	require.True(t, g.Playing())
	require.Equal(t, right, kept.content[1])
}
