package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// TestImpairmentsCombine is for the mistake of a simulator in which one option bypasses another: each of four alone and
// all combinations must show their own rates, in both directions, by the counters and by what is really seen.
func TestImpairmentsCombine(t *testing.T) {
	for set := 1; set < 16; set++ {
		loss, delay, dup, reorder := set&1 != 0, set&2 != 0, set&4 != 0, set&8 != 0
		t.Run(fmt.Sprintf("loss=%t,delay=%t,dup=%t,reorder=%t", loss, delay, dup, reorder), func(t *testing.T) {
			var c sim.Conditions
			if loss {
				c.Loss = sim.Percent(20)
			}
			if delay {
				c.Delay, c.Jitter = 50*time.Millisecond, 10*time.Millisecond
			}
			if dup {
				c.Duplicate, c.DuplicateDelay = sim.Percent(5), time.Millisecond
			}
			if reorder {
				c.Reorder, c.ReorderDelay = sim.Percent(5), 200*time.Millisecond
			}
			runCombination(t, c)
		})
	}
}

func runCombination(t *testing.T, c sim.Conditions) {
	const packets = 100_000
	p := newPair(uint64(t.Name()[len(t.Name())-1]), c)
	p.nw.SetLink(p.host, p.client, c)
	there, back := newOnlooker(p.client, packets), newOnlooker(p.host, packets)
	p.nw.Watch(there.event)
	p.nw.Watch(back.event)
	reply := p.clientAddr()
	for i := range packets {
		p.send(t, i, i+1)
		sendNumber(t, i, p.h, reply)
		p.nw.RunFor(20 * time.Microsecond)
		drain(t, p.h)
		drain(t, p.c)
	}
	p.nw.RunFor(time.Second)
	drain(t, p.h)
	drain(t, p.c)

	requireBooks(t, p.nw)
	there.check(t, c, p.counts())
	back.check(t, c, p.nw.LinkCounts(p.host, p.client))
}

// onlooker counts by itself what arrives of the numbers that one node sends.
type onlooker struct {
	node     *sim.Node
	sent     []int64
	copies   []uint8
	slow     uint64 // arrived later than without being held back
	extremes [2]int64
	copied   uint64
}

func newOnlooker(n *sim.Node, packets int) *onlooker {
	return &onlooker{node: n, sent: make([]int64, packets), copies: make([]uint8, packets), extremes: [2]int64{1 << 62, 0}}
}

func (o *onlooker) event(e sim.Event) {
	if e.From != o.node {
		return
	}
	i := numberOf(e.Payload)
	switch e.Kind {
	case sim.Sent:
		o.sent[i] = e.Time
	case sim.Delivered:
		o.arrived(i, e.Time-o.sent[i])
	}
}

func (o *onlooker) arrived(i int, latency int64) {
	o.copies[i]++
	switch {
	case o.copies[i] > 1:
		o.copied++
	case latency > 100*ms:
		o.slow++
	default:
		o.extremes = [2]int64{min(o.extremes[0], latency), max(o.extremes[1], latency)}
	}
}

func (o *onlooker) check(t *testing.T, c sim.Conditions, n sim.Counts) {
	t.Helper()
	arrived := uint64(0)
	for _, copies := range o.copies {
		if copies > 0 {
			arrived++
		}
	}
	require.EqualValues(t, len(o.sent), n.Sent)
	require.Equal(t, arrived, n.Sent-n.Lost())
	require.Equal(t, n.Drops[sim.DropLoss], n.Lost())
	require.Equal(t, o.copied, n.Duplicated)
	require.Equal(t, o.slow, n.HeldBack)
	require.Equal(t, n.Delivered, arrived+o.copied)
	require.Equal(t, n.Delivered, n.Read)
	rate := func(on sim.Probability, percent float64, part, whole uint64) {
		t.Helper()
		if on == 0 {
			percent = 0
		}
		requireShare(t, percent, part, whole)
	}
	rate(c.Loss, 20, n.Lost(), n.Sent)
	rate(c.Duplicate, 5, n.Duplicated, arrived)
	rate(c.Reorder, 5, n.HeldBack, arrived)
	require.Equal(t, c.Jitter == 0 && c.Reorder == 0, n.Reordered == 0)
	o.checkLatency(t, c)
}

// checkLatency wants the whole range of Delay and Jitter to be used, and nothing beyond.
func (o *onlooker) checkLatency(t *testing.T, c sim.Conditions) {
	t.Helper()
	least, most := int64(c.Delay-c.Jitter), int64(c.Delay+c.Jitter)
	require.GreaterOrEqual(t, o.extremes[0], least)
	require.LessOrEqual(t, o.extremes[1], most)
	require.InDelta(t, least, o.extremes[0], 0.01*float64(ms))
	require.InDelta(t, most, o.extremes[1], 0.01*float64(ms))
}
