package packet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachChannelAndModeIsAStreamOfItsOwn(t *testing.T) {
	have := map[Stream]bool{}
	for channel := range uint8(MaxChannel + 1) {
		for _, m := range []Mode{Ordered, Unordered, Sequenced} {
			s := StreamOf(channel, m)
			require.Equal(t, channel, s.Channel())
			require.Equal(t, m, s.Mode())
			require.Less(t, int(s), NumStreams)
			have[s] = true
		}
	}
	require.Len(t, have, NumStreams)
}

func TestStreamsAndModesHaveNames(t *testing.T) {
	require.Equal(t, "channel 3 unordered", StreamOf(3, Unordered).String())
	require.Equal(t, "channel 0 ordered", Stream(0).String())
	require.Equal(t, "sequenced", Sequenced.String())
	require.Equal(t, "Mode(3)", Mode(3).String())
}
