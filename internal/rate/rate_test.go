package rate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// passes is how many of n events at time now are let through.
func passes(b *Bucket, now int64, n int) (passed int) {
	for range n {
		if b.Take(now, 4, 8*time.Nanosecond) {
			passed++
		}
	}
	return passed
}

func TestABurstPassesAndThenTheRate(t *testing.T) {
	b := Full
	require.Equal(t, 4, passes(&b, -100, 9))
	require.Equal(t, 0, passes(&b, -99, 9))
	require.Equal(t, 1, passes(&b, -98, 9))
	require.Equal(t, 3, passes(&b, -92, 9), "one each 2 ns")
	require.Equal(t, 4, passes(&b, 1000, 9), "no more than the burst is saved")
}

func TestTheZeroBucketIsFull(t *testing.T) {
	var b Bucket
	require.Equal(t, 4, passes(&b, 0, 9))
}

func TestAClockThatJumpsBackLocksNobodyOut(t *testing.T) {
	var b Bucket
	require.Equal(t, 4, passes(&b, 1000, 9))
	require.Equal(t, 4, passes(&b, 500, 9))
}
