package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/testflag"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// simulate runs udpecho sim with -json and gives the object.
func simulate(t *testing.T, args ...string) map[string]any {
	t.Helper()
	r := udpecho(t, append([]string{"sim", "-json"}, args...)...)
	require.Zero(t, r.code, r.err)
	require.Empty(t, r.err)
	return r.object(t)
}

func TestPerfectLinkAddsNothing(t *testing.T) {
	o := simulate(t, "-loss", "0", "-delay", "25ms", "-n", "20000")
	for _, quantile := range []string{"p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms"} {
		require.EqualValues(t, 25, o[quantile], quantile)
	}
	require.EqualValues(t, 20000, o["sent"])
	require.EqualValues(t, 20000, o["delivered"])
	require.LessOrEqual(t, o["bytes_ratio"], 1.005)
	for _, none := range []string{"duplicates", "out_of_order", "repairs", "spurious"} {
		require.Zero(t, o[none], none)
	}
	// A Connect and a Heartbeat, then one Reliable for each message; an Accept, then one Ack for each.
	require.EqualValues(t, (28+14)+(28+1)+20000*(28+5+64), o["wire_bytes_forward"])
	require.EqualValues(t, (28+2)+20000*(28+5), o["wire_bytes_reverse"])
}

func TestOrderedMessagesArriveUnderLoss(t *testing.T) {
	for _, args := range [][]string{
		{"-loss", "20"},
		{"-loss", "5", "-loss-back", "40"},
		{"-loss", "5", "-burst", "3"},
		{"-loss", "5", "-burst-time", "100ms"},
		{"-loss", "5", "-jitter", "20ms", "-dup", "5", "-reorder", "5"},
		{"-loss", "2", "-urgent", "-budget", "2.0"},
		{"-loss", "1", "-rate-limit", "1", "-rate", "200"},
		{"-loss", "0", "-rate", "20000", "-size", "4"},
		{"-loss", "2", "-size", "1195"},
	} {
		o := simulate(t, append(args, "-n", "2000")...)
		require.EqualValues(t, 2000, o["delivered"], args)
		require.Zero(t, o["duplicates"], args)
		require.Zero(t, o["out_of_order"], args)
	}
}

func TestUnreliableLossesAreCounted(t *testing.T) {
	o := simulate(t, "-mode", "unreliable", "-loss", "10", "-n", "20000")
	require.InDelta(t, 18000, o["delivered"], 250, "nearly six standard deviations")
	require.EqualValues(t, 20000, o["sent"])
	require.EqualValues(t, 25, o["max_ms"])
	require.InDelta(t, 1, o["bytes_ratio"], 0.001)
}

func TestOneSeedGivesOneRun(t *testing.T) {
	args := []string{"-loss", "5", "-jitter", "3ms", "-n", "3000", "-seed"}
	first := simulate(t, append(args, "7")...)
	require.Equal(t, first, simulate(t, append(args, "7")...))
	require.NotEqual(t, first["trace_hash"], simulate(t, append(args, "8")...)["trace_hash"])
	require.Len(t, first["trace_hash"], 16)
}

func TestSeedsArePooled(t *testing.T) {
	pooled := simulate(t, "-n", "3000", "-seed", "1-3")
	sum := map[string]float64{}
	for _, seed := range []string{"1", "2", "3"} {
		o := simulate(t, "-n", "3000", "-seed", seed)
		require.NotEqual(t, o["trace_hash"], pooled["trace_hash"])
		for _, name := range []string{"sent", "delivered", "wire_bytes_forward", "wire_bytes_reverse", "repairs", "spurious"} {
			sum[name] += o[name].(float64)
		}
	}
	for name, want := range sum {
		require.Equal(t, want, pooled[name], name)
	}
	require.Equal(t, "1-3", pooled["seed"])
}

func TestOutagesHaveAFloorThatNobodyBeats(t *testing.T) {
	o := simulate(t, "-loss", "5", "-burst-time", "100ms", "-n", "20000")
	require.Greater(t, o["floor_p99_ms"], 25.0)
	require.GreaterOrEqual(t, o["p99_ms"], o["floor_p99_ms"])
	require.GreaterOrEqual(t, o["p999_ms"], o["floor_p999_ms"])
	require.NotContains(t, simulate(t, "-n", "100"), "floor_p99_ms")
}

func TestLossStepReportsAdaptation(t *testing.T) {
	o := simulate(t, "-loss-step", "5", "-n", "10000")
	require.Less(t, o["adapt_ms"], 10_000.0)
	require.EqualValues(t, 4, o["adapt_steps"])
	require.Positive(t, o["repairs"])
	require.NotContains(t, simulate(t, "-n", "100"), "adapt_ms")
}

func TestSimReportsForPeople(t *testing.T) {
	r := udpecho(t, "sim", "-n", "1000", "-burst-time", "50ms")
	require.Zero(t, r.code, r.err)
	for _, part := range []string{"delivered    1000, twice 0, out of order 0", "latency      p50 25 ms", "floor", "known to be needless", "mean of blocks of 10,000), greatest ", "trace hash", "###"} {
		require.Contains(t, r.out, part)
	}
}

func TestImpossibleSimulationsAreUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-wire", "tcp"}, {"-rate", "0"}, {"-rate", "Inf"}, {"-size", "3"}, {"-size", "1196"}, {"-n", "0"}, {"-n", "10000001"},
		{"-seed", "x"}, {"-seed", "3-1"}, {"-seed", "1-"}, {"-seed", "1-2000"}, {"-seed", "-1"}, {"-budget", "0.9"}, {"-budget", "5"},
		{"-loss-step", "101"}, {"-loss-step", "5", "-burst", "3"}, {"-loss", "200"}, {"-mode", "sequenced"},
	} {
		r := udpecho(t, append([]string{"sim"}, args...)...)
		require.Equal(t, exitUsage, r.code, args)
		require.Empty(t, r.out, args)
	}
}

func TestRunWithoutAConnectionFails(t *testing.T) {
	r := udpecho(t, "sim", "-loss", "100", "-seed", "4-5")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "seed 4: connecting")
	require.Contains(t, r.err, "seed 5: connecting")
}

func TestRunWhoseConnectionBreaksReportsAndFails(t *testing.T) {
	p := simPlan{seed: 1, messages: 1000, rate: 30, size: 64, mode: transport.ReliableOrdered}
	cut := false
	p.forward.Drop = func(payload []byte) bool { // everything, from sequence 100 on
		cut = cut || payload[0] == 5 && payload[1] == 100
		return cut
	}
	r, err := p.run(t.Context())
	require.NotNil(t, r)
	require.ErrorContains(t, err, "seed 1: the connection ended after")
	require.ErrorContains(t, brokenPromises([]*simRun{r}), "ordered messages never arrived")
}

func TestBrokenPromisesOfARunAreNamedWithItsSeed(t *testing.T) {
	good, err := simPlan{seed: 1, messages: 10, rate: 30, size: 64, mode: transport.ReliableOrdered}.run(t.Context())
	require.NoError(t, err)
	bad, err := simPlan{seed: 2, messages: 10, rate: 30, size: 64, mode: transport.ReliableOrdered}.run(t.Context())
	require.NoError(t, err)
	bad.ledger.arrive(appendMessage(nil, 0, 4, 64), 1)
	require.NoError(t, brokenPromises([]*simRun{good}))
	require.ErrorContains(t, brokenPromises([]*simRun{good, bad}), "seed 2: 1 of 10 ordered messages were delivered twice")
}

func TestInterruptedSimulationHasNoResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := udpechoUntil(ctx, "sim", "-n", "500000", "-json")
	require.Equal(t, exitRuntime, r.code)
	require.Empty(t, r.out)
	require.Contains(t, r.err, "interrupted")
}

func TestMessagesAreSentAroundTheirTurnAndInOrder(t *testing.T) {
	r, err := simPlan{seed: 1, messages: 5000, rate: 3000, size: 10, mode: transport.Unreliable}.run(t.Context())
	require.NoError(t, err)
	start := r.due[0]
	for i, due := range r.due {
		require.InDelta(t, float64(start)+float64(i)*1e9/3000, due, 1.0e6)
		require.True(t, i == 0 || due >= r.due[i-1])
		require.Equal(t, due, r.ledger.entries[i].sentAt)
	}
}

func TestLossStepsComeAfterEachMinute(t *testing.T) {
	for _, row := range []struct {
		name     string
		messages int
		steps    int
	}{{"a run too short for that has one in its middle", 300, 1}, {"two minutes", 30 * 120, 1}, {"three periods of 80 s", 30 * 240, 3}} {
		for _, packets := range []bool{false, true} {
			p := simPlan{seed: 1, messages: row.messages, rate: 30, size: 64, mode: transport.ReliableOrdered, packets: packets, budget: 130}
			p.step = sim.Percent(5)
			r, err := p.run(t.Context())
			require.NoError(t, err)
			r.steps.settle(r.nw.Now())
			require.Len(t, r.steps.adapted, row.steps, row.name)
			for _, took := range r.steps.adapted {
				require.Positive(t, took)
			}
		}
	}
}

func TestSenderHasAdaptedOnceARepairLeavesTwice(t *testing.T) {
	const second = int64(time.Second)
	conn := &countingConn{copies: 7}
	var s lossSteps
	s.watch(1*second, conn)
	s.begin(2*second, conn)
	s.watch(3*second, conn)
	conn.copies++
	s.watch(4*second, conn)
	conn.copies++
	s.watch(5*second, conn)
	s.settle(6 * second)
	s.begin(7*second, conn)
	s.settle(27 * second)
	require.Equal(t, []int64{2 * second, 20 * second}, s.adapted, "the second step was never adapted to")
}

// countingConn is a connection of which only the copies of repairs are known.
type countingConn struct {
	simConn
	copies uint64
}

func (c *countingConn) Stats() (s udp.Stats) {
	s.RepairCopies = c.copies
	return s
}

// The goals are for 300,000 messages of each of three seeds. A shorter run has fewer of the rare cases to average over.
func TestLatencyGoalsOfTheBaseProtocolHold(t *testing.T) {
	size, slack := []string{"-n", "20000"}, 5.0
	if testflag.Long() {
		size, slack = []string{"-n", "300000", "-seed", "1-3"}, 0
	}
	for _, goal := range []struct {
		loss                  string
		p99, p999, max, bytes float64
	}{
		{"0.5", 80, 80, 120, 1.05},
		{"2", 80, 85, 120, 1.12},
		{"5", 80, 85, 130, 1.25},
	} {
		o := simulate(t, append([]string{"-delay", "25ms", "-rate", "30", "-loss", goal.loss}, size...)...)
		require.LessOrEqual(t, o["p99_ms"], goal.p99+slack, goal.loss)
		require.LessOrEqual(t, o["p999_ms"], goal.p999+slack, goal.loss)
		require.LessOrEqual(t, o["max_ms"], goal.max+2*slack, goal.loss)
		require.LessOrEqual(t, o["bytes_ratio"], goal.bytes, goal.loss)
	}
}

func TestParsedSeeds(t *testing.T) {
	seeds, err := parseSeeds("18446744073709551614-18446744073709551615")
	require.NoError(t, err)
	require.Len(t, seeds, 2)
}
