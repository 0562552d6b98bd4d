package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
)

// sends lets a ledger send n messages, a nanosecond apart, and gives their bytes.
func (l *recentLedger) sends(n int) (messages [][]byte) {
	for range n {
		messages = append(messages, slices.Clone(l.message()))
		l.noteSent(int64(l.Sent))
	}
	return messages
}

func TestRecentLedgerFindsNothingWrongInATidyStream(t *testing.T) {
	l := newRecentLedger(7, transport.ReliableOrdered)
	for range 3 * recentMessages {
		latency, sent, isNew := l.arrive(l.sends(1)[0], int64(l.Sent)+99)
		require.True(t, isNew)
		require.EqualValues(t, 100, latency)
		require.Equal(t, 1, sent)
	}
	require.NoError(t, l.broken())
	require.Equal(t, streamReport{Sent: 3 * recentMessages, Delivered: 3 * recentMessages}, l.streamReport)
}

func TestRecentLedgerTellsHowManyWereSentMeanwhile(t *testing.T) {
	l := newRecentLedger(7, transport.ReliableOrdered)
	l.arrive(l.sends(1)[0], 0)
	for i, m := range l.sends(3) {
		_, sent, _ := l.arrive(m, 0)
		require.Equal(t, 3-i, sent)
	}
	_, sent, _ := l.arrive(l.sends(recentMessages)[0], 0)
	require.Equal(t, recentMessages, sent, "none of which more is known arrives")
}

func TestRecentLedgerFindsEachFault(t *testing.T) {
	for _, row := range []struct {
		says string
		mode transport.Delivery
		do   func(l *recentLedger)
	}{
		{"never arrived", transport.ReliableOrdered, func(l *recentLedger) { l.sends(1) }},
		{"twice", transport.Unreliable, func(l *recentLedger) { m := l.sends(1)[0]; l.arrive(m, 0); l.arrive(m, 0) }},
		{"out of order", transport.ReliableOrdered, func(l *recentLedger) { m := l.sends(2); l.arrive(m[1], 0); l.arrive(m[0], 0) }},
		{"never sent like that", transport.Unreliable, func(l *recentLedger) { l.arrive([]byte("ab"), 0) }},
		{"never sent like that", transport.Unreliable, func(l *recentLedger) { l.arrive(slices.Clone(l.message()), 0) }},
		{"never sent like that", transport.Unreliable, func(l *recentLedger) { m := l.sends(1)[0]; m[0] ^= 1; l.arrive(m, 0) }},
		{"never sent like that", transport.Unreliable, func(l *recentLedger) { l.arrive(l.sends(recentMessages + 1)[0], 0) }},
	} {
		l := newRecentLedger(7, row.mode)
		row.do(l)
		require.ErrorContains(t, l.broken(), row.says)
	}
}

func TestRecentLedgerForgivesWhatAnUnreliableStreamMayDo(t *testing.T) {
	l := newRecentLedger(7, transport.Unreliable)
	m := l.sends(3)
	l.arrive(m[2], 0)
	l.arrive(m[0], 0)
	require.NoError(t, l.broken())
}
