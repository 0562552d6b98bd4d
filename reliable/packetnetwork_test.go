package reliable

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// T33: sequences of 16 bits and low bits of packet numbers go round.
func TestSequencesAndNumbersGoRoundUnderLoss(t *testing.T) {
	for _, row := range []struct {
		mode             Mode
		burst, unread    int
		window, furthest int // sequences: at the end, and ahead of the oldest that is unacked
	}{{ReliableOrdered, 100, 1000, 1024, 100}, {ReliableUnordered, 100, 1000, 1024, 100}, {ReliableOrdered, 3000, 5000, 4096, 3000}, {ReliableUnordered, 3000, 5000, 4096, 3000}} {
		w := newDuplex(t, Config{SendCeiling: -1, UnreadMessages: row.unread})
		r := rand.New(rand.NewPCG(33, 0))
		lose := func([]byte) bool { return r.IntN(5) == 0 }
		const n = 70_000
		got, sent, furthest := make([]bool, n), 0, 0
		for sent < n {
			for range row.burst {
				if sent < n && w.ends[0].Send(w.now, []byte(fmt.Sprint(sent)), SendOptions{Mode: row.mode}) == nil {
					sent++
				}
			}
			w.pump()
			stream := &w.ends[0].queue.streams[0]
			furthest = max(furthest, int(stream.next-stream.oldest))
			tick(t, w, 10*ms, lose, got)
		}
		for range 200 {
			tick(t, w, 10*ms, nil, got)
		}
		require.NotContains(t, got, false)
		require.GreaterOrEqual(t, furthest, row.furthest)
		require.EqualValues(t, row.window, w.ends[1].packets.streams[0].span)
		require.Equal(t, int32(n), w.ends[0].queue.streams[0].oldest)
	}
}

// tick is carry for messages that are numbers, each of which must come once.
func tick(t *testing.T, w *world, d time.Duration, lose func([]byte) bool, got []bool) {
	for _, text := range w.carry(d, lose) {
		var n int
		_, err := fmt.Sscan(text, &n)
		require.NoError(t, err)
		require.False(t, got[n], "%d came twice", n)
		got[n] = true
	}
}

// T32: no ack arrives for five seconds.
func TestAcksThatAreLostForSecondsDelayNothing(t *testing.T) {
	w := newDuplex(t, Config{})
	const n = 150
	var read []string
	for i := range n {
		require.NoError(t, w.ends[0].Send(w.now, []byte(fmt.Sprint(i)), SendOptions{Mode: ReliableOrdered}))
		w.pump()
		w.air[1] = nil
		for _, d := range w.air[0] {
			w.ends[1].HandleDatagram(w.now, d)
		}
		w.air[0] = nil
		w.pump()
		for ev, ok := w.ends[1].PollEvent(); ok; ev, ok = w.ends[1].PollEvent() {
			if ev.Kind == EventMessage {
				read = append(read, string(ev.Payload))
				w.ends[1].Recycle(ev.Payload)
			}
		}
		w.now += int64(33 * ms)
	}
	require.Equal(t, numbers(n), read)
	w.air[1] = nil
	require.Empty(t, w.carry(500*ms, nil))
	require.Zero(t, w.ends[0].Stats().InFlight)
	sent := w.ends[0].Stats().DatagramsSent
	w.carry(900*ms, nil)
	require.LessOrEqual(t, w.ends[0].Stats().DatagramsSent-sent, uint64(1), "a heartbeat")
}

// B86: large and small messages in turn, both ways, under loss.
func TestLargeAndSmallMessagesInTurnArriveInOrder(t *testing.T) {
	w := newDuplex(t, Config{})
	r := rand.New(rand.NewPCG(86, 0))
	lose := func([]byte) bool { return r.IntN(20) == 0 }
	var want, read []string
	for round := range 40 {
		for i, size := range []int{10, 3000, 10, 3000, 100_000, 10, 10, 10} {
			text := fmt.Sprintf("%d.%d.", round, i) + strings.Repeat("x", size)
			for _, e := range w.ends {
				require.NoError(t, e.Send(w.now, []byte(text), SendOptions{Mode: ReliableOrdered}))
			}
			want = append(want, text)
		}
		w.pump()
		read = append(read, w.carry(60*ms, lose)...)
	}
	read = append(read, w.carry(2*time.Second, nil)...)
	require.Equal(t, len(want), len(read))
	for i := range want {
		require.True(t, want[i] == read[i], "message %d", i)
	}
}

// B83, B84: lossy messages in fragments that cross, double and get lost are intact or absent, and leave nothing behind.
func TestLossyMessagesInFragmentsAreIntactOrAbsent(t *testing.T) {
	w := newDuplex(t, Config{})
	r := rand.New(rand.NewPCG(83, 0))
	came := 0
	for i := range 1000 {
		text := bytes.Repeat([]byte{byte(i)}, 4000+r.IntN(3000))
		require.NoError(t, w.ends[0].Send(w.now, text, SendOptions{Mode: Mode(i & 1), Channel: uint8(i % 3)}))
		w.pump()
		air := w.air[0]
		if len(air) > 0 && r.IntN(10) == 0 {
			air = append(air, air[0])
		}
		r.Shuffle(len(air), func(a, b int) { air[a], air[b] = air[b], air[a] })
		w.air[0] = air
		for _, text := range w.carry(5*ms, func([]byte) bool { return r.IntN(8) == 0 }) {
			require.Equal(t, strings.Repeat(text[:1], len(text)), text)
			came++
		}
		require.LessOrEqual(t, len(w.ends[1].packets.sets), maxSets)
	}
	require.Greater(t, came, 300)
	w.carry(11*time.Second, nil)
	require.Empty(t, w.ends[1].packets.sets)
	require.Zero(t, w.ends[1].pool.Outstanding())
	require.NoError(t, w.ends[0].Send(w.now, make([]byte, 50_000), SendOptions{}))
	w.pump()
	require.Len(t, w.carry(time.Second, nil), 1)
}
