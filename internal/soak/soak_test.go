package soak

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireWhole plays plans and requires that no invariant was broken.
func requireWhole(t *testing.T, n int, draw func(i int) Plan) *Series {
	t.Helper()
	all := RunAll(n, draw, nil)
	if r := all.Broken; r != nil {
		require.Fail(t, r.Broken.Error(), "%v%s%s\nagain: go run ./cmd/udpecho soak -seeds 1 -first %d -span %v", r.Plan, r.Plan.Script(), r.Sessions, r.Plan.Seed, r.Plan.Span)
	}
	return all
}

func TestWorldsHoldTheirInvariants(t *testing.T) {
	all := requireWhole(t, 24, func(i int) Plan { return Draw(uint64(1+i), 20*time.Second) })
	require.Equal(t, 24, all.Worlds)
	require.Greater(t, all.UpTime, 20*time.Minute)
}

func TestSeedsThatOnceFailedHold(t *testing.T) {
	kept := Kept()
	requireWhole(t, len(kept), func(i int) Plan { return Draw(kept[i].Seed, kept[i].Span) })
}

func TestOneSeedIsOneWorld(t *testing.T) {
	for seed := range uint64(9) { // the last of each eight is heavy
		p := Draw(seed, 10*time.Second)
		require.Equal(t, p, Draw(seed, 10*time.Second))
		require.Equal(t, p.Run().Hash, p.Run().Hash)
	}
}
