package reliable

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// ms is a shorter way to write a time in scripts.
const ms = time.Millisecond

// settled returns a connected client whose estimate of a 50 ms round trip has settled: its deadline is 54 ms.
func settled(t *testing.T, change ...func(*Config)) (*script, int) {
	s := newConnected(t, change...)
	for i := range 40 {
		s.queues(ReliableOrdered, "x").poll()
		s.run(50 * ms)
		s.gets(fmt.Sprintf("ack %d", i))
	}
	require.Equal(t, 54*ms, s.e.Stats().Deadline)
	return s, 40
}

func TestMessageIsSentAgainAtItsDeadline(t *testing.T) {
	s, seq := settled(t)
	s.queues(ReliableOrdered, "x")
	lost := fmt.Sprintf("reliable %d x", seq)
	require.Equal(t, []string{"0s " + lost, "54ms " + lost}, s.run(60*ms))
	s.gets(fmt.Sprintf("ack %d", seq)).idle()
}

func TestLaterSendsDoNotMoveADeadline(t *testing.T) {
	s, seq := settled(t)
	s.queues(ReliableOrdered, "x").sends(fmt.Sprintf("reliable %d x", seq)).run(33 * ms)
	s.queues(ReliableOrdered, "y").sends(fmt.Sprintf("reliable %d y", seq+1))
	require.Equal(t, []string{fmt.Sprintf("21ms reliable %d x", seq)}, s.run(30*ms))
}

func TestRepairsAreCopiedOnLinksThatLose(t *testing.T) {
	for _, c := range []struct {
		lossPercent int
		copies      int
	}{{0, 1}, {5, 2}, {25, 3}} {
		s, seq := settled(t)
		s.e.repair.missed = int64(c.lossPercent) * missScale / 100
		s.queues(ReliableOrdered, "x").poll()
		out := s.run(54*ms + 15*ms)
		require.Len(t, out, c.copies, "%d %% of first copies lost", c.lossPercent)
		for i, line := range out {
			require.Equal(t, fmt.Sprintf("%dms reliable %d x", 54+4*i, seq), line)
		}
	}
}

func TestCopiesStopWhenTheBudgetIsSpentButRepairsDoNot(t *testing.T) {
	s, seq := settled(t, func(c *Config) { c.Budget = 100 })
	s.e.repair.missed = missScale / 10
	s.e.repair.account = 0
	s.queues(ReliableOrdered, "x").poll()
	require.Equal(t, []string{fmt.Sprintf("54ms reliable %d x", seq)}, s.run(70*ms))
}

func TestUrgentMessageIsSentTwiceEarlyOnALossyLink(t *testing.T) {
	s, seq := settled(t)
	urgent := SendOptions{Mode: ReliableOrdered, Urgent: true}
	require.NoError(t, s.e.Send(s.now, []byte("x"), urgent))
	require.Len(t, s.run(20*ms), 1, "not on a clean one")
	s.gets(fmt.Sprintf("ack %d", seq))

	s.e.repair.missed = missScale / 20
	require.NoError(t, s.e.Send(s.now, []byte("x"), urgent))
	again := fmt.Sprintf("reliable %d x", seq+1)
	require.Equal(t, []string{"0s " + again, "6ms " + again}, s.run(20*ms))
	require.Equal(t, uint64(1), s.e.Stats().EarlyDuplicates)
}

func TestUrgentMessagesEndGrownDeadlinesToo(t *testing.T) {
	s, seq := settled(t)
	s.e.repair.missed, s.e.repair.missesInRow = missScale/20, patience+1
	require.NoError(t, s.e.Send(s.now, []byte("x"), SendOptions{Mode: ReliableOrdered, Urgent: true}))
	require.Len(t, s.run(50*ms), 2)
	s.gets(fmt.Sprintf("ack %d", seq)) // too soon for the second copy
	require.False(t, s.e.repair.wasStretched)
	require.Equal(t, 50*ms, s.e.Stats().RTTSmoothed)
}

func TestAckOfARepairedMessageGivesNoSample(t *testing.T) {
	s, seq := settled(t)
	s.queues(ReliableOrdered, "x").run(104 * ms)
	s.gets(fmt.Sprintf("ack %d", seq))
	require.Equal(t, 50*ms, s.e.Stats().RTTSmoothed)
	require.Zero(t, s.e.Stats().SpuriousRepairs)
}

func TestNeedlessRepairIsRecognisedAndWidensTheDeadline(t *testing.T) {
	s, seq := settled(t)
	before := s.e.Stats().Deadline
	s.queues(ReliableOrdered, "x").run(60 * ms)
	s.gets(fmt.Sprintf("ack %d", seq)) // 6 ms after the repair: it can only answer the first copy
	after := s.e.Stats()
	require.Equal(t, uint64(1), after.SpuriousRepairs)
	require.GreaterOrEqual(t, after.Deadline, before+6*ms)
}

func TestWidenedDeadlineNarrowsAfterSixteenNeededRepairs(t *testing.T) {
	r := newRTTEstimator()
	for range 2000 {
		r.sample(start, int64(50*ms))
	}
	r.repairWasNeedless(start, never)
	widened := r.timeout()
	for range cleanRepairs - 1 {
		r.repairWasNeeded(start)
		require.Equal(t, widened, r.timeout())
	}
	r.repairWasNeeded(start)
	require.Equal(t, int64(54*ms), r.timeout())
}

func TestWidenedDeadlineNarrowsWithTimeOnACleanLink(t *testing.T) {
	r := newRTTEstimator()
	r.repairWasNeedless(start, never)
	for i := range 100 {
		r.sample(start+int64(i)*int64(time.Second), int64(50*ms))
	}
	require.Zero(t, r.extra)
}

func TestDeadlineWidensByNoMoreThanWasMissing(t *testing.T) {
	r := newRTTEstimator()
	r.sample(start, int64(48*ms))
	r.repairWasNeedless(start, int64(2*ms))
	require.EqualValues(t, 2*ms, r.extra)
	r.repairWasNeedless(start, int64(50*ms))
	require.EqualValues(t, 8*ms, r.extra, "an eighth of the round trip at most")
}

func TestWideningIsBounded(t *testing.T) {
	r := newRTTEstimator()
	r.sample(start, int64(50*ms))
	for range 100 {
		r.repairWasNeedless(start, never)
	}
	require.Equal(t, r.smoothed/2, r.extra)
}

func TestDeadlineStaysInItsBounds(t *testing.T) {
	for _, sample := range []time.Duration{0, time.Microsecond, ms, 50 * ms, time.Second, time.Hour, -time.Hour} {
		s := newConnected(t)
		s.e.rtt.sample(s.now, int64(sample))
		wait := s.e.rtt.timeout()
		require.GreaterOrEqual(t, wait-s.e.rtt.smoothed, minMargin)
		for round := range uint8(255) {
			w := s.e.nextDeadline(round)
			require.GreaterOrEqual(t, w, wait)
			require.LessOrEqual(t, w, max(longestWait, wait*3/2))
		}
	}
}

func TestDeadlineFollowsAPathThatBecameSlower(t *testing.T) {
	s, seq := settled(t)
	acks := map[time.Duration][]int{}
	sent, early := 0, uint64(0)
	for at := time.Duration(0); at < 4*time.Second; at += ms {
		if at%(33*ms) == 0 {
			s.queues(ReliableOrdered, "x")
			acks[at+300*ms] = append(acks[at+300*ms], seq+sent)
			sent++
		}
		for _, a := range acks[at] {
			s.e.HandleDatagram(s.now, framing.AppendAck(nil, int32(a)))
		}
		s.poll()
		s.wait(ms)
		if at == time.Second {
			early = resent(s.e.Stats())
		}
	}
	require.InDelta(t, 300*ms, s.e.Stats().RTTSmoothed, float64(10*ms))
	require.Less(t, early, uint64(100), "ten messages were in flight when the path changed, and a few followed")
	require.Equal(t, early, resent(s.e.Stats()), "after that none is repaired for nothing")
}

func resent(s Stats) uint64 { return s.Repairs + s.RepairCopies + s.Probes }

func TestOutageIsProbedSteadilyWithOneCopy(t *testing.T) {
	s, seq := settled(t)
	s.e.repair.missed = missScale / 5
	for range 5 {
		s.queues(ReliableOrdered, "x").run(10 * ms)
	}
	s.run(200 * ms)
	require.Equal(t, uint64(1), s.e.Stats().Outages)
	oldest := fmt.Sprintf("reliable %d x", seq)
	probes := s.run(270 * ms)
	require.Len(t, probes, 10, "every 27 ms, half a deadline")
	for _, p := range probes {
		require.Contains(t, p, oldest)
	}
}

func TestOutageIsSeenBeforeTheFirstAckAtAnyTime(t *testing.T) {
	for _, now := range []int64{-start, start} {
		s := &script{t: t, e: New(now, Config{Role: framing.Host, PeerID: 1}), now: now}
		s.gets("heartbeat").queues(ReliableOrdered, "x").run(time.Second)
		require.Equal(t, uint64(1), s.e.Stats().Outages)
	}
}

func TestOutageProbesSlowDownAfterASecond(t *testing.T) {
	s, _ := settled(t)
	s.queues(ReliableOrdered, "x").run(5 * time.Second)
	require.InDelta(t, 4, len(s.run(time.Second)), 1, "250 ms apart, and a heartbeat at most")
}

func TestFirstAckAfterAnOutageSendsEverythingOverdueOnce(t *testing.T) {
	s, seq := settled(t)
	for range 5 {
		s.queues(ReliableOrdered, "x").run(10 * ms)
	}
	s.run(2 * time.Second)
	s.gets(fmt.Sprintf("ack %d", seq))
	want := []string{}
	for i := 1; i < 5; i++ {
		want = append(want, fmt.Sprintf("reliable %d x", seq+i))
	}
	s.sends(want...)
	require.Empty(t, s.run(20*ms), "and no copies")
}

func TestNoNumberOfRepairsEndsASession(t *testing.T) {
	s, seq := settled(t)
	s.queues(ReliableOrdered, "x")
	for range 600 {
		s.run(time.Second)
		s.gets("heartbeat")
	}
	require.Equal(t, StateConnected, s.e.State())
	require.Less(t, s.e.Stats().Repairs+s.e.Stats().Probes, uint64(600*5))
	s.gets(fmt.Sprintf("ack %d", seq)).idle()
}

func TestNothingInFlightMeansNoTimerButHeartbeatAndSilence(t *testing.T) {
	s, _ := settled(t)
	s.poll()
	require.Equal(t, s.e.said+int64(time.Second), s.e.NextDeadline())
}

func TestDueHeapAlwaysNamesTheEarliestAndOfThoseTheOldest(t *testing.T) {
	var h dueHeap
	msgs := make([]outMessage, 500)
	at := make(map[int32]int64)
	for i := range msgs {
		msgs[i].order = uint64(math.MaxUint32>>indexBits - len(msgs)/4 + i/2) // the heap has the low bits
		msgs[i].index = uint16(i % 2)
	}
	state := uint32(7)
	random := func(n int) int { state = state*1664525 + 1013904223; return int(state>>8) % n }
	for range 20_000 {
		slot := int32(random(len(msgs)))
		_, there := at[slot]
		switch {
		case !there:
			at[slot] = int64(random(100))
			h.add(msgs, slot, at[slot])
		case random(2) == 0:
			at[slot] = int64(random(100))
			h.move(msgs, slot, at[slot])
		default:
			h.remove(msgs, slot)
			delete(at, slot)
		}
		earliest, oldest := never, none
		for slot, v := range at {
			if v < earliest || v == earliest && slot < oldest {
				earliest, oldest = v, slot
			}
		}
		require.Equal(t, earliest, h.next())
		if len(at) > 0 {
			require.Equal(t, oldest, h.entries[0].slot, "of those the oldest")
		}
	}
}

func TestPoolKeepsItsBooksAndBoundsWhatItHolds(t *testing.T) {
	p := &Pool{Poison: true}
	var taken [][]byte
	for n := range 5000 {
		b := p.get(n)
		require.Len(t, b, n)
		taken = append(taken, b)
	}
	for _, b := range taken {
		p.put(b)
	}
	require.Zero(t, p.Outstanding())
	idle := 0
	for class, free := range p.classes {
		idle += len(free) << class
	}
	require.Equal(t, idle, p.idle)
	require.InDelta(t, maxIdleBytes, idle, 8<<10, "what was taken is more than it keeps")
	require.Equal(t, byte(0xDD), p.get(64)[:64][63])
}

// What needless repairs have added while a queue made round trips long must not outlive the queue.
func TestDeadlinesFitAgainOnceAQueueIsGone(t *testing.T) {
	r := newRTTEstimator()
	now := int64(0)
	sample := func(rtt time.Duration) {
		now += int64(rtt)
		r.sample(now, int64(rtt))
	}
	for range 20 {
		sample(2 * time.Second)
		r.repairWasNeedless(now, int64(time.Second))
	}
	require.Greater(t, time.Duration(r.timeout()), 2900*time.Millisecond)
	for range 100 {
		sample(100 * time.Millisecond)
	}
	require.LessOrEqual(t, time.Duration(r.timeout()), 500*time.Millisecond)
}

func TestOfFragmentsThatAreInFlightTheFirstIsTheOldest(t *testing.T) {
	q := sendQueue{slots: []outMessage{{order: 7, index: 1}, {order: 7}, {order: 7, index: 2}}}
	for slot := range int32(3) {
		q.due.entries = append(q.due.entries, dueEntry{slot: slot}) // in whatever order the heap has them
	}
	require.EqualValues(t, 1, q.oldestFrom(0, -1, false))
	require.EqualValues(t, 2, q.newestBefore(^uint64(0), -1))
	require.Same(t, &q.slots[1], q.oldestInFlight())
}
