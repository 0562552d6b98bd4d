package reliable

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

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
