package loopback

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// newQueue makes a queue of entries of one byte each: 'r' is kept, 'l' is lossy.
func newQueue(kinds string) *queue {
	q := new(queue)
	for _, kind := range kinds {
		q.push(&entry{droppable: kind == 'l', size: 1})
	}
	return q
}

func (q *queue) seqs() (all []uint64) {
	for e := q.front; e != nil; e = e.next {
		all = append(all, e.seq)
	}
	return all
}

func TestQueueKeepsOrder(t *testing.T) {
	q := newQueue("rlr")
	require.Equal(t, []uint64{1, 2, 3}, q.seqs())
	for q.front != nil {
		q.remove(q.front)
	}
	require.Nil(t, q.back)
	q.push(&entry{})
	require.Equal(t, []uint64{4}, q.seqs(), "numbers go on")
}

func TestOldestLossyLeavesFromTheMiddle(t *testing.T) {
	q := newQueue("rlrlr")
	q.remove(q.lossyFront)
	require.Equal(t, []uint64{1, 3, 4, 5}, q.seqs())
	q.remove(q.lossyFront)
	require.Equal(t, []uint64{1, 3, 5}, q.seqs())
	require.Nil(t, q.lossyFront)
	require.Zero(t, q.lossyCount)
	require.Zero(t, q.lossyPayload)
}

func TestLossyEntriesLeaveFromBothWays(t *testing.T) {
	q := newQueue("llrl")
	q.remove(q.front)      // read
	q.remove(q.lossyFront) // pushed out
	require.Equal(t, []uint64{3, 4}, q.seqs())
	require.Equal(t, uint64(4), q.lossyFront.seq)
	require.Equal(t, 1, q.lossyCount)
}
