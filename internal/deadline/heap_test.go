package deadline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/deadline"
)

func TestEmptyHeapHasNoDeadline(t *testing.T) {
	var h deadline.Heap[int]
	require.Equal(t, deadline.Never, h.Next())
	require.Nil(t, h.PopDue(deadline.Never))
	h.Remove(new(deadline.Entry[int]))
	require.Zero(t, h.Len())
}

func TestEntriesComeOutInOrderOfTime(t *testing.T) {
	var h deadline.Heap[int]
	entries := make([]deadline.Entry[int], 200)
	r := rand.New(rand.NewPCG(1, 2))
	for i, at := range r.Perm(len(entries)) {
		entries[i].Value = at
		h.Set(&entries[i], int64(at))
	}
	for want := range entries {
		require.EqualValues(t, want, h.Next())
		require.Equal(t, want, h.PopDue(int64(want)).Value)
	}
	require.Zero(t, h.Len())
}

func TestNothingIsDueBeforeItsTime(t *testing.T) {
	var h deadline.Heap[string]
	e := deadline.Entry[string]{Value: "later"}
	h.Set(&e, 10)
	require.Nil(t, h.PopDue(9))
	require.Same(t, &e, h.PopDue(10))
}

func TestNeverTakesAnEntryOut(t *testing.T) {
	var h deadline.Heap[int]
	var e deadline.Entry[int]
	h.Set(&e, 5)
	h.Set(&e, deadline.Never)
	require.Zero(t, h.Len())
	h.Set(&e, 7)
	require.EqualValues(t, 7, h.Next())
}

func TestMovesAndRemovalsKeepTheOrder(t *testing.T) {
	var h deadline.Heap[int]
	r := rand.New(rand.NewPCG(3, 4))
	entries := make([]deadline.Entry[int], 64)
	times := make([]int64, len(entries))
	for i := range times {
		times[i] = deadline.Never
	}
	for range 20000 {
		i := r.IntN(len(entries))
		times[i] = r.Int64N(1000)
		if r.IntN(3) == 0 {
			times[i] = deadline.Never
		}
		h.Set(&entries[i], times[i])
		require.Equal(t, slices.Min(times), h.Next())
	}
}

func TestMovingAnEntryDoesNotAllocate(t *testing.T) {
	var h deadline.Heap[int]
	entries := make([]deadline.Entry[int], 16)
	for i := range entries {
		h.Set(&entries[i], int64(i))
	}
	at := int64(100)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		at++
		h.Set(&entries[at%16], at)
	}))
}
