package transport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
)

// queue gives events with the receipts that are left of it.
type queue []uint64

func (q *queue) Next() (ev transport.Event, ok bool) {
	if len(*q) == 0 {
		return ev, false
	}
	ev.Receipt = (*q)[0]
	*q = (*q)[1:]
	return ev, true
}

func TestEventsAreThoseOfNextUntilItIsEmpty(t *testing.T) {
	q := queue{1, 2, 3}
	var got []uint64
	for ev := range transport.Events(&q) {
		got = append(got, ev.Receipt)
	}
	require.Equal(t, []uint64{1, 2, 3}, got)
}

func TestEventsLeftAfterABreakStayQueued(t *testing.T) {
	q := queue{1, 2, 3}
	for range transport.Events(&q) {
		break
	}
	require.Equal(t, queue{2, 3}, q)
}

func TestTheLoopOverEventsAllocatesNothing(t *testing.T) {
	events, sum := queue{1, 2, 3}, uint64(0)
	q := new(queue)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		*q = events
		for ev := range transport.Events(q) {
			sum += ev.Receipt
		}
	}))
	require.NotZero(t, sum)
}
