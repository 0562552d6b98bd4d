package congestion

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// flow feeds a controller with what a path without a queue would: in each round trip all of the window is acked, in ten acks.
type flow struct {
	c   Controller
	now int64
	rtt int64
}

func (f *flow) trips(n int) {
	for range n {
		window := f.c.Window()
		for range 10 {
			f.now += f.rtt / 10
			f.c.Acked(f.now, Feedback{RTT: f.rtt, Acked: int(window / 10), Hungry: true})
		}
	}
}

func (f *flow) loses(bytes int) {
	f.now += f.rtt / 10
	f.c.Acked(f.now, Feedback{RTT: f.rtt, Lost: bytes, Hungry: true})
}

func packets(bytes int64) float64 { return float64(bytes) / Packet }

func TestCubicGrowsAsTheCurveOfTheRFC(t *testing.T) {
	c := NewCubic()
	f := &flow{c: c, now: second, rtt: 200 * millisecond}
	for c.Window() < 1000*Packet {
		f.trips(1)
	}
	most := packets(c.Window())
	f.loses(Packet)
	require.InDelta(t, 0.7*most, packets(c.Window()), 1, "beta is 0.7")
	f.trips(2) // fast recovery
	k := math.Cbrt(most * 0.3 / 0.4)
	began := f.now
	for range 100 {
		f.trips(1)
		at := float64(f.now-began)/1e9 + 0.2
		if want := 0.4*math.Pow(at-k, 3) + most; want > packets(c.reno)+1 {
			require.InDelta(t, want, packets(c.Window()), 0.02*want+2, "%v s after the loss", at)
		}
	}
	require.Greater(t, packets(c.Window()), most, "beyond the old maximum")
}

func TestCubicIsNotSlowerThanReno(t *testing.T) {
	c := NewCubic()
	f := &flow{c: c, now: second, rtt: 20 * millisecond}
	for c.Window() < 30*Packet {
		f.trips(1)
	}
	f.loses(Packet)
	f.trips(2)
	began := packets(c.Window())
	f.trips(10)
	require.InDelta(t, began+10*9.0/17, packets(c.Window()), 0.5, "alpha is 9/17 below the old maximum")
}

func TestCubicReducesOnceForTheLossesOfOneRoundTrip(t *testing.T) {
	c := NewCubic()
	f := &flow{c: c, now: second, rtt: 50 * millisecond}
	f.trips(4)
	f.loses(Packet)
	window := c.Window()
	for range 9 {
		f.loses(Packet)
	}
	require.Equal(t, window, c.Window())
	f.trips(1)
	f.loses(Packet)
	require.Less(t, c.Window(), window)
}

func TestCubicGivesUpTheMaximumFasterWhenItShrinks(t *testing.T) {
	c := NewCubic()
	f := &flow{c: c, now: second, rtt: 50 * millisecond}
	f.trips(6)
	f.loses(Packet)
	first := c.most
	f.trips(2)
	f.loses(Packet)
	require.Less(t, c.most, first*7/10, "below the window of the loss")
}

func TestCubicBeginsAnewAfterSilence(t *testing.T) {
	c := NewCubic()
	f := &flow{c: c, now: second, rtt: 50 * millisecond}
	f.trips(5)
	window := c.Window()
	c.Silence()
	require.EqualValues(t, 2*Packet, c.Window())
	require.True(t, c.starting())
	for c.starting() {
		f.trips(1)
	}
	require.InDelta(t, 0.7*packets(window), packets(c.Window()), 0.3*packets(window))
}

func TestRootsAreTheIntegerParts(t *testing.T) {
	for n := range int64(100_000) {
		r, c := root(n), cubeRoot(n)
		require.True(t, r*r <= n && (r+1)*(r+1) > n, "%d: %d", n, r)
		require.True(t, c*c*c <= n && (c+1)*(c+1)*(c+1) > n, "%d: %d", n, c)
	}
	require.Equal(t, int64(1<<31-1), root(1<<62-1))
	require.EqualValues(t, 2_000_000, cubeRoot(8e18))
}

func TestProductsDoNotOverflow(t *testing.T) {
	require.Equal(t, int64(1<<50), muldiv(1<<60, 1<<30, 1<<40))
	require.Equal(t, int64(math.MaxInt64), muldiv(1<<60, 1<<60, 1))
	require.Equal(t, int64(math.MaxInt64), muldiv(1<<62, 4, 1))
	require.EqualValues(t, 125_000, perSecond(6250, 50*millisecond))
	require.EqualValues(t, 6250, inTime(125_000, 50*millisecond))
}
