package packet

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// manyRuns returns n runs of one packet, each behind a gap of one.
func manyRuns(n int) []Run { return slices.Repeat([]Run{{1, 1}}, n) }

func TestRunsComeBackAsTheyWereAppended(t *testing.T) {
	for _, all := range [][]Run{
		{{0, 1}},
		{{0, 128}},
		{{0, 129}},
		{{0, 16384}},
		{{0, 1}, {1, 1}},
		{{0, 3}, {127, 128}, {128, 127}, {129, 129}},
		append([]Run{{0, 1}}, manyRuns(63)...),
		append([]Run{{0, 16384}}, slices.Repeat([]Run{{16384, 16384}}, 63)...),
	} {
		r := runs(all...)
		require.Equal(t, len(all), r.Len())
		require.Equal(t, all, slices.Collect(r.All()))

		f := Frame{Kind: KindAck, Ack: Ack{Form: Ranges, Largest: 7, Runs: r}}
		require.Equal(t, []Frame{f}, parseAll(t, build(f)))
	}
}

func TestTheLargestRunsHaveTheSizeOfTheLimit(t *testing.T) {
	require.Len(t, runs(append([]Run{{0, MaxRun}}, slices.Repeat([]Run{{MaxRun, MaxRun}}, MaxRuns-1)...)...), MaxRunsSize)
}

func TestRunsCanBeLeftEarly(t *testing.T) {
	var seen []Run
	for run := range runs(Run{0, 5}, Run{1, 6}, Run{2, 7}).All() {
		seen = append(seen, run)
		if len(seen) == 2 {
			break
		}
	}
	require.Equal(t, []Run{{0, 5}, {1, 6}}, seen)
}

func TestMalformedRunsEndWhereTheyGoWrong(t *testing.T) {
	for _, c := range []struct {
		runs Runs
		want []Run
	}{
		{nil, nil},
		{Runs{}, nil},
		{Runs{0}, nil},
		{Runs{1}, nil},
		{Runs{2, 4, 0}, []Run{{0, 5}}},
		{Runs{255, 4, 0, 0x80, 0}, []Run{{0, 5}}},
	} {
		require.Equal(t, c.want, slices.Collect(c.runs.All()), "% X", []byte(c.runs))
	}
}
