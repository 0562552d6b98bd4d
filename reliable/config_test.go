package reliable

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChannelsAreOfTheGameUnlessTheySayOtherwise(t *testing.T) {
	class, weight := (&Config{Channels: []Channel{2: {Class: ClassBulk, Weight: 9}}}).channel(1)
	require.Equal(t, ClassGame, class)
	require.EqualValues(t, 1, weight)
	for _, bad := range []Channel{{Class: ClassControl - 1}, {Class: ClassBulk + 1}, {Weight: -1}, {Weight: MaxWeight + 1}} {
		require.ErrorContains(t, Config{Channels: []Channel{{}, bad}}.Check(), "Channels[1]")
	}
	require.ErrorContains(t, Config{Channels: make([]Channel, Channels+1)}.Check(), "there are 64")
	require.NoError(t, Config{Channels: []Channel{{Class: ClassControl, Weight: MaxWeight}}}.Check())
}

func TestSendCeilingIsBoundedByWhatLimitsCanCount(t *testing.T) {
	for _, ceiling := range []int64{maxCeiling + 1, math.MaxInt64} {
		require.ErrorContains(t, Config{SendCeiling: ceiling}.Check(), "SendCeiling")
	}
	s := newHost(t, func(c *Config) { c.SendCeiling = maxCeiling })
	for range 1000 {
		s.gets("heartbeat")
	}
	s.queues(Unreliable, "x").sends("unreliable x")
}
