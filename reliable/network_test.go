package reliable

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
)

// These tests hold the promises of the machine on links that misbehave. Where a test answers a report of the field, its comment
// names it.

func lossy(percent float64) sim.Conditions {
	return sim.Conditions{Delay: oneWay, Loss: sim.Percent(percent)}
}

// numbers are the texts "0" to "n-1".
func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return out
}

func TestEchoBetweenTwoMachines(t *testing.T) {
	p := newPair(t, 1, lossy(0)).connected()
	p.host.onRead = func(ev Event) { p.host.say(ev.Mode, string(ev.Payload)+"!") }
	p.client.say(ReliableOrdered, "hello")
	p.client.say(Unreliable, "there")
	p.run(time.Second)
	require.Equal(t, []string{"hello!", "there!"}, p.client.got)
}

// B57: Close right after Send.
func TestGracefulCloseDeliversEverythingOrSaysHowMuchIsMissing(t *testing.T) {
	for _, loss := range []float64{0, 10, 30} {
		for seed := range uint64(seeds) {
			p := newPair(t, seed, lossy(loss)).connected()
			want := append([]string{strings.Repeat("a", 10)}, slices.Repeat([]string{strings.Repeat("b", 300)}, 100)...)
			want = append(want, slices.Repeat([]string{strings.Repeat("c", 1190)}, 42)...)
			for _, text := range want {
				p.client.say(ReliableOrdered, text)
			}
			p.client.e.Close(p.client.node.Clock())
			p.client.kick()
			p.until(5*time.Second, func() bool { return p.client.end != nil })
			missing := p.client.end.Undelivered
			if loss < 30 {
				require.Zero(t, missing, "loss %v, seed %d", loss, seed)
			}
			p.run(11 * time.Second)
			require.Equal(t, ClosedByPeer, p.host.end.Cause)
			require.GreaterOrEqual(t, len(p.host.got), len(want)-missing)
			require.Equal(t, want[:len(p.host.got)], p.host.got)
		}
	}
}

// B58: the peer's goodbye and what came before it in one batch, in any order.
func TestWhatCameBeforeTheGoodbyeIsReadFirst(t *testing.T) {
	newHost(t).gets("reliable 0 1", "reliable 1 2", "reliable 2 3", "reliable 3 4", "reliable 4 5", "disconnect").
		reads("1", "2", "3", "4", "5", "disconnected: closed by peer, 0 undelivered")
	newHost(t).gets("reliable 0 1", "reliable 1 2", "reliable 3 4", "reliable 4 5", "disconnect").
		reads("1", "2", "disconnected: closed by peer, 0 undelivered")
	s := newHost(t).gets("disconnect")
	for i := range 5 {
		s.drops(framing.DropClosed, fmt.Sprintf("reliable %d x", i))
	}
	s.reads("disconnected: closed by peer, 0 undelivered")
}

// B59: a peer that lives and never acks.
func TestPeerThatNeverAcksFillsTheQueueAndNothingElse(t *testing.T) {
	s := newHost(t)
	kilobyte := []byte(strings.Repeat("k", 1024))
	accepted, refused := 0, 0
	for range 600 { // ten minutes, 50 messages a second
		for range 50 {
			if s.e.Send(s.now, kilobyte, SendOptions{Mode: ReliableOrdered}) == nil {
				accepted++
			} else {
				refused++
			}
		}
		s.run(time.Second)
		s.gets("heartbeat")
	}
	require.Equal(t, 2048, accepted, "2 MiB of them")
	require.Equal(t, 50*600-2048, refused)
	require.Equal(t, StateConnected, s.e.State())
	require.LessOrEqual(t, s.e.Stats().InFlight, MaxInFlight)
	require.Equal(t, 2048, s.e.pool.Outstanding())
	require.Less(t, s.e.Stats().Probes, uint64(600*5), "and it is probed gently")
}

// B60: an ack lost three times while the sender goes on to the end of its window.
func TestLostAckIsRepairedByAckingDuplicatesHoweverOld(t *testing.T) {
	for _, first := range []int32{0, math.MaxInt32 - 300} {
		for _, victim := range []int32{0, 100, 200} {
			lost := 0
			p := newPair(t, 3, lossy(0), func(c *Config) { c.FirstSend, c.FirstReceive = first, first }).connected()
			p.net.SetLink(p.host.node, p.client.node, sim.Conditions{Delay: oneWay, Drop: func(d []byte) bool {
				f, _ := framing.Parse(d, framing.Client)
				if f.Kind == framing.KindAck && f.Seq == first+victim && lost < 3 {
					lost++
					return true
				}
				return false
			}})
			for i := range Window + 100 {
				p.client.say(ReliableOrdered, fmt.Sprint(i))
			}
			p.until(5*time.Second, func() bool { return len(p.host.got) == Window+100 && p.client.e.queue.empty() })
			require.Equal(t, 3, lost)
			require.Equal(t, numbers(Window+100), p.host.got)
		}
	}
}

// B61: total outage, of data alone, of acks alone.
func TestReliableTrafficResumesAfterEveryOutage(t *testing.T) {
	p := newPair(t, 5, lossy(0)).connected()
	up, down := [2]*sim.Node{p.client.node, p.host.node}, [2]*sim.Node{p.host.node, p.client.node}
	between := func(from, to time.Duration, links ...[2]*sim.Node) {
		for _, l := range links {
			p.net.At(int64(from), func() { p.net.Cut(l[0], l[1]) })
			p.net.At(int64(to), func() { p.net.Heal(l[0], l[1]) })
		}
	}
	between(3*time.Second, 5*time.Second, up, down)
	between(8*time.Second, 9*time.Second, up)
	between(12*time.Second, 13*time.Second, down)
	sent := 0
	for ; p.net.Now() < int64(15*time.Second); sent++ {
		p.client.say(ReliableOrdered, fmt.Sprint(sent))
		p.run(50 * time.Millisecond)
		now := time.Duration(p.net.Now())
		for _, end := range []time.Duration{5 * time.Second, 9 * time.Second, 13 * time.Second} {
			if now > end+750*time.Millisecond && now < end+850*time.Millisecond {
				require.InDelta(t, sent, len(p.host.got), 3, "caught up within three of the longest waits, at %v", now)
			}
		}
	}
	p.run(time.Second)
	require.Equal(t, numbers(sent), p.host.got)
	require.NotZero(t, p.client.e.Stats().Outages)
}

// B61, B76: outages of every length below the timeout, with one message in flight and with a full window.
func TestOutageShorterThanTheTimeoutNeverEndsASession(t *testing.T) {
	for _, outage := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 9 * time.Second} {
		for _, messages := range []int{1, 400} {
			p := newPair(t, 7, sim.Conditions{Delay: time.Millisecond / 2}).connected()
			p.net.Cut(p.client.node, p.host.node)
			p.net.Cut(p.host.node, p.client.node)
			for i := range messages {
				p.client.say(ReliableOrdered, fmt.Sprint(i))
			}
			p.run(outage)
			p.net.Heal(p.client.node, p.host.node)
			p.net.Heal(p.host.node, p.client.node)
			p.until(750*time.Millisecond, func() bool { return len(p.host.got) == messages })
			require.Equal(t, numbers(messages), p.host.got)
			require.Equal(t, StateConnected, p.client.e.State())
			require.Less(t, resent(p.client.e.Stats()), uint64(4*messages+200), "an outage is no reason to flood")
		}
	}
}

// B76: heavy loss for a minute.
func TestHeavyLossForAMinuteEndsNothing(t *testing.T) {
	p := newPair(t, 9, lossy(60)).connected()
	p.every(200*time.Millisecond, 300, func(i int) { p.client.say(ReliableOrdered, fmt.Sprint(i)) })
	p.net.SetDefault(lossy(0))
	p.run(3 * time.Second)
	require.Equal(t, numbers(300), p.host.got)
	require.Equal(t, StateConnected, p.client.e.State())
}

// B64, T33: sequences near every kind of wrap, with loss, duplication and reordering.
func TestSequencesWrapUnderLossDuplicationAndReordering(t *testing.T) {
	for _, first := range []int32{math.MaxInt32 - 7, math.MinInt32 - (math.MinInt32 + 8), -8, 0} {
		for seed := range uint64(seeds) {
			c := lossy(25)
			c.Duplicate, c.DuplicateDelay = sim.Percent(25), 40*time.Millisecond
			c.Reorder, c.ReorderDelay = sim.Percent(25), 60*time.Millisecond
			p := newPair(t, seed, c, func(c *Config) { c.FirstSend, c.FirstReceive = first, first }).connected()
			p.every(5*time.Millisecond, 64, func(i int) { p.client.say(ReliableOrdered, fmt.Sprint(i)) })
			p.until(10*time.Second, func() bool { return len(p.host.got) == 64 && p.client.e.queue.empty() })
			require.Equal(t, numbers(64), p.host.got)
		}
	}
}

// B66: bursts far above the window.
func TestBurstBeyondTheWindowArrivesOnceAndInOrder(t *testing.T) {
	for _, n := range []int{100, 1000, 4000} {
		for _, c := range []sim.Conditions{
			{Delay: oneWay, Burst: sim.Burst{Average: sim.Percent(10), Length: 4}},
			lossy(25),
		} {
			p := newPair(t, uint64(n), c).connected()
			for i := range n {
				p.client.say(ReliableOrdered, fmt.Sprint(i))
			}
			p.until(60*time.Second, func() bool { return len(p.host.got) == n })
			p.run(time.Second)
			require.Equal(t, numbers(n), p.host.got)
		}
	}
}

// B67: every datagram in three copies, a fifth of the acks lost.
func TestNothingIsDeliveredTwice(t *testing.T) {
	c := sim.Conditions{Delay: oneWay, Duplicate: sim.Always, DuplicateDelay: 300 * time.Millisecond}
	p := newPair(t, 11, c).connected()
	c.Loss = sim.Percent(20)
	p.net.SetLink(p.host.node, p.client.node, c)
	p.every(5*time.Millisecond, 2000, func(i int) { p.client.say(ReliableOrdered, fmt.Sprint(i)) })
	p.run(3 * time.Second)
	require.Equal(t, numbers(2000), p.host.got)
	drops := p.host.e.Stats().Drops
	require.GreaterOrEqual(t, drops[framing.DropDuplicate], uint64(2000))
}

// B69: out of order arrivals are kept.
func TestJitterCostsNoRepairsAndLossOnlyItsOwn(t *testing.T) {
	p := newPair(t, 13, sim.Conditions{Delay: 100 * time.Millisecond, Jitter: 100 * time.Millisecond}).connected()
	kilobyte := strings.Repeat("k", 1000)
	p.every(10*time.Millisecond, 1000, func(int) { p.client.say(ReliableOrdered, kilobyte) })
	settled := resent(p.client.e.Stats())
	p.every(10*time.Millisecond, 2000, func(int) { p.client.say(ReliableOrdered, kilobyte) })
	p.run(time.Second)
	require.Len(t, p.host.got, 3000)
	require.Less(t, resent(p.client.e.Stats())-settled, uint64(2000*2/100), "under 2 % once the estimate has settled")

	p = newPair(t, 13, sim.Conditions{Delay: oneWay, Jitter: 5 * time.Millisecond, Loss: sim.Percent(5),
		Reorder: sim.Percent(5), ReorderDelay: 5 * time.Millisecond}).connected()
	began := p.net.Now()
	for range 483 {
		p.client.say(ReliableOrdered, kilobyte)
	}
	p.until(10*time.Second, func() bool { return len(p.host.got) == 483 })
	lossless := oneWay + 483*1100*time.Second/(4<<20)
	require.Less(t, time.Duration(p.net.Now()-began), 4*lossless)
}

// B70: one datagram held back while hundreds overtake it.
func TestHeldBackMessageIsRepairedByTheTimerAlone(t *testing.T) {
	p := newPair(t, 15, lossy(0)).connected()
	p.every(5*time.Millisecond, 100, func(i int) { p.client.say(ReliableOrdered, fmt.Sprint(i)) })
	before := resent(p.client.e.Stats())
	held := false
	p.net.SetLink(p.client.node, p.host.node, sim.Conditions{Delay: oneWay, Drop: func(d []byte) bool {
		f, _ := framing.Parse(d, framing.Host)
		if f.Seq == 100 && p.net.Now() < int64(900*time.Millisecond) {
			held = true
			return true
		}
		return false
	}})
	p.every(5*time.Millisecond, 300, func(i int) { p.client.say(ReliableOrdered, fmt.Sprint(100+i)) })
	p.run(time.Second)
	require.True(t, held)
	require.Equal(t, numbers(400), p.host.got)
	require.LessOrEqual(t, resent(p.client.e.Stats())-before, uint64(20), "six rounds of 1, 2, 3 and then 4 copies")
}

// B71: acks that come late by a constant time.
func TestDeadlineAdaptsToAPeerThatAcksLate(t *testing.T) {
	for _, rtt := range []time.Duration{2 * time.Millisecond, 80 * time.Millisecond} {
		for _, late := range []time.Duration{25 * time.Millisecond, 60 * time.Millisecond, 120 * time.Millisecond} {
			s := newClient(t).sends("connect HRD-LOCAL-1").wait(rtt).gets("accept 1")
			s.poll()
			acks := map[int64][]string{}
			copies := map[string]int{}
			const tick = time.Millisecond
			for i := range 500 {
				s.queues(ReliableOrdered, fmt.Sprint(i))
				for range 16 {
					for _, f := range s.poll() {
						if seq, ok := strings.CutPrefix(f, "reliable "); ok {
							seq, _, _ = strings.Cut(seq, " ")
							copies[seq]++
							at := s.now + int64(rtt+late)
							acks[at] = append(acks[at], seq)
						}
					}
					s.wait(tick)
					for _, seq := range acks[s.now] {
						s.e.HandleDatagram(s.now, encode(t, "ack "+seq))
					}
				}
			}
			total := 0
			for i := 20; i < 490; i++ {
				total += copies[fmt.Sprint(i)]
			}
			require.Less(t, float64(total)/470, 1.05, "round trip %v, acks %v late", rtt, late)
		}
	}
}

// B72: the estimate while a fifth is lost, and after.
func TestEstimateIsNotPoisonedByRepairs(t *testing.T) {
	p := newPair(t, 17, sim.Conditions{Delay: 30 * time.Millisecond, Loss: sim.Percent(20)}).connected()
	p.every(50*time.Millisecond, 600, func(i int) {
		p.client.say(ReliableOrdered, fmt.Sprint(i))
		if s := p.client.e.Stats(); i > 20 {
			require.InDelta(t, 70*time.Millisecond, s.RTTSmoothed, float64(20*time.Millisecond))
		}
	})
	p.net.SetDefault(sim.Conditions{Delay: 30 * time.Millisecond})
	p.every(50*time.Millisecond, 20, func(i int) { p.client.say(ReliableOrdered, fmt.Sprint(600+i)) })
	require.Less(t, p.client.e.firstDeadline(), int64(100*time.Millisecond), "back to normal a second after the loss ended")
	p.run(time.Second)
	require.Equal(t, numbers(620), p.host.got)
}

// B72: an ack of the first copy just after the repair left.
func TestAckJustAfterARepairIsNotTakenForATinyRoundTrip(t *testing.T) {
	s, seq := settled(t)
	for i := range 50 {
		s.queues(ReliableOrdered, "x").run(56 * ms)
		s.gets(fmt.Sprintf("ack %d", seq+i))
		s.run(100 * ms)
		require.InDelta(t, 53*ms, s.e.Stats().RTTSmoothed, float64(4*ms))
	}
	require.GreaterOrEqual(t, s.e.Stats().RTTMin, 50*ms)
	require.Less(t, s.e.Stats().Repairs, uint64(5), "and the deadline has moved behind such acks")
}

// B78: acks in advance.
func TestAcksInAdvanceDoNotCount(t *testing.T) {
	s := newConnected(t)
	for i := range 10_000 {
		s.drops(framing.DropAckUnsent, fmt.Sprintf("ack %d", i))
	}
	for range 50 {
		s.queues(ReliableOrdered, "x").wait(ms).poll()
	}
	require.Equal(t, 50, s.e.Stats().InFlight)
	require.Zero(t, s.e.Stats().MessagesAcked)
}

// B46: one-way traffic, with and without loss.
func TestOneWayTrafficKeepsBothSidesConnected(t *testing.T) {
	for _, loss := range []float64{0, 20} {
		for _, traffic := range []struct {
			every time.Duration
			mode  Mode
		}{{33 * time.Millisecond, Unreliable}, {9 * time.Second, ReliableOrdered}, {time.Hour, Unreliable}} {
			p := newPair(t, 19, lossy(loss)).connected()
			for p.net.Now() < int64(30*time.Second) {
				p.client.say(traffic.mode, "x")
				p.run(min(traffic.every, 30*time.Second))
			}
			require.Equal(t, StateConnected, p.client.e.State())
			require.Equal(t, StateConnected, p.host.e.State())
		}
	}
}

// B47: both leave in the same instant, and goodbyes are lost, doubled or early.
func TestBothSidesEndWithOneEventHoweverTheGoodbyesTravel(t *testing.T) {
	for name, c := range map[string]sim.Conditions{
		"plain":      {Delay: 50 * time.Millisecond},
		"first lost": {Delay: 50 * time.Millisecond, Mask: 1},
		"doubled":    {Delay: 50 * time.Millisecond, Duplicate: sim.Always, DuplicateDelay: 5 * time.Millisecond},
		"all lost":   {Delay: 50 * time.Millisecond, Loss: sim.Always},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, 21, sim.Conditions{Delay: 50 * time.Millisecond}).connected()
			p.net.SetDefault(c)
			p.client.e.Close(p.client.node.Clock())
			p.host.e.Close(p.host.node.Clock())
			p.client.kick()
			p.host.kick()
			p.run(time.Second)
			require.Equal(t, ClosedLocally, p.client.end.Cause)
			require.Equal(t, ClosedLocally, p.host.end.Cause)
			sent := p.net.Counts().Sent
			p.run(time.Minute)
			require.Equal(t, sent, p.net.Counts().Sent, "nothing is sent to a closed peer")
		})
	}
}

// B48: the first two goodbyes are lost.
func TestPeerLearnsOfACloseThoughGoodbyesAreLost(t *testing.T) {
	p := newPair(t, 23, lossy(0)).connected()
	p.net.SetLink(p.client.node, p.host.node, sim.Conditions{Delay: oneWay, Mask: 0b11})
	p.client.e.Close(p.client.node.Clock())
	p.client.kick()
	p.until(200*time.Millisecond, func() bool { return p.host.end != nil })
	require.Equal(t, ClosedByPeer, p.host.end.Cause)
}

// B44: nothing here knows of wall time; a clock that jumps forward or stands still does no harm either.
func TestClockJumpsAndFreezesDoNoHarm(t *testing.T) {
	for _, jump := range []time.Duration{-2 * time.Hour, 2 * time.Hour, -time.Millisecond} {
		p := newPair(t, 25, lossy(10)).connected()
		p.every(20*time.Millisecond, 50, func(i int) {
			if i == 25 {
				p.client.node.JumpClock(jump)
				p.client.kick()
			}
			p.client.say(ReliableOrdered, fmt.Sprint(i))
		})
		p.run(3 * time.Second)
		if jump < -time.Second {
			continue // a clock that must not run backwards did: it stands still until it has caught up, and nothing breaks
		}
		require.Equal(t, numbers(50), p.host.got, "jump %v", jump)
		require.Equal(t, StateConnected, p.client.e.State())
	}
}

// T45: a consumer that stops for a minute at full rate.
func TestConsumerThatStopsForAMinuteLosesNothingReliable(t *testing.T) {
	p := newPair(t, 27, lossy(0)).connected()
	p.host.paused = true
	sent := 0
	p.every(5*time.Millisecond, 12_000, func(i int) {
		if i%4 == 0 {
			p.client.say(Unreliable, "u")
		}
		if p.client.e.Send(p.client.node.Clock(), []byte(fmt.Sprint(sent)), SendOptions{Mode: ReliableOrdered}) == nil {
			sent++
		}
		p.client.kick()
	})
	s := p.host.e.Stats()
	require.LessOrEqual(t, s.UnreadMessages, 1000)
	require.LessOrEqual(t, p.host.e.pool.Outstanding(), 1000+Window)
	require.Equal(t, StateConnected, p.client.e.State())
	p.host.paused = false
	p.host.kick()
	p.run(5 * time.Second)
	require.Equal(t, numbers(sent), slices.DeleteFunc(slices.Clone(p.host.got), func(s string) bool { return s == "u" }))
}

// Handshake under loss: 30 % each way in bursts, and corruption.
func TestHandshakeSucceedsUnderHeavyLoss(t *testing.T) {
	for seed := range uint64(200) {
		p := newPair(t, seed, sim.Conditions{Delay: oneWay, Burst: sim.Burst{Average: sim.Percent(30), Length: 3}})
		p.until(10*time.Second, func() bool { return p.client.ups == 1 && p.host.ups == 1 })
		p = newPair(t, seed, sim.Conditions{Delay: oneWay, Truncate: sim.Percent(15), Extend: sim.Percent(15)})
		p.until(10*time.Second, func() bool { return p.client.ups == 1 && p.host.ups == 1 })
	}
}

// A path that swallows large datagrams: the session lives on, and what fits gets through.
func TestMessageThatNeverGetsThroughEndsNoSession(t *testing.T) {
	p := newPair(t, 29, sim.Conditions{Delay: oneWay, MTU: 600}).connected()
	p.client.say(ReliableOrdered, strings.Repeat("x", 1000))
	p.run(time.Minute)
	p.client.say(Unreliable, "small")
	p.run(time.Second)
	require.Equal(t, []string{"small"}, p.host.got)
	require.Nil(t, p.host.end)
	require.Nil(t, p.client.end)
}

// Every message urgent: none is ever sent once, and the deadlines must stay what they are.
func TestUrgentTrafficKeepsItsDeadlinesUnderLoss(t *testing.T) {
	p := newPair(t, 31, lossy(5), func(c *Config) { c.Budget = 200 }).connected()
	var worst time.Duration
	sent := map[string]int64{}
	p.host.onRead = func(ev Event) {
		if late := time.Duration(ev.At - sent[string(ev.Payload)]); len(p.host.got) > 100 {
			worst = max(worst, late)
		}
	}
	p.every(33*time.Millisecond, 3000, func(i int) {
		sent[fmt.Sprint(i)] = p.net.Now()
		require.NoError(t, p.client.e.Send(p.client.node.Clock(), []byte(fmt.Sprint(i)), SendOptions{Mode: ReliableOrdered, Urgent: true}))
		p.client.kick()
	})
	p.run(time.Second)
	require.Equal(t, numbers(3000), p.host.got)
	require.Less(t, worst, 200*time.Millisecond)
	require.InDelta(t, 54*time.Millisecond, p.client.e.Stats().Deadline, float64(10*time.Millisecond))
}
