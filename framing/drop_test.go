package framing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAcceptedIsTheZeroDrop(t *testing.T) {
	var drop Drop
	require.Equal(t, Accepted, drop)
	require.Equal(t, "accepted", drop.String())
	require.Equal(t, "Drop(48)", Drop(NumDrops).String())
}

func TestDropsCountEachReasonByItself(t *testing.T) {
	for drop := DropEmpty; int(drop) < NumDrops; drop++ {
		var d Drops
		d.Count(drop)
		d.Count(drop)

		require.Equal(t, uint64(2), d[drop])
		require.Equal(t, uint64(2), d.Total())
		require.Equal(t, drop.String()+"=2", d.String())
	}
}

func TestAcceptedIsNotCounted(t *testing.T) {
	var d Drops
	d.Count(Accepted)
	require.Zero(t, d)
	require.Zero(t, d.Total())
	require.Equal(t, "none", d.String())
}

func TestDropsYieldWhatWasCountedInTheOrderOfTheProtocol(t *testing.T) {
	var d Drops
	for _, drop := range []Drop{DropAckAgain, DropShort, DropEmpty, DropShort} {
		d.Count(drop)
	}

	var reasons []Drop
	var counts []uint64
	for drop, n := range d.All() {
		reasons, counts = append(reasons, drop), append(counts, n)
	}
	require.Equal(t, []Drop{DropEmpty, DropShort, DropAckAgain}, reasons)
	require.Equal(t, []uint64{1, 2, 1}, counts)
	require.Equal(t, uint64(4), d.Total())
	require.Equal(t, "empty=1 short=2 ack-again=1", d.String())
}

func TestDropsMayBeLeftEarly(t *testing.T) {
	d := Drops{DropEmpty: 1, DropKind: 2}
	for drop := range d.All() {
		require.Equal(t, DropEmpty, drop)
		break
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	var d Drops
	var sum uint64
	require.Zero(t, testing.AllocsPerRun(100, func() {
		d.Count(DropKind)
		sum += d.Total()
	}))
	require.NotZero(t, sum)
}
