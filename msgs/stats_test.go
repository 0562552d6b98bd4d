package msgs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// statsOf are the counters of one type of message.
func statsOf(r *msgs.Router, m msgs.Message) (found msgs.MessageStats) {
	for stats := range r.Messages() {
		if stats.Entry == m.Descriptor().Entry {
			found = stats
		}
	}
	found.Catalogue, found.Entry = nil, nil
	return found
}

func TestMessagesAreCountedByTypeByPeerAndInAll(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.On(ignoreSay), msgs.On(func(*msgs.In, *Move) {}))
	ann, bob := tb.joins(1), tb.joins(2)
	tb.sends(ann, &Say{Text: "hello"}) // 9 bytes
	tb.sends(ann, &Say{})              // 4
	tb.sends(bob, &Move{})             // 9
	tb.sends(bob, &Ready{})            // nobody handles it
	tb.sendsBytes(bob, &chat.Entries[0], []byte{99})
	require.NoError(t, Say{Text: "all"}.Send(tb.All()))   // twice 7
	require.NoError(t, Say{Text: "Bob"}.Send(tb.Peer(2))) // 7
	require.Error(t, World{}.Send(tb.Peer(2)))            // not playing
	bob.refuses = transport.ErrQueueFull

	require.Equal(t, msgs.MessageStats{Handled: msgs.Count{Messages: 2, Bytes: 13}, Out: msgs.Count{Messages: 3, Bytes: 21}}, statsOf(tb.Router, &Say{}))
	require.Equal(t, msgs.MessageStats{Handled: msgs.Count{Messages: 1, Bytes: 9}}, statsOf(tb.Router, &Move{}))
	require.Equal(t, msgs.MessageStats{Drops: msgs.Drops{msgs.DropNoHandler: 1}}, statsOf(tb.Router, &Ready{}))
	require.Equal(t, msgs.MessageStats{Unsent: 1}, statsOf(tb.Router, &World{}))
	require.Equal(t, msgs.Stats{Handled: msgs.Count{Messages: 2, Bytes: 13}, Out: msgs.Count{Messages: 1, Bytes: 7}}, tb.Peer(1).Stats())
	dropped := msgs.Drops{msgs.DropUnknown: 1, msgs.DropNoHandler: 1}
	require.Equal(t, msgs.Stats{Handled: msgs.Count{Messages: 1, Bytes: 9}, Drops: dropped, Out: msgs.Count{Messages: 2, Bytes: 14}, Unsent: 1}, tb.Peer(2).Stats())
	require.Equal(t, msgs.Stats{Handled: msgs.Count{Messages: 3, Bytes: 22}, Drops: dropped, Out: msgs.Count{Messages: 3, Bytes: 21}, Unsent: 1}, tb.Stats())

	tb.ResetStats()
	require.Zero(t, tb.Stats())
	require.Zero(t, tb.Peer(1).Stats())
	require.Zero(t, tb.Peer(2).Stats())
	require.Zero(t, statsOf(tb.Router, &Say{}))
}

func TestTypesAreListedInOrderWithTheirCatalogue(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	tb.ResetStats()
	var names []string
	for stats := range tb.Messages() {
		require.Same(t, &chat, stats.Catalogue)
		names = append(names, stats.Entry.Name)
		if stats.Entry.Name == "Shoot" {
			break
		}
	}
	require.Equal(t, []string{"Say", "Move", "World", "Ready", "Shoot"}, names)
}

func TestHandlersAreTimedByTheClockOfConfig(t *testing.T) {
	now := int64(0)
	tb := newTable(t, msgs.Config{Clock: func() int64 { return now }}, msgs.On(func(_ *msgs.In, m *Move) { now += int64(m.X) }))
	ann := tb.joins(1)
	for _, ns := range []int32{5, 20, 11} {
		tb.sends(ann, &Move{X: ns})
	}
	require.Equal(t, msgs.Timing{Calls: 3, Sum: 36, Max: 20}, statsOf(tb.Router, &Move{}).Time)

	without := newTable(t, msgs.Config{}, everything()...)
	without.sends(without.joins(1), &Move{})
	require.Zero(t, statsOf(without.Router, &Move{}).Time)
}
