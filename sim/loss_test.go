package sim_test

import (
	"bytes"
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestLossAloneHasItsRate(t *testing.T) {
	for _, percent := range []float64{0, 0.5, 20, 100} {
		p := newPair(3, sim.Conditions{Loss: sim.Percent(percent)})
		got := p.spread(t, 100_000, time.Microsecond)
		c := p.counts()
		requireShare(t, percent, c.Drops[sim.DropLoss], c.Sent)
		require.EqualValues(t, len(got), c.Sent-c.Lost())
		requireBooks(t, p.nw)
	}
}

func TestBurstsHaveTheirLengthAndAverage(t *testing.T) {
	for _, want := range []sim.Burst{{Average: sim.Percent(5), Length: 3}, {Average: sim.Percent(20), Length: 10},
		{Average: sim.Percent(1), Length: 1}, {Average: sim.Percent(50), Length: 2}} {
		p := newPair(4, sim.Conditions{Burst: want})
		const packets = 100_000
		got := p.spread(t, packets, time.Microsecond)
		lost, runs := gaps(got, packets)
		require.Equal(t, p.counts().Drops[sim.DropBurst], lost)
		requireShare(t, 100*float64(want.Average)/float64(sim.Always), lost, packets)
		require.InEpsilon(t, want.Length, float64(lost)/float64(runs), 0.05)
	}
}

// gaps counts the numbers below n that are missing in got, which is in order, and the runs that they form.
func gaps(got []int, n int) (missing, runs uint64) {
	next := 0
	for _, i := range append(got, n) {
		if i > next {
			missing += uint64(i - next)
			runs++
		}
		next = i + 1
	}
	return missing, runs
}

func TestBurstThatCoversEverythingLosesEverything(t *testing.T) {
	p := newPair(4, sim.Conditions{Burst: sim.Burst{Average: sim.Always, Length: 3}})
	require.Empty(t, p.spread(t, 1000, 0))
}

func TestMaskLosesTheSetBitsAndRotates(t *testing.T) {
	const mask uint64 = 0b1011 | 1<<63
	p := newPair(1, sim.Conditions{Mask: mask})
	var want []int
	for i := range 200 {
		if mask>>(i%64)&1 == 0 {
			want = append(want, i)
		}
	}
	require.Equal(t, want, p.spread(t, 200, 0))
	require.EqualValues(t, 3*4+3, p.counts().Drops[sim.DropMask])

	p.nw.SetLink(p.client, p.host, sim.Conditions{Mask: 1})
	require.Equal(t, []int{1, 2}, p.spread(t, 3, 0), "a new mask starts at its first bit")
}

func TestDropFunctionSeesThePayloadAsSent(t *testing.T) {
	third := func(payload []byte) bool { return numberOf(payload) == 3 }
	p := newPair(1, sim.Conditions{Drop: third, Corrupt: sim.Always})
	require.Len(t, p.spread(t, 5, 0), 4)
	require.EqualValues(t, 1, p.counts().Drops[sim.DropFilter])
}

func TestCutIsABlackHoleInOneDirection(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond})
	p.send(t, 0, 1)
	p.nw.Cut(p.client, p.host)
	p.send(t, 1, 3)
	sendNumber(t, 7, p.h, p.clientAddr())
	p.nw.RunFor(time.Second)
	require.Equal(t, []int{0}, p.receive(t), "what was on its way arrives")
	require.Equal(t, []int{7}, drain(t, p.c))
	require.EqualValues(t, 2, p.counts().Drops[sim.DropCut])

	p.nw.Heal(p.client, p.host)
	p.send(t, 3, 4)
	p.nw.RunFor(time.Second)
	require.Equal(t, []int{3}, p.receive(t))
	requireBooks(t, p.nw)
}

func TestMTUIsABlackHoleAboveItsSize(t *testing.T) {
	p := newPair(1, sim.Conditions{MTU: 1199})
	require.NoError(t, p.c.Write(make([]byte, 1199), p.to, addrNone))
	require.NoError(t, p.c.Write(make([]byte, 1200), p.to, addrNone))
	p.nw.RunFor(0)
	require.Equal(t, 1, p.h.Waiting())
	require.EqualValues(t, 1, p.counts().Drops[sim.DropMTU])
	requireBooks(t, p.nw)
}

func TestDuplicatesFollowTheOriginal(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond, Duplicate: sim.Percent(5), DuplicateDelay: 3 * time.Millisecond})
	arrivals := map[int][]int64{}
	p.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Delivered {
			arrivals[numberOf(e.Payload)] = append(arrivals[numberOf(e.Payload)], e.Time)
		}
	})
	p.spread(t, 100_000, time.Microsecond)
	require.Len(t, arrivals, 100_000)
	copied := uint64(0)
	for i, times := range arrivals {
		if len(times) > 1 {
			require.Equal(t, 3*ms, times[1]-times[0], i)
			copied++
		}
	}
	require.Equal(t, p.counts().Duplicated, copied)
	requireShare(t, 5, copied, 100_000)
	require.Zero(t, p.counts().Reordered, "copies are not datagrams out of order")
	requireBooks(t, p.nw)
}

// damaged sends n datagrams of that size and gives what arrives.
func damaged(t *testing.T, c sim.Conditions, n, size int) (*pair, [][]byte) {
	p := newPair(9, c)
	sent := bytes.Repeat([]byte{0x55}, size)
	var got [][]byte
	for range n {
		require.NoError(t, p.c.Write(sent, p.to, addrNone))
		p.nw.RunFor(time.Microsecond)
		k, _, _, err := p.h.TryRead(p.buf[:])
		require.NoError(t, err)
		got = append(got, bytes.Clone(p.buf[:k]))
	}
	requireBooks(t, p.nw)
	return p, got
}

func TestCorruptionFlipsBits(t *testing.T) {
	for _, flips := range []int{0, 3} {
		p, got := damaged(t, sim.Conditions{Corrupt: sim.Percent(30), CorruptBits: flips}, 20_000, 64)
		corrupted := uint64(0)
		for _, b := range got {
			require.Len(t, b, 64)
			if n := flipped(b); n > 0 {
				require.LessOrEqual(t, n, max(1, flips))
				corrupted++
			}
		}
		require.InDelta(t, p.counts().Corrupted, corrupted, 50, "two flips may hit one bit")
		requireShare(t, 30, p.counts().Corrupted, 20_000)
	}
}

func flipped(b []byte) int {
	n := 0
	for _, octet := range b {
		n += bits.OnesCount8(octet ^ 0x55)
	}
	return n
}

func TestTruncationCutsToEveryShorterLength(t *testing.T) {
	p, got := damaged(t, sim.Conditions{Truncate: sim.Percent(30)}, 20_000, 20)
	lengths := map[int]uint64{}
	for _, b := range got {
		lengths[len(b)]++
		require.Zero(t, flipped(b))
	}
	require.Len(t, lengths, 21)
	require.Equal(t, 20_000-p.counts().Truncated, lengths[20])
	requireShare(t, 30, p.counts().Truncated, 20_000)
}

func TestExtensionAppendsBytes(t *testing.T) {
	p, got := damaged(t, sim.Conditions{Extend: sim.Percent(30), ExtendBytes: 5}, 20_000, 20)
	lengths := map[int]uint64{}
	for _, b := range got {
		lengths[len(b)]++
		require.Zero(t, flipped(b[:20]))
	}
	require.Len(t, lengths, 6)
	require.Equal(t, 20_000-p.counts().Extended, lengths[20])
	requireShare(t, 30, p.counts().Extended, 20_000)
}

func TestDamageToExtremeSizesStaysWithinThem(t *testing.T) {
	all := sim.Conditions{Corrupt: sim.Always, Truncate: sim.Percent(50), Extend: sim.Percent(50)}
	for _, size := range []int{0, 1, sim.MaxPayload} {
		_, got := damaged(t, all, 200, size)
		for _, b := range got {
			require.LessOrEqual(t, len(b), min(size+64, sim.MaxPayload))
		}
	}
}

func TestLostDatagramsAreNotCountedAsDamaged(t *testing.T) {
	p := newPair(1, sim.Conditions{Loss: sim.Always, Corrupt: sim.Always, Duplicate: sim.Always, Reorder: sim.Always})
	p.spread(t, 100, 0)
	c := p.counts()
	require.EqualValues(t, 100, c.Drops[sim.DropLoss])
	require.Zero(t, c.Corrupted+c.Duplicated+c.HeldBack)
}

func TestConditionsOutOfRangePanic(t *testing.T) {
	for _, c := range []sim.Conditions{{Delay: -1}, {Jitter: -1}, {Loss: sim.Always + 1}, {Burst: sim.Burst{Average: 1}},
		{Burst: sim.Burst{Average: sim.Percent(60), Length: 1}}, {Outage: sim.Outage{Average: 1}}, {MTU: -1}, {Police: 1}, {Rate: -1},
		{Rate: 1 << 50}} {
		require.Error(t, c.Validate())
		p := newPair(1, sim.Conditions{})
		require.Panics(t, func() { p.nw.SetLink(p.client, p.host, c) })
		require.Panics(t, func() { p.nw.SetDefault(c) })
	}
}
