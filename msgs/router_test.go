package msgs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

func TestAMessageReachesItsHandlerAndTheAnswerItsSender(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.On(func(in *msgs.In, m *Say) {
		require.NoError(t, Say{From: uint8(in.Peer.ID()), Text: "you said " + m.Text}.Send(in.Peer))
	}))
	ann, bob := tb.joins(1), tb.joins(2)
	require.True(t, tb.sends(ann, &Say{Text: "hello"}))

	require.Equal(t, []sent{{string(encoded(&Say{From: 1, Text: "you said hello"})), transport.SendOptions{Delivery: transport.ReliableOrdered}}}, ann.sent)
	require.Empty(t, bob.sent)
}

func TestAMessageToAllReachesEverybody(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	ann, bob := tb.joins(1), tb.joins(2)
	require.NoError(t, Say{Text: "welcome"}.Send(tb.All()))

	want := []string{string(encoded(&Say{Text: "welcome"}))}
	require.Equal(t, want, ann.payloads())
	require.Equal(t, want, bob.payloads())
}
