package congestion

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// pipe is a path that takes a rate and holds what is more in a queue without an end. It answers each packet after the round trip.
type pipe struct {
	c        Controller
	now      int64
	rate     int64 // bytes a second
	rtt      int64
	lose     func(i int) bool
	free     int64 // when the bottleneck has sent what it has
	paced    int64
	sent     int
	inFlight int64
	air      []packetInAir
	limited  bool // the sender has no more to send than half of the window
}

type packetInAir struct {
	acked, rtt int64
	lost       bool
}

// run lets time pass in steps of a tenth of a millisecond.
func (p *pipe) run(d int64) {
	for end := p.now + d; p.now < end; p.now += millisecond / 10 {
		f := Feedback{Hungry: !p.limited}
		for len(p.air) > 0 && p.air[0].acked <= p.now {
			a := p.air[0]
			p.air = p.air[1:]
			p.inFlight -= Packet
			if a.lost {
				f.Lost += Packet
			} else {
				f.Acked, f.RTT = f.Acked+Packet, a.rtt
			}
		}
		if f.Acked+f.Lost > 0 {
			p.c.Acked(p.now, f)
		}
		window := p.c.Window()
		if p.limited {
			window /= 2
		}
		for p.inFlight < window && p.paced <= p.now {
			p.paced = max(p.paced, p.now-millisecond) + Packet*second/max(1, p.c.Rate())
			p.free = max(p.free, p.now) + Packet*second/p.rate
			p.air = append(p.air, packetInAir{acked: p.free + p.rtt, rtt: p.free + p.rtt - p.now, lost: p.lose != nil && p.lose(p.sent)})
			p.inFlight += Packet
			p.sent++
		}
	}
}

func (p *pipe) queue() int64 { return max(0, p.free-p.now) }

func newPipe(c Controller) *pipe {
	return &pipe{c: c, now: second, rate: 2_500_000, rtt: 50 * millisecond}
}

func TestDelayFillsThePathAndHardlyItsQueue(t *testing.T) {
	p := newPipe(NewDelay())
	p.run(5 * second)
	before := p.sent
	p.run(5 * second)
	require.Greater(t, int64(p.sent-before)*Packet, 5*p.rate*95/100)
	require.Less(t, p.queue(), 4*millisecond)
}

func TestDelayDoesNotTakeLossesForCongestionThatComeAnyway(t *testing.T) {
	p := newPipe(NewDelay())
	p.lose = func(i int) bool { return i%10 == 9 }
	p.run(5 * second)
	before := p.sent
	p.run(5 * second)
	require.Greater(t, int64(p.sent-before)*Packet, 5*p.rate*90/100)
	require.False(t, p.c.Congested())
}

func TestDelayDoesNotGrowWhatIsNotUsed(t *testing.T) {
	p := newPipe(NewDelay())
	p.limited = true
	p.run(10 * second)
	require.EqualValues(t, initialWindow, p.c.Window())
}

func TestDelayKeepsTheWindowOfASenderThatGotSlower(t *testing.T) {
	p := newPipe(NewDelay())
	p.run(5 * second)
	window := p.c.Window()
	p.limited = true
	p.run(5 * second)
	require.LessOrEqual(t, p.c.Window(), window)
}

func TestDelayGrowsAWindowThatWasUsedInTheLastRoundTrip(t *testing.T) {
	steer := func(hungry func(i int) bool) int64 {
		d := NewDelay()
		d.trip.sample(0, 50*millisecond)
		d.begin(0, 50*Packet)
		for i := range 1000 {
			now := int64(i) * 2 * millisecond
			d.trip.sample(now, 50*millisecond)
			d.steer(now, Feedback{Acked: 2 * Packet, Hungry: hungry(i)})
		}
		return d.Window()
	}
	never := steer(func(int) bool { return false })
	first := steer(func(i int) bool { return i == 0 })
	now := steer(func(i int) bool { return i%16 == 0 })
	require.EqualValues(t, 50*Packet, never)
	require.Less(t, first, int64(52*Packet), "it was used for one round trip")
	require.Greater(t, now, int64(60*Packet))
}

func TestAFewLossesOfANewPathAreNotCaused(t *testing.T) {
	for lost, is := range map[int]bool{9: false, 40: true} { // of 140: three standard deviations above 2 %, and more
		d := NewDelay()
		d.losses.take(second, Feedback{}, 50*millisecond)
		_, caused := d.losses.take(2*second, Feedback{Acked: 140 * Packet, Lost: Packet}, 50*millisecond)
		require.False(t, caused)
		_, caused = d.losses.take(3*second, Feedback{Acked: (140 - lost) * Packet, Lost: lost * Packet}, 50*millisecond)
		require.Equal(t, is, caused, lost)
	}
}

func TestARivalHasGoneAfterTwoTests(t *testing.T) {
	d := NewDelay()
	d.trip.sample(second, 50*millisecond)
	d.rival = rival{here: true, window: NewCubic()}
	d.drained.window = 10 * Packet
	d.endTest(2 * second)
	require.True(t, d.rival.here, "it may have given way for a moment")
	d.endTest(3 * second)
	require.False(t, d.rival.here)
	require.EqualValues(t, 10*Packet, d.Window())
}

func TestALongQueueIsARivalsOnlyIfThisSideHasGivenWay(t *testing.T) {
	for window, here := range map[int64]bool{60 * Packet: false, 40 * Packet: true} {
		d := NewDelay()
		d.trip.sample(second, 50*millisecond)
		d.trip.base = 10 * millisecond
		d.window, d.rival.before, d.rival.since = window, 100*Packet, second
		d.rival.watch(2*second, Feedback{Acked: Packet}, d)
		require.Equal(t, here, d.rival.here)
	}
}

func TestDelayEmptiesTheQueueOfAPathThatGotSlower(t *testing.T) {
	p := newPipe(NewDelay())
	p.run(5 * second)
	p.rate /= 4
	p.run(200 * millisecond)
	require.Greater(t, p.queue(), 50*millisecond)
	p.run(800 * millisecond)
	require.Less(t, p.queue(), 15*millisecond)
}

func TestDelayLearnsThatAPathGotLonger(t *testing.T) {
	p := newPipe(NewDelay())
	p.run(5 * second)
	p.rtt += 100 * millisecond
	p.run(40 * second)
	d := p.c.(*Delay)
	require.InDelta(t, 150*millisecond, d.trip.base, float64(2*millisecond))
	require.False(t, d.rival.here)
}

func TestDelayForgetsThePathAfterSilence(t *testing.T) {
	p := newPipe(NewBackground())
	p.run(5 * second)
	p.c.Silence()
	require.Equal(t, NewBackground(), p.c)
}

func TestLossinessLearnsWhatAPathLoses(t *testing.T) {
	var l lossiness
	now := second
	for i := range 400 {
		now += 10 * millisecond
		_, caused := l.take(now, Feedback{Acked: 19 * Packet, Lost: Packet * (i % 2 * 2)}, 50*millisecond)
		require.False(t, caused)
	}
	require.InDelta(t, shareScale/20, l.own, shareScale/100)
}

func TestLossinessTellsLossesThatAreCausedByTheirNumberAndTheRate(t *testing.T) {
	calm := Feedback{Acked: 20 * Packet}
	for name, row := range map[string]struct {
		next   Feedback
		caused bool
	}{
		"a few":               {Feedback{Acked: 20 * Packet, Lost: Packet / 4}, false},
		"many":                {Feedback{Acked: 20 * Packet, Lost: 2 * Packet}, true},
		"many, but found":     {Feedback{Acked: 18 * Packet, Lost: 2 * Packet, Found: 2 * Packet}, false},
		"none":                {calm, false},
		"many at a lower one": {Feedback{Acked: 15 * Packet, Lost: 2 * Packet}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var l lossiness
			now, caused := second, false
			for range 200 {
				now += 10 * millisecond
				_, caused = l.take(now, calm, 50*millisecond)
				require.False(t, caused)
			}
			for range 20 {
				now += 10 * millisecond
				_, once := l.take(now, row.next, 50*millisecond)
				caused = caused || once
			}
			require.Equal(t, row.caused, caused)
		})
	}
}

func TestLossesWhileMoreComesThroughAreNotCaused(t *testing.T) {
	var l lossiness
	now, acked := second, 20*Packet
	for range 40 {
		now += 10 * millisecond
		acked += acked / 10
		_, caused := l.take(now, Feedback{Acked: acked, Lost: acked / 10}, 50*millisecond)
		require.False(t, caused)
	}
}

func TestACeilingIsTriedAgainLaterEachTime(t *testing.T) {
	var c ceiling
	c.set(0, 100*Packet)
	require.Equal(t, 2*second, c.to)
	for _, patience := range []int64{4, 8, 16, 16} {
		c.set(0, 101*Packet)
		require.Equal(t, patience*second, c.to)
	}
	c.set(0, 200*Packet)
	require.Equal(t, 2*second, c.to, "another place")
}

func TestSingleLateAcksAreNoQueue(t *testing.T) {
	var r roundTrip
	now := second
	for i := range 1000 {
		now += 2 * millisecond
		rtt := 50 * millisecond
		if i%4 == 3 {
			rtt = 60 * millisecond
		}
		r.sample(now, rtt)
	}
	require.Zero(t, r.queue())
	for range 100 {
		now += 2 * millisecond
		r.sample(now, 60*millisecond)
	}
	require.Equal(t, 10*millisecond, r.queue())
}

// vary feeds round trips that are late by up to a time, an ack each 2 ms, and tells how long the queue seemed, in the mean.
func (r *roundTrip) vary(random *rand.Rand, from, samples, rtt, late int64) (queue int64) {
	for i := range samples {
		r.sample(from+i*2*millisecond, rtt+random.Int64N(late)+random.Int64N(late)+random.Int64N(late))
		queue += r.queue()
	}
	return queue / samples
}

func TestLatenessWithoutAQueueIsNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var r roundTrip
	queue := r.vary(random, second, 1000, 50*millisecond, millisecond*5/4)
	require.Greater(t, queue, millisecond/2, "more than acks in groups make")
	require.Greater(t, r.noise(), queue)
	require.Less(t, r.noise(), 2*millisecond)
}

func TestWhatVariesWithAQueueAloneIsNotNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var r roundTrip
	r.vary(random, second, 1000, 50*millisecond, 1)
	r.vary(random, 3*second, 1000, 52*millisecond, millisecond*3/4)
	require.Equal(t, millisecond/2, r.noise())
	r.renew(5 * second)
	r.vary(random, 5*second, 1000, 52*millisecond, millisecond*3/4)
	require.Greater(t, r.noise(), millisecond/2, "the queue has been emptied since, and they still vary")
}

func TestNoiseIsAnEighthOfTheRoundTripAtMostIfItIsNotMuch(t *testing.T) {
	r := roundTrip{base: 8 * millisecond, calm: millisecond}
	require.Equal(t, millisecond, r.noise())
}
