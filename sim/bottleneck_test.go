package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

const headers = 28 // of IPv4 and UDP

// arrivals notes the times at which datagrams reach sockets.
func arrivals(nw *sim.Network) *[]int64 {
	times := new([]int64)
	nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Delivered {
			*times = append(*times, e.Time)
		}
	})
	return times
}

func sendSized(t *testing.T, p *pair, n, size int) {
	t.Helper()
	for range n {
		require.NoError(t, p.c.Write(make([]byte, size-headers), p.to, addrNone))
	}
}

func TestRateSpacesDatagramsByTheirSize(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 10 * time.Millisecond, Rate: 8_000_000}) // a byte each microsecond
	times := arrivals(p.nw)
	sendSized(t, p, 3, 1000)
	sendSized(t, p, 1, 500)
	p.nw.RunFor(time.Second)
	require.Equal(t, []int64{11 * ms, 12 * ms, 13 * ms, 13*ms + ms/2}, *times)
	requireBooks(t, p.nw)
}

func TestQueueDropsItsTail(t *testing.T) {
	p := newPair(1, sim.Conditions{Rate: 8_000_000, Queue: 3000})
	sendSized(t, p, 10, 1000)
	require.EqualValues(t, 6, p.counts().Drops[sim.DropQueue], "one is being sent, three wait")
	require.NoError(t, p.nw.Audit())
	p.nw.RunFor(time.Millisecond)
	sendSized(t, p, 2, 1000)
	require.EqualValues(t, 7, p.counts().Drops[sim.DropQueue])
	p.nw.RunFor(time.Second)
	require.EqualValues(t, 5, p.counts().Delivered)
	requireBooks(t, p.nw)
}

func TestLostDatagramsTakeCapacity(t *testing.T) {
	p := newPair(1, sim.Conditions{Rate: 8_000_000, Mask: 1})
	times := arrivals(p.nw)
	sendSized(t, p, 2, 1000)
	require.NoError(t, p.nw.Audit())
	p.nw.RunFor(time.Second)
	require.Equal(t, []int64{2 * ms}, *times)
	requireBooks(t, p.nw)
}

func TestCapacityStepTakesEffectOnWhatWaits(t *testing.T) {
	p := newPair(1, sim.Conditions{Rate: 8_000_000})
	times := arrivals(p.nw)
	sendSized(t, p, 4, 1000)
	p.nw.After(1500*time.Microsecond, func() { p.nw.SetLink(p.client, p.host, sim.Conditions{Rate: 800_000}) })
	p.nw.RunUntil(13 * ms)
	require.Equal(t, []int64{1 * ms, 2 * ms, 12 * ms}, *times)
	p.nw.SetLink(p.client, p.host, sim.Conditions{})
	sendSized(t, p, 1, 1000)
	p.nw.RunFor(time.Second)
	require.Equal(t, []int64{1 * ms, 2 * ms, 12 * ms, 22 * ms, 22 * ms}, *times, "nothing overtakes what waits")
}

func TestPolicerDropsWhatExceedsRateAndBurst(t *testing.T) {
	p := newPair(1, sim.Conditions{Rate: 8_000_000, Police: 3000})
	sendSized(t, p, 10, 1000)
	p.nw.RunFor(0)
	require.EqualValues(t, 3, p.counts().Delivered, "nothing waits")
	require.EqualValues(t, 7, p.counts().Drops[sim.DropPolice])
	p.nw.RunFor(2 * time.Millisecond)
	sendSized(t, p, 10, 1000)
	p.nw.RunFor(time.Second)
	require.EqualValues(t, 5, p.counts().Delivered)
	requireBooks(t, p.nw)
}

func TestSharedPolicerHasOneBucketForAllLinks(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	far := p.nw.Node("far")
	f, err := far.Listen(0)
	require.NoError(t, err)
	shared := p.nw.Policer(8_000_000, 3000)
	p.nw.SetLink(p.client, p.host, sim.Conditions{Through: shared})
	p.nw.SetLink(far, p.host, sim.Conditions{Through: shared})
	for range 5 {
		sendSized(t, p, 1, 1000)
		require.NoError(t, f.Write(make([]byte, 1000-headers), p.to, addrNone))
	}
	p.nw.RunFor(time.Second)
	delivered := p.nw.LinkCounts(p.client, p.host).Delivered + p.nw.LinkCounts(far, p.host).Delivered
	require.EqualValues(t, 3, delivered)
	require.Zero(t, shared.Queued())
	requireBooks(t, p.nw)
}

func TestSharedBottleneckServesLinksInTurn(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	near, far := p.client, p.nw.Node("far")
	f, err := far.Listen(0)
	require.NoError(t, err)
	b := p.nw.Bottleneck(8_000_000, 2000)
	p.nw.SetLink(near, p.host, sim.Conditions{Through: b, Delay: 1 * time.Millisecond})
	p.nw.SetLink(far, p.host, sim.Conditions{Through: b, Delay: 5 * time.Millisecond})
	times := arrivals(p.nw)
	for range 2 {
		sendSized(t, p, 1, 1000)
		require.NoError(t, f.Write(make([]byte, 1000-headers), p.to, addrNone))
	}
	require.Equal(t, 2000, b.Queued())
	require.Equal(t, 3*time.Millisecond, b.Wait())
	p.nw.RunFor(ms2(0.5))
	require.Equal(t, ms2(2.5), b.Wait())
	p.nw.RunFor(time.Second)
	require.Equal(t, []int64{2 * ms, 4 * ms, 7 * ms}, *times)
	require.Zero(t, b.Queued())
	require.Zero(t, b.Wait())
	require.EqualValues(t, 1, p.nw.LinkCounts(far, p.host).Drops[sim.DropQueue])

	b.Set(80_000_000, 0)
	start := p.nw.Now()
	sendSized(t, p, 5, 1000)
	p.nw.RunFor(time.Second)
	require.Equal(t, start+5*ms/10+1*ms, (*times)[7])
	requireBooks(t, p.nw)
}

// ms2 gives parts of milliseconds.
func ms2(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }

func TestRateCarriesWhatItPromises(t *testing.T) {
	p := newPair(1, sim.Conditions{Rate: 20_000_000, Queue: 125_000, Loss: sim.Percent(1)})
	for range 30_000 { // 24.6 Mbit/s for 12 s
		sendSized(t, p, 1, 1228)
		p.nw.RunFor(400 * time.Microsecond)
		p.receive(t)
	}
	carried := int64(p.counts().Delivered) * 1228 * 8 / 12
	require.InEpsilon(t, 20_000_000*0.99, carried, 0.005)
	require.Greater(t, p.counts().Drops[sim.DropQueue], uint64(5_000))
	require.NoError(t, p.nw.Audit())
}
