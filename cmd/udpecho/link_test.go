package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// parseLink reads link flags alone.
func parseLink(t *testing.T, args ...string) (forward, back sim.Conditions, err error) {
	t.Helper()
	var l linkFlags
	fs := newFlags("test", "", "")
	l.register(fs)
	require.NoError(t, fs.parse(args))
	return l.conditions()
}

func TestLinkFlagsMakeConditionsOfBothDirections(t *testing.T) {
	forward, back, err := parseLink(t, "-loss", "5", "-delay", "25ms", "-jitter", "5ms", "-dup", "1", "-reorder", "2", "-reorder-delay", "7ms",
		"-rate-limit", "1.5", "-queue", "3000")
	require.NoError(t, err)
	require.Equal(t, forward, back)
	require.Equal(t, sim.Conditions{
		Delay: 25 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: sim.Percent(5),
		Duplicate: sim.Percent(1), DuplicateDelay: 7 * time.Millisecond, Reorder: sim.Percent(2), ReorderDelay: 7 * time.Millisecond,
		Rate: 1_500_000, Queue: 3000,
	}, forward)
}

func TestLossBackIsLossUnlessItIsGiven(t *testing.T) {
	_, back, err := parseLink(t, "-loss", "5")
	require.NoError(t, err)
	require.Equal(t, sim.Percent(5), back.Loss)
	forward, back, err := parseLink(t, "-loss", "5", "-loss-back", "0")
	require.NoError(t, err)
	require.Equal(t, sim.Percent(5), forward.Loss)
	require.Zero(t, back.Loss)
}

func TestBurstsReplaceIndependentLoss(t *testing.T) {
	forward, back, err := parseLink(t, "-loss", "5", "-loss-back", "2", "-burst", "3")
	require.NoError(t, err)
	require.Zero(t, forward.Loss)
	require.Equal(t, sim.Burst{Average: sim.Percent(5), Length: 3}, forward.Burst)
	require.Equal(t, sim.Burst{Average: sim.Percent(2), Length: 3}, back.Burst)

	forward, _, err = parseLink(t, "-loss", "5", "-burst-time", "100ms")
	require.NoError(t, err)
	require.Zero(t, forward.Loss)
	require.Equal(t, sim.Outage{Average: sim.Percent(5), Mean: 100 * time.Millisecond}, forward.Outage)
}

func TestImpossibleLinksAreUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-loss", "-1"}, {"-loss", "101"}, {"-loss", "NaN"}, {"-loss-back", "101"}, {"-dup", "200"}, {"-reorder", "-5"},
		{"-delay", "-1ms"}, {"-jitter", "-1ms"}, {"-burst", "-1"}, {"-burst-time", "-1s"}, {"-burst", "3", "-burst-time", "1s"},
		{"-loss-back", "-7"}, {"-loss-back", "NaN"}, {"-burst", "3"}, {"-burst-time", "1s"},
		{"-loss", "99", "-burst", "1"}, {"-rate-limit", "-1"}, {"-rate-limit", "NaN"}, {"-queue", "-1"}, {"-reorder-delay", "-1s"},
	} {
		_, _, err := parseLink(t, args...)
		require.Equal(t, exitUsage, exitStatus(err), args)
	}
}
