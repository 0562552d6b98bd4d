package reliable

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// Acks.

func TestReliableIsAckedAtOnceAndOtherTrafficLazily(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 0 a").sends("ack @0 and @1").reads("a")
	s.wait(10 * ms).gets("unreliable b").idle()
	require.Equal(t, []string{"100ms ack @0 late 255 and @1-2"}, s.run(200*ms))
}

func TestLoneAcksLeaveTwoMillisecondsApart(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 0 a").sends("ack @0 and @1")
	s.wait(ms / 2).gets("ordered 1 b").idle()
	s.wait(ms / 2).gets("ordered 2 c").idle()
	require.Equal(t, []string{"1ms ack @0 late 4 and @1-3"}, s.run(5*ms))
}

func TestAckRidesInTheNextPacketAndSaysHowLate(t *testing.T) {
	s := newPackets(t)
	s.gets("unreliable a").wait(10*ms).queues(Unreliable, "b").sends("ack @0 late 40 and @1; unreliable b")
	s.queues(Unreliable, "c").sends("unreliable c")
	s.gets("unreliable d").wait(80*ms).queues(Unreliable, "e").sends("ack @0 late 255 and @1-2; unreliable e")
}

func TestAckNamesWhatIsMissing(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 0 a").sends("ack @0 and @1")
	s.misses(2).wait(5 * ms)
	s.gets("ordered 1 b").sends("ack @0 and @3-4")
}

func TestManyPacketsSinceTheLastAckAreNamedInALongerForm(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 0 a").poll()
	s.wait(10 * ms)
	for range 17 {
		s.gets("unreliable x")
	}
	s.queues(Unreliable, "b").sends("ack @0 and64 @1-18; unreliable b")
	for range 100 {
		s.gets("unreliable x")
	}
	s.misses(1)
	for range 20 {
		s.gets("unreliable x")
	}
	s.queues(Unreliable, "b").sends("ack @0 runs @1-19 @21-139; unreliable b")
}

func TestFloodOfLossyMessagesIsAckedBeforeItIsForgotten(t *testing.T) {
	s := newPackets(t)
	for range 127 {
		s.gets("unreliable x")
	}
	s.idle().gets("unreliable x")
	require.Len(t, s.poll(), 1)
}

func TestNoLoneAckLeavesOnTickWhileBothSidesTick(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.AckOnTick = true })
	for i := range 15 {
		s.gets(fmt.Sprintf("ordered %d x; ack @0", i)).idle()
		s.wait(40*ms).queues(ReliableOrdered, "y")
		sent := s.poll()
		require.Len(t, sent, 1)
		require.Contains(t, sent[0], "ack @0 late 160 and")
		require.Contains(t, sent[0], "ordered")
		s.wait(10 * ms).idle()
	}
	s.gets("ordered 15 x; ack @0")
	s.wait(54 * ms).idle()
	require.Len(t, s.wait(ms).poll(), 1, "a side that stops ticking still acks")
}

func TestAcksAreRepeatedWhereManyAreLost(t *testing.T) {
	s := newPackets(t)
	for i := range 40 { // every message comes again, as if its ack was lost
		frame := fmt.Sprintf("ordered %d x", i)
		s.gets(frame).poll()
		s.wait(60 * ms).gets(frame).poll()
		s.wait(10 * ms).poll()
	}
	s.wait(20 * ms).gets("ordered 40 x")
	sent := s.run(20 * ms)
	require.Len(t, sent, 2)
	require.True(t, strings.HasPrefix(sent[0], "0s ack @0 and") && strings.HasPrefix(sent[1], "3ms ack @0 late 12 and"), sent)
	for i := 41; i < 400; i++ {
		s.gets(fmt.Sprintf("ordered %d x", i)).run(20 * ms)
	}
	require.Len(t, s.gets("ordered 400 x").run(20*ms), 1, "and no longer once they arrive")
}

func TestHeartbeatAcksOnceMoreWhatTrafficWasBeforeIt(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 0 a").sends("ack @0 and @1")
	require.Equal(t, []string{"937.5ms ack @0 late 255 and @1", "1.875s ack @0 late 255", "2.8125s ack @0 late 255"}, s.run(3*time.Second))
}

func TestAHostSendsAHeartbeatThatIsDueSoonWhenItHearsItsClient(t *testing.T) {
	s := newPackets(t, asHost)
	s.wait(700 * ms).gets("heartbeat").idle() // a packet left 10 ms before that
	s.wait(50 * ms).gets("heartbeat").sends("ack @0")
	s.wait(749 * ms).gets("heartbeat").idle()
	require.Equal(t, []string{"251ms ack @0 late 255"}, s.run(300*ms), "in any case after a second of silence")
}

func TestAHostThatHearsNothingWaitsForItsWholeSecond(t *testing.T) {
	s := newPackets(t, asHost)
	s.wait(900 * ms).idle()
	s.wait(90 * ms).sends("ack @0 late 255")
}

func TestAClientAnswersNoHeartbeat(t *testing.T) {
	s := newPackets(t)
	s.wait(900 * ms).gets("heartbeat").idle()
}

func TestTwoSidesThatIdleSendOneHeartbeatEachAndTheHostWakesUpForNone(t *testing.T) {
	client, host := newPackets(t), newPackets(t, asHost)
	woken, heard := 0, 0
	for range 110 {
		for _, d := range client.poll() {
			heard++
			host.now = client.now
			host.gets("heartbeat")
			require.Len(t, host.poll(), 1, d)
		}
		client.wait(37 * ms)
		if host.e.NextDeadline() <= client.now {
			woken++
		}
	}
	require.Equal(t, 4, heard)
	require.Zero(t, woken)
}

func TestIdleSessionCostsSixtyBytesASecond(t *testing.T) {
	s := newPackets(t)
	before := s.e.Stats()
	s.run(9 * time.Second) // and is heard meanwhile
	after := s.e.Stats()
	bytes := int(after.BytesSent-before.BytesSent) + int(after.DatagramsSent-before.DatagramsSent)*28
	require.LessOrEqual(t, bytes, 60*9)
}

func TestAckOfWhatWasNeverSentEndsTheSession(t *testing.T) {
	for _, ack := range []string{"ack #7", "ack #1", "ack #65535", "ack #40000 and #39999"} {
		newPackets(t).drops(framing.DropProtocol, ack).ends()
	}
	s := newPackets(t).queues(ReliableOrdered, "a").send("b", SendOptions{Mode: Unreliable, Receipt: 1})
	s.poll()
	s.drops(framing.DropProtocol, fmt.Sprintf("ack #%d", s.at(0)+1)).ends()
}

// T28: a peer that acks numbers that were left out.
func TestAckOfANumberLeftOutEndsTheSession(t *testing.T) {
	for _, form := range []string{"ack #%d", "ack @0 and #%d", "ack @0 and64 #%d"} {
		for _, acked := range []bool{true, false} {
			s := newPackets(t)
			left := s.untilLeftOut(acked)
			s.drops(framing.DropProtocol, fmt.Sprintf(form, left)).ends()
		}
	}
}

// untilLeftOut sends until a number is left out, and gives it.
func (s *packets) untilLeftOut(acked bool) int64 {
	for range 600 {
		s.queues(Unreliable, "x").poll()
		if n := s.at(0); n != s.at(1)+1 {
			require.Equal(s.t, s.at(1)+2, n)
			return n - 1
		}
		s.wait(10 * ms)
		if acked {
			s.gets("ack @0")
		}
	}
	s.t.Fatal("no number was left out")
	return 0
}

func TestANumberIsLeftOutInEach512(t *testing.T) {
	for seed := range byte(20) {
		s := newPackets(t, func(c *Config) { c.Seed[5] = seed })
		for run := 0; len(s.sent) < 4000; run++ {
			s.queues(Unreliable, "x").wait(ms).poll()
			if s.at(0) != s.at(1)+1 {
				run = 0
			}
			require.Less(t, run, 512)
		}
	}
}

func TestPeerThatAcksOnlyTheTruthIsNeverAccused(t *testing.T) {
	s := newPackets(t)
	for range 6 {
		s.queues(Unreliable, "x").poll()
	}
	for i := range 2000 {
		s.queues(Unreliable, "x").wait(5 * ms).poll()
		switch i % 3 {
		case 0:
			s.gets("ack @0 and @1-2")
		case 1:
			s.gets("ack @1 and64 @2-5")
		}
	}
	require.Equal(t, StateConnected, s.e.State())
}

func TestTwoAcksInAPacketEndTheSession(t *testing.T) {
	s := newPackets(t)
	s.drops(framing.DropProtocol, "ack @0; ack @0").ends()
}

// Loss and repair.

func TestMessageWithoutAnAckIsRepairedAtItsDeadline(t *testing.T) {
	s := newSettled(t).queues(ReliableOrdered, "a")
	s.sends("ordered 0 a")
	sent := s.run(55 * ms)
	require.Len(t, sent, 1)
	require.Regexp(t, `^5[45]\S*ms ordered 0 a$`, sent[0])
	require.Equal(t, uint64(1), s.e.Stats().Repairs)
}

func TestMessageIsRepairedAtOnceWhenLaterOnesAreAcked(t *testing.T) {
	s := newSettled(t).queues(ReliableOrdered, "a")
	s.poll()
	s.wait(20*ms).queues(ReliableOrdered, "b").sends("ordered 1 b")
	s.wait(36 * ms).poll() // the deadline of a has passed
	s = newSettled(t).queues(ReliableOrdered, "a")
	s.sends("ordered 0 a")
	s.wait(2*ms).queues(ReliableOrdered, "b").sends("ordered 1 b")
	s.wait(50 * ms).gets("ack @0").idle() // not yet older than 9/8 of a round trip
	s = newSettled(t, func(c *Config) { c.HandshakeRTT = 50 * ms }).queues(ReliableOrdered, "a")
	s.e.rtt.extra = int64(25 * ms) // a deadline far away
	s.sends("ordered 0 a")
	s.wait(10*ms).queues(ReliableOrdered, "b").sends("ordered 1 b")
	s.wait(50 * ms).gets("ack @0").sends("ordered 0 a")
	require.Equal(t, uint64(1), s.e.Stats().PacketsLost)
}

func TestLossesAreOfPacketsBehindTheMarkAndOfThoseBetweenBoth(t *testing.T) {
	s := newSettled(t, func(c *Config) { c.HandshakeRTT = 50 * ms })
	s.e.rtt.extra = int64(200 * ms) // a deadline far away
	losses := func() [2]uint64 {
		_, since, before := s.e.Losses()
		return [2]uint64{since, before}
	}
	s.queues(Unreliable, "x").poll()
	s.e.Mark()
	s.wait(10*ms).queues(Unreliable, "a").poll()
	s.wait(20*ms).queues(Unreliable, "b").poll()
	s.e.Mark()
	s.wait(10*ms).queues(Unreliable, "c").poll()
	s.wait(30*ms).queues(Unreliable, "d").poll()
	require.Equal(t, [2]uint64{}, losses())
	s.wait(10 * ms).gets("ack @2")
	require.Equal(t, [2]uint64{0, 1}, losses(), "a; x left before both")
	s.wait(40 * ms).gets("ack @0 and @2")
	require.Equal(t, [2]uint64{1, 1}, losses(), "and c")
	require.Equal(t, uint64(3), s.e.Stats().PacketsLost)
}

func TestAckOfTheFirstCopyProvesARepairNeedless(t *testing.T) {
	s := newSettled(t).queues(ReliableOrdered, "a")
	s.poll()
	s.run(56 * ms)
	s.wait(ms).gets("ack @1").idle()
	require.Equal(t, uint64(1), s.e.Stats().SpuriousRepairs)
	require.Zero(t, s.e.Stats().InFlight)
	require.Equal(t, int64(4*ms), s.e.rtt.extra, "3 ms after the deadline: it moves by that, and 1 ms")
}

func TestAckOfTheRepairProvesItNeeded(t *testing.T) {
	s := newSettled(t).queues(ReliableOrdered, "a")
	s.poll()
	s.run(56 * ms)
	s.wait(49 * ms).gets("ack @0").idle()
	require.Zero(t, s.e.Stats().SpuriousRepairs)
	require.Equal(t, uint64(1), s.e.Stats().PacketsLost)
}

func TestRepairsTakeMoreCopiesWhereMoreIsLost(t *testing.T) {
	for _, c := range []struct{ missed, copies int64 }{{0, 1}, {missScale * 2 / 100, 2}, {missScale * 5 / 100, 3}, {missScale * 30 / 100, 3}} {
		s := newSettled(t)
		s.e.repair.missed = c.missed
		s.queues(ReliableOrdered, "a").sends("ordered 0 a")
		sent := s.run(70 * ms)
		require.Len(t, sent, int(c.copies), "%v", sent)
		for i := 1; i < len(sent); i++ {
			require.Contains(t, sent[i], "ordered 0 a")
		}
	}
}

func TestCopiesAreLeftOutWhenTheBudgetIsUsedUp(t *testing.T) {
	s := newSettled(t)
	s.e.repair.missed, s.e.repair.account = missScale*5/100, 0
	s.queues(ReliableOrdered, "a").sends("ordered 0 a")
	require.Len(t, s.run(70*ms), 1, "what is known to be missing is always sent again")
}

func TestPiggybackCarriesSmallUnackedMessagesOnly(t *testing.T) {
	s := newSettled(t, func(c *Config) { c.Budget = 200 })
	s.e.repair.missed = missScale * 5 / 100
	s.queues(ReliableOrdered, "a").sends("ordered 0 a")
	s.e.packets.tick.period = int64(30 * ms)
	s.wait(30*ms).queues(ReliableOrdered, "b").sends("ordered 1 b; ordered 0 a")
	require.Equal(t, uint64(1), s.e.Stats().Piggybacked)
	s.wait(20 * ms).gets("ack @0 and @1").idle()
	require.Zero(t, s.e.Stats().InFlight)

	s.wait(10*ms).queues(ReliableOrdered, strings.Repeat("c", piggybackSize+1))
	s.poll()
	s.wait(30*ms).queues(ReliableOrdered, "d").sends("ordered 3 d")
}

func TestPiggybackEndsOutsideItsLimits(t *testing.T) {
	for name, change := range map[string]func(e *Endpoint){
		"clean link": func(e *Endpoint) { e.repair.missed = 0 },
		"bad link":   func(e *Endpoint) { e.repair.missed = missScale / 5 },
		"slow ticks": func(e *Endpoint) { e.packets.tick.period = int64(80 * ms) },
		"no budget":  func(e *Endpoint) { e.repair.account = -1000 },
	} {
		s := newSettled(t, func(c *Config) { c.Budget = 200 })
		s.queues(ReliableOrdered, "a").poll()
		s.e.repair.missed, s.e.packets.tick.period = missScale*5/100, int64(30*ms)
		change(s.e)
		s.wait(30*ms).queues(ReliableOrdered, "b")
		require.Equal(t, "ordered 1 b", s.poll()[0], name)
	}
}

func TestPacketsWithNewMessagesCarryTheOldestDuringAnOutage(t *testing.T) {
	s := newSettled(t)
	for _, text := range []string{"a", "b", "c"} {
		s.queues(ReliableOrdered, text).poll()
	}
	s.e.repair.outage, s.e.repair.probeAt = true, never
	s.queues(ReliableOrdered, "d").sends("ordered 3 d; ordered 0 a; ordered 1 b")
}

func TestUrgentMessageIsSentTwiceOnALinkThatLoses(t *testing.T) {
	s := newSettled(t)
	s.send("a", SendOptions{Mode: ReliableOrdered, Urgent: true}).sends("ordered 0 a")
	require.Empty(t, s.run(20*ms), "but not on one that does not")
	s.wait(30 * ms).gets("ack @0").idle()
	s.e.repair.missed = missScale / 100
	s.send("b", SendOptions{Mode: ReliableOrdered, Urgent: true}).sends("ordered 1 b")
	require.Len(t, s.run(20*ms), 1)
	require.Equal(t, uint64(1), s.e.Stats().EarlyDuplicates)
}

func TestOutageIsProbedWithTheOldestMessagesInOnePacket(t *testing.T) {
	s := newSettled(t)
	for i := range 20 {
		s.queues(ReliableOrdered, fmt.Sprint(i)).poll()
		s.run(30 * ms)
	}
	require.True(t, s.e.repair.outage)
	s.run(time.Second)
	before := s.e.Stats()
	sent := s.run(2 * time.Second)
	want := []string{}
	for i := range probeMessages {
		want = append(want, fmt.Sprintf("ordered %d %d", i, i))
	}
	probes := slices.DeleteFunc(sent, func(f string) bool { return !strings.Contains(f, "ordered") })
	require.Contains(t, probes[0], strings.Join(want, "; "))
	require.InDelta(t, 2000/250, len(probes), 2, "every 250 ms after a second")
	require.Equal(t, before.Repairs, s.e.Stats().Repairs)
	s.gets("ack @0 and @1")
	require.False(t, s.e.repair.outage)
	require.Contains(t, s.poll()[0], "ordered 16 16", "the rest leaves at once")
}

// Arrival.

func TestPacketThatComesTwiceHasNoEffect(t *testing.T) {
	s := newPackets(t).gets("unreliable a").reads("a")
	require.Equal(t, "duplicate", s.e.HandleDatagram(s.now, s.inboxed).String())
	s.quiet()
	s.wait(100 * ms).sends("ack @0 late 255 and @1")
	require.Equal(t, "duplicate", s.e.HandleDatagram(s.now, s.inboxed).String())
	require.Empty(t, s.run(500*ms), "and is not acked again")
}

func TestNumbersFarBehindAreTakenForDuplicates(t *testing.T) {
	s := newPackets(t)
	s.number = 5000
	s.gets("unreliable a")
	s.number = 5000 - 1024
	s.drops(framing.DropDuplicate, "unreliable b")
	s.gets("unreliable c").reads("a", "c")
}

// T16: a recorded session, played again three times in any order.
func TestReplayedSessionDeliversNothing(t *testing.T) {
	s := newPackets(t)
	var record [][]byte
	for i := range 500 {
		s.gets(fmt.Sprintf("ordered %d x; unreliable y", i))
		record = append(record, s.inboxed)
		s.events()
		s.poll()
		s.wait(ms)
	}
	for i := range 1500 {
		require.Equal(t, "duplicate", s.e.HandleDatagram(s.now, record[i*7%500]).String())
	}
	s.quiet()
}

func TestEveryModeDeliversAsItSays(t *testing.T) {
	s := newPackets(t)
	s.gets("unordered 1 b").reads("b").gets("unordered 0 a").reads("a").gets("unordered 1 b").quiet()
	s.gets("ordered 1 b").quiet().gets("ordered 0 a").reads("a", "b").gets("ordered 0 a").quiet()
	s.gets("sequenced 1 b").reads("b").gets("sequenced 0 a").quiet().gets("sequenced 2 c").reads("c")
	s.gets("newest 7 b").reads("b").gets("newest 6 a").quiet().gets("newest 7 a").quiet().gets("newest 8 c").reads("c")
	s.gets("newest/3 1 x").reads("x")
	require.Equal(t, uint64(2), s.e.Stats().Stale)
}

func TestSequencesOfLossyMessagesWrap(t *testing.T) {
	s := newPackets(t).gets("newest 65535 a").reads("a").gets("newest 0 b").reads("b").gets("newest 65535 c").quiet()
	s.gets("newest 32767 d").reads("d")
}

func TestFragmentsJoinInAnyOrder(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 2> c", "ordered 0< a").quiet().gets("ordered 1- b").reads("abc")
	s.gets("unordered 5> f", "unordered 3< d", "unordered 4- e").reads("def")
	s.gets("part 1 2/3 c", "part 1 0/3 a", "part 1 0/3 a").quiet().gets("part 1 1/3 b").reads("abc")
	s.gets("newestpart 5 2 1/2 b", "newest 6 new").reads("new").gets("newestpart 5 2 0/2 a").quiet()
}

func TestFragmentsOfTwoMessagesWithOneNumberAreNotJoined(t *testing.T) {
	s := newPackets(t).gets("part 1 0/3 a")
	s.gets("part 1 1/2 b", "part/4 1 1/3 b", "newestpart 4 1 1/3 b", "part 1 1/3 bb").quiet()
	s.gets("part 1 1/3 b", "part 1 2/3 c").reads("abc")
	s.gets("part 2 2/3 ccc", "part 2 0/3 a", "part 2 0/3 aaaa", "part 2 1/3 bbb").quiet()
}

func TestFragmentThatMakesALossyMessageTooLargeIsDropped(t *testing.T) {
	for size, whole := range map[int]bool{MaxLossyMessage - 65*1000: true, MaxLossyMessage - 65*1000 + 1: false} {
		s := newPackets(t, func(c *Config) { c.Loopback = true })
		for i := range 65 {
			s.gets(fmt.Sprintf("part 1 %d/66 %s", i, strings.Repeat("x", 1000)))
		}
		s.gets("part 1 65/66 " + strings.Repeat("y", size))
		require.Equal(t, whole, len(s.events()) == 1, size)
	}
}

func TestFragmentsThatFitNoMessageEndTheSession(t *testing.T) {
	for _, frames := range [][]string{
		{"ordered 0- x"}, {"ordered 0> x"}, {"unordered 0> x"}, {"sequenced 0- x"},
		{"ordered 0< a", "ordered 1< b"}, {"ordered 0< a", "ordered 1 b"}, {"ordered 1> a", "ordered 0 b"}, {"ordered 1- a", "ordered 0> b"},
		{"unordered 4 a", "unordered 5- b"}, {"unordered 5< a", "unordered 4- b"},
	} {
		s := newPackets(t).gets(frames[:len(frames)-1]...)
		s.drops(framing.DropProtocol, frames[len(frames)-1]).ends()
	}
}

// Goodbyes.

func TestDisconnectCarriesCodeAndText(t *testing.T) {
	s := newPackets(t)
	s.e.Farewell(7, strings.Repeat("é", 200))
	s.e.Kick(s.now)
	s.sends("disconnect 7 " + strings.Repeat("é", 128))
	s = newPackets(t).gets("disconnect 9 bye\x1b[2J")
	ev, ok := s.e.PollEvent()
	require.True(t, ok)
	require.Equal(t, Event{Kind: EventDisconnected, At: s.now, Cause: ClosedByPeer, Code: 9, Reason: "bye[2J"}, ev)
	s.idle().sleeps()
	require.True(t, s.e.Finished())
}

func TestAPeerThatGoesOnIsToldAgainThatItIsOver(t *testing.T) {
	s := newPackets(t)
	s.e.Farewell(7, "over")
	s.e.Kick(s.now)
	require.Len(t, s.run(time.Second), 8)
	for range 8 {
		s.drops(framing.DropClosed, "unreliable late").sends("disconnect 7 over")
	}
	s.drops(framing.DropClosed, "unreliable late").idle()
}

func TestAPeerThatSaidGoodbyeIsToldNothing(t *testing.T) {
	s := newPackets(t)
	s.e.Kick(s.now)
	s.run(time.Second)
	s.gets("disconnect 0").idle()
	s.drops(framing.DropClosed, "unreliable late").idle()
	s = newPackets(t).gets("disconnect 0")
	s.drops(framing.DropClosed, "unreliable late").idle()
}

func TestFramesBehindADisconnectHaveNoEffect(t *testing.T) {
	s := newPackets(t).queues(ReliableOrdered, "x")
	s.poll()
	s.gets("ordered 0 a; disconnect 0; ordered 1 b; unreliable c; ack @0")
	s.reads("a", "disconnected: closed by peer, 1 undelivered").idle().sleeps()
}

func TestNothingLeavesAfterTheGoodbyeOfThePeer(t *testing.T) {
	s := newPackets(t).gets("unreliable a").wait(10 * ms).gets("disconnect 0")
	s.idle()
	require.Empty(t, s.run(time.Minute))
}

func TestAbortStillAcksWhatCame(t *testing.T) {
	s := newPackets(t).gets("ordered 0 a").reads("a")
	s.e.Abort(s.now)
	require.Equal(t, "ack @0 and @1; disconnect 0", s.poll()[0])
	require.Len(t, s.run(time.Second), disconnectCopies-1)
	s.sleeps()
}

func TestSideThatClosesNeitherTakesNorAcksNewMessages(t *testing.T) {
	s := newPackets(t).gets("ordered 0 a").reads("a").queues(ReliableOrdered, "x")
	s.poll()
	s.e.Close(s.now)
	s.wait(5*ms).gets("ordered 1 b", "unreliable c", "ordered/1 0 d; clock 5").quiet()
	require.Empty(t, s.run(10*ms))
	s.gets("ordered 0 a").sends("ack @0 and @4-5")
	s.gets("ordered 1 b; ack @1")
	require.Contains(t, s.poll()[0], "disconnect 0", "but it takes their acks")
	s.reads("disconnected: closed locally, 0 undelivered")
}

func TestOffenceAfterTheEndIsHarmless(t *testing.T) {
	s := newPackets(t)
	s.e.Abort(s.now)
	s.poll()
	for _, plain := range [][]byte{{}, {31}, {6, 1}} {
		d := nullSealer{}.Seal(nil, plain, s.number)
		s.number++
		require.Equal(t, "protocol", s.e.HandleDatagram(s.now, d).String())
	}
	s.drops(framing.DropClosed, "ack #9999").drops(framing.DropClosed, "ordered 5- x")
	s.gets("disconnect 3").idle().sleeps()
}

func TestWhatWasAckedBeforeTheGoodbyeIsReadAfterIt(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.UnreadMessages = 3 })
	for i := range 10 {
		s.gets(fmt.Sprintf("ordered %d %d", i, i), fmt.Sprintf("unordered %d u%d", i, i))
	}
	s.gets("ordered 11 late", "disconnect 0")
	events := s.events()
	require.Len(t, events, 21)
	require.Equal(t, "disconnected: closed by peer, 0 undelivered", events[20])
	require.Zero(t, s.e.pool.Outstanding())
}

// Outcomes.

func TestOutcomesOfLossyMessages(t *testing.T) {
	s := newPackets(t)
	s.send("a", SendOptions{Receipt: 1}).poll()
	s.wait(30*ms).send("b", SendOptions{Receipt: 2}).poll()
	s.wait(50*ms).send("c", SendOptions{Receipt: 3}).poll()
	s.wait(50*ms).gets("ack @0 and @2").reads("outcome 3 delivered", "outcome 1 delivered", "outcome 2 lost")
	s.send("d", SendOptions{Mode: Sequenced, Receipt: 4}).poll()
	s.e.Abort(s.now)
	s.reads("outcome 4 cancelled", "disconnected: closed locally, 0 undelivered")
}

func TestNewerSequencedMessageEndsOlderOnes(t *testing.T) {
	s := newPackets(t)
	s.send("a", SendOptions{Mode: ReliableSequenced, Receipt: 1}).poll()
	s.wait(ms).send("b", SendOptions{Mode: ReliableSequenced, Receipt: 2}).sends("sequenced 1 b").reads("outcome 1 superseded")
	s.wait(50 * ms).gets("ack @0 and @1").reads("outcome 2 delivered")
	require.Zero(t, s.e.Stats().InFlight)
}

func TestUrgentSequencedMessageWithdrawsOlderOnesThatWait(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.SendCeiling = 1200 })
	s.send(strings.Repeat("a", 1100), SendOptions{Mode: Sequenced, Receipt: 1})
	for range 9 {
		s.send(strings.Repeat("a", 1100), SendOptions{Mode: Unreliable})
	}
	s.poll()
	s.send("old", SendOptions{Mode: Sequenced, Receipt: 2})
	s.send("new", SendOptions{Mode: Sequenced, Urgent: true, Receipt: 3})
	sent := strings.Join(s.run(3*time.Second), "\n")
	require.Contains(t, sent, "newest 1 new")
	require.NotContains(t, sent, "old")
	s.reads("outcome 2 superseded")
}

func TestMessageInFragmentsHasOneOutcomeAndCountsOnce(t *testing.T) {
	s := newPackets(t)
	big := strings.Repeat("x", 3000)
	s.send(big, SendOptions{Mode: ReliableOrdered, Receipt: 1, TTL: time.Second})
	require.Len(t, s.poll(), 3)
	s.wait(50 * ms).gets("ack @0 and @1").quiet()
	s.gets("ack @2").reads("outcome 1 delivered")
	stats := s.e.Stats()
	require.Equal(t, uint64(1), stats.MessagesSent)
	require.Equal(t, uint64(1), stats.MessagesAcked)
	require.Equal(t, uint64(3000), stats.PayloadSent)

	s = newPackets(t).send(big, SendOptions{Mode: ReliableOrdered, Receipt: 1})
	s.poll()
	s.e.Abort(s.now)
	s.reads("outcome 1 cancelled", "disconnected: closed locally, 1 undelivered")
}

func TestMessageInFragmentsExpiresAsOne(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.SendCeiling = 1200 })
	s.queues(ReliableOrdered, strings.Repeat("a", 12000)).poll()
	s.send(strings.Repeat("b", 3000), SendOptions{Mode: ReliableOrdered, TTL: 100 * ms, Receipt: 1})
	s.run(200 * ms)
	s.reads("outcome 1 expired")
	require.Equal(t, uint64(1), s.e.Stats().MessagesExpired)
}

func TestFragmentsOfASequencedMessageKeepItsNumber(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.SendCeiling = 1200 })
	s.send(strings.Repeat("b", 15*fragmentRoom), SendOptions{Mode: Sequenced})
	first := strings.Join(s.poll(), "\n")
	s.send("c", SendOptions{Mode: Sequenced, Urgent: true})
	rest := strings.Join(s.run(9*time.Second), "\n")
	require.Contains(t, rest, "newest 1 c")
	require.Positive(t, strings.Count(rest, "newestpart 0 0 "))
	require.Equal(t, 15, strings.Count(first+rest, "newestpart 0 0 "))
}

// Sets of fragments.

func TestSetsOfFragmentsAreBoundedAndEnd(t *testing.T) {
	s := newPackets(t)
	for i := range 16 {
		s.gets(fmt.Sprintf("part %d 0/2 a", i)).wait(ms)
	}
	s.gets("part 16 0/2 a") // ends the oldest
	require.Equal(t, uint64(1), s.e.Stats().SetsExpired)
	s.gets("part 1 1/2 b", "part 15 1/2 b").reads("ab", "ab")
	require.Len(t, s.e.packets.sets, 14)
	s.gets("part 0 1/2 b").quiet()
	for _, wait := range []time.Duration{5 * time.Second, 5*time.Second - 2*ms} {
		s.wait(wait).gets("heartbeat").poll()
	}
	require.Len(t, s.e.packets.sets, 2, "each 10 s after its last fragment")
	s.gets("part 16 1/2 b").reads("ab")
	s.wait(20 * ms).poll()
	require.Empty(t, s.e.packets.sets)
	s.gets("part 900 0/2 a", "part 900 1/2 b").reads("ab")
	require.Zero(t, s.e.pool.Outstanding())
}

func TestClaimOfManyFragmentsAllocatesLittle(t *testing.T) {
	s := newPackets(t).gets("part 0 0/2 a", "part 0 1/2 b").reads("ab")
	frames := make([][]byte, 200)
	for i := range frames {
		frames[i] = nullSealer{}.Seal(nil, s.encode(fmt.Sprintf("part %d 1000/1024 a; ordered/%d 1000- b", i, i%63+1)), s.number)
		s.number++
	}
	before := heapBytes()
	for _, d := range frames {
		s.e.HandleDatagram(s.now, d)
	}
	require.Less(t, heapBytes()-before, int64(len(frames)*(2*40+1024)))
	require.Equal(t, StateConnected, s.e.State())
}

func TestTheClockMayBeFarBelowZero(t *testing.T) {
	now := -int64(1_000_000 * time.Second)
	s := &packets{script: &script{t: t, now: now, e: New(now, Config{Role: framing.Client, Sealer: nullSealer{}, HandshakeRTT: 50 * ms})}}
	s.reads("connected").gets("heartbeat").poll()
	s.queues(ReliableOrdered, "a")
	require.Contains(t, strings.Join(s.poll(), "\n"), "ordered 0 a")
	require.Contains(t, strings.Join(s.run(time.Second), "\n"), "ordered 0 a", "and again, since it is not acked")
	s.gets("ordered 0 b").reads("b")
}
