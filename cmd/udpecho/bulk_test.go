package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBulkReportsGoodputQueueAndGame(t *testing.T) {
	o := simulate(t, "-bulk", "1000000000", "-for", "10s", "-loss", "1", "-queue", "500000")
	for _, name := range []string{
		"goodput_mbit", "ceiling_mbit", "queue_mean_ms", "queue_p95_ms", "queue_p99_ms", "overshoot_ms", "overshoot_time_ms", "game_p99_added_ms",
		"game_p99_added_apart_ms", "bulk_loss_pct", "trace_hash",
	} {
		require.Contains(t, o, name)
	}
	require.InDelta(t, 20*0.99*1170/1228, o["ceiling_mbit"], 0.01)
	require.Greater(t, o["goodput_mbit"], 0.9*o["ceiling_mbit"].(float64))
	require.NotContains(t, o, "jain")
	require.NotContains(t, o, "share")
	require.Equal(t, o, simulate(t, "-bulk", "1000000000", "-for", "10s", "-loss", "1", "-queue", "500000"), "a seed is a run")
}

func TestBulkOfSeveralFlowsReportsHowTheyShare(t *testing.T) {
	o := simulate(t, "-bulk", "1000000000", "-for", "10s", "-flows", "2")
	require.Greater(t, o["jain"], 0.9)
	o = simulate(t, "-bulk", "1000000000", "-for", "10s", "-delays", "12.5ms,50ms")
	require.Contains(t, o, "ratio")
	o = simulate(t, "-bulk", "1000000000", "-for", "10s", "-against", "cubic")
	require.Contains(t, o, "share")
	require.Contains(t, o, "cubic_mbit")
}

func TestBulkReportsHowItFollowsAStep(t *testing.T) {
	o := simulate(t, "-bulk", "1000000000", "-for", "12s", "-step", "5")
	require.LessOrEqual(t, o["step_queue_ms"], 1000.0)
	require.LessOrEqual(t, o["step_rate_ms"], 2000.0)
}

func TestBulkEndsWhenAllHasArrived(t *testing.T) {
	r := udpecho(t, "sim", "-bulk", "5000000", "-against", "cubic", "-step", "10", "-flows", "2")
	require.Zero(t, r.code, r.err)
	for _, line := range []string{"goodput ", "queue ", "start-up ", "game ", "lost ", "fairness ", "share ", "step ", "trace hash "} {
		require.Contains(t, "\n"+r.out, "\n"+line, "%s", line)
	}
}

func TestMessagesInFragmentsAreCompleteInTheirFirstFlight(t *testing.T) {
	for _, row := range []struct {
		budget           string
		complete, atMost float64
		mode             string
	}{
		{"1.3", 99.4, 1.33, "unreliable"}, {"1.3", 99.3, 1.33, "ordered"}, {"1.2", 97.3, 1.22, "unreliable"},
	} {
		o := simulatePackets(t, "-size", "11000", "-loss", "5", "-rate", "10", "-n", "3000", "-budget", row.budget, "-mode", row.mode)
		require.GreaterOrEqual(t, o["first_flight_pct"], row.complete, "goals of 99.5 and 97.5, less what 3,000 messages can be off")
		require.LessOrEqual(t, o["fragments_ratio"], row.atMost)
		require.Greater(t, o["fragments_rebuilt"], 1000.0)
	}
	require.NotContains(t, simulatePackets(t, "-n", "100"), "first_flight_pct")
}
