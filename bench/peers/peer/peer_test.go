package peer

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestADriverHasWhatASetupNeeds(t *testing.T) {
	d := Driver{Reliable: true, MaxMessage: 100, MaxClients: 10, Only: []Use{Sparse, Rooms}}
	fits := Setup{Use: Rooms, Lanes: []Promise{Reliable, Reliable}, Message: 100, Clients: 10}
	require.True(t, d.Has(fits))
	for _, change := range []func(*Setup){
		func(s *Setup) { s.Use = Bulk },
		func(s *Setup) { s.Lanes = []Promise{Reliable, Unreliable} },
		func(s *Setup) { s.Message = 101 },
		func(s *Setup) { s.Clients = 11 },
	} {
		s := fits
		change(&s)
		require.False(t, d.Has(s), "%+v", s)
	}
	require.True(t, (&Driver{Reliable: true}).Has(fits), "without limits")
}

// written is the messages that are read from a stream that a writer made.
func written(t *testing.T, gather int, messages [][]byte) (got []string) {
	near, far := net.Pipe()
	w := NewFrameWriter(near, gather)
	go func() {
		for i, m := range messages {
			for w.Send(i%2, m) == ErrFull {
				w.Await()
			}
		}
		for gather > 0 && w.waits() {
			w.Await()
		}
		w.Close()
		_ = near.Close()
	}()
	err := ReadFrames(far, Setup{Message: 5000}, func(lane int, m []byte) {
		got = append(got, fmt.Sprint(lane, " ", len(m), " ", bytes.Equal(m, messages[len(got)])))
	})
	require.ErrorIs(t, err, io.EOF)
	return got
}

// waits reports whether something is still to be written.
func (f *FrameWriter) waits() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.filling) > 0
}

func TestMessagesComeOutOfAStreamAsTheyWentIn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var messages [][]byte
	var want []string
	for i := range 500 {
		m := make([]byte, random.IntN(5001))
		for j := range m {
			m[j] = byte(random.Uint32())
		}
		messages, want = append(messages, m), append(want, fmt.Sprint(i%2, " ", len(m), " ", true))
	}
	require.Equal(t, want, written(t, 0, messages), "one by one")
	got := written(t, 8<<10, messages)
	require.Equal(t, want, got, "gathered")
}

func TestAMessageAboveTheLimitEndsTheStream(t *testing.T) {
	stream := AppendFrame(nil, 0, make([]byte, 101))
	err := ReadFrames(bytes.NewReader(stream), Setup{Message: 100}, func(int, []byte) { t.Error("handed out") })
	require.ErrorIs(t, err, io.ErrShortBuffer)
}

func TestAStreamThatEndsWithinAMessageHandsOutNoPart(t *testing.T) {
	stream := AppendFrame(nil, 0, []byte("message"))
	for n := range stream {
		err := ReadFrames(bytes.NewReader(stream[:n]), Setup{Message: 100}, func(int, []byte) { t.Error("handed out") })
		require.ErrorIs(t, err, io.EOF)
	}
}

func TestAFullWriterTakesNothing(t *testing.T) {
	near, far := net.Pipe() // nobody reads
	w := NewFrameWriter(near, 100)
	taken := 0
	for w.Send(0, make([]byte, 45)) == nil {
		taken++
	}
	require.LessOrEqual(t, taken, 4, "two that are being written, and two more")
	require.ErrorIs(t, w.Send(0, nil), ErrFull)
	w.Close()
	_ = far.Close()
	require.ErrorIs(t, w.Send(0, nil), io.ErrClosedPipe)
}
