package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
)

// sentLedger has n messages sent, at times 0, 10, 20…, and gives their bytes.
func sentLedger(mode transport.Delivery, n int) (*ledger, [][]byte) {
	l := newLedger(1, mode, n)
	var messages [][]byte
	for i := range n {
		messages = append(messages, append([]byte{}, l.send(uint32(i), 20+i, int64(10*i))...))
	}
	return l, messages
}

func TestLedgerWithAllInOrderHoldsEveryPromise(t *testing.T) {
	for _, mode := range baseModes {
		l, messages := sentLedger(mode, 5)
		for i, m := range messages {
			number, latency, isNew := l.arrive(m, 100)
			require.EqualValues(t, i, number)
			require.EqualValues(t, 100-10*i, latency)
			require.True(t, isNew)
		}
		require.NoError(t, l.broken())
		require.Equal(t, []int64{100, 90, 80, 70, 60}, l.latencies())
		require.Equal(t, 20+21+22+23+24, l.bytes)
	}
}

func TestLedgerFindsBrokenPromises(t *testing.T) {
	for _, row := range []struct {
		name             string
		order            []int
		ordered, reports string
	}{
		{"lost", []int{0, 2}, "1 of 3 ordered messages never arrived", ""},
		{"twice", []int{0, 1, 1, 2}, "1 of 3 ordered messages were delivered twice", ""},
		{"overtaken", []int{0, 2, 1}, "1 of 3 ordered messages came out of order", ""},
		{"all of it", []int{2, 0, 2}, "delivered twice\n1 of 3 ordered messages never arrived\n1 of 3 ordered messages came out of order", ""},
	} {
		for _, mode := range baseModes {
			l, messages := sentLedger(mode, 3)
			for _, i := range row.order {
				l.arrive(messages[i], 100)
			}
			if mode.Reliable() {
				require.ErrorContains(t, l.broken(), row.ordered, row.name)
			} else {
				require.NoError(t, l.broken(), "%s: nothing of it was promised", row.name)
			}
		}
	}
}

func TestLedgerKnowsWhatEachModePromises(t *testing.T) {
	const lost, twice, late, newest = "never arrived", "delivered twice", "out of order", "newer than all that arrived"
	for _, row := range []struct {
		mode   transport.Delivery
		order  []int
		broken []string
	}{
		{transport.ReliableOrdered, []int{1, 0, 0}, []string{lost, twice, late}},
		{transport.ReliableUnordered, []int{1, 0, 2}, nil},
		{transport.ReliableUnordered, []int{1, 0, 0}, []string{lost, twice}},
		{transport.ReliableSequenced, []int{2}, nil},
		{transport.ReliableSequenced, []int{0, 2, 1}, []string{late}},
		{transport.ReliableSequenced, []int{0, 1, 1}, []string{twice, newest}},
		{transport.ReliableSequenced, nil, []string{newest}},
		{transport.Sequenced, []int{1}, nil},
		{transport.Sequenced, []int{1, 0, 1}, []string{twice, late}},
		{transport.Unreliable, []int{1, 0}, nil},
		{transport.Unreliable, []int{1, 1}, []string{twice}},
	} {
		l, messages := sentLedger(row.mode, 3)
		l.once = true
		for _, i := range row.order {
			l.arrive(messages[i], 100)
		}
		for _, promise := range []string{lost, twice, late, newest} {
			require.Equal(t, slices.Contains(row.broken, promise), l.broken() != nil && strings.Contains(l.broken().Error(), promise),
				"%v %v: %s", row.mode, row.order, promise)
		}
	}
}

func TestLedgerFindsWhatWasNeverSent(t *testing.T) {
	spoil := map[string]func(m []byte) []byte{
		"changed at the end":    func(m []byte) []byte { m[len(m)-1] ^= 1; return m },
		"another's number":      func(m []byte) []byte { m[0]++; return m },
		"a number not sent yet": func(m []byte) []byte { m[0] = 200; return m },
		"a huge number":         func(m []byte) []byte { m[3] = 0xff; return m },
		"cut":                   func(m []byte) []byte { return m[:len(m)-1] },
		"longer":                func(m []byte) []byte { return append(m, 0) },
		"too short for a number": func(m []byte) []byte {
			return m[:numberSize-1]
		},
		"empty":             func([]byte) []byte { return nil },
		"of another stream": func([]byte) []byte { return appendMessage(nil, 2, 0, 20) },
	}
	for name, f := range spoil {
		for _, mode := range baseModes {
			l, messages := sentLedger(mode, 3)
			_, _, isNew := l.arrive(f(messages[0]), 100)
			require.False(t, isNew, name)
			require.ErrorContains(t, l.broken(), "never sent like that", name)
		}
	}
}

func TestLedgerDoesNotKnowMessagesBetweenThoseThatWereSent(t *testing.T) {
	l := newLedger(1, transport.Unreliable, 0)
	l.noteSent(5, 20, 0)
	l.arrive(appendMessage(nil, 1, 3, 20), 1)
	require.Equal(t, 1, l.foreign)
	require.Equal(t, 1, l.sent)
	l.noteSent(5, 20, 7)
	require.Equal(t, 1, l.sent, "an unreliable message may be echoed twice")
	require.Zero(t, l.entries[5].sentAt)
}

func TestMessagesOfDifferentStreamsAndNumbersDiffer(t *testing.T) {
	seen := map[string]bool{}
	for stream := range uint32(10) {
		for number := range uint32(10) {
			m := appendMessage([]byte("before"), stream, number, 40)
			require.Len(t, m, 46)
			require.Equal(t, "before", string(m[:6]))
			require.False(t, seen[string(m[10:])])
			seen[string(m[10:])] = true
		}
	}
}
