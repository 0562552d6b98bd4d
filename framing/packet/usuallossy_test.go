package packet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// requireUsualLossyOnly requires that UsualLossy reads a packet if a Parser finds it valid and usual, and the same of it.
func requireUsualLossyOnly(t *testing.T, d []byte) (usual bool) {
	frames, fault := parse(d)
	usual = fault == Valid
	var messages []Unreliable
	for i, f := range frames {
		switch {
		case i == 0 && f.Kind == KindAck && f.Ack.Form == Bitmap32:
		case f.Kind == KindUnreliable && !f.Unreliable.Sequenced && f.Unreliable.Count == 0:
			messages = append(messages, f.Unreliable)
		default:
			usual = false
		}
	}
	usual = usual && len(messages) > 0
	var u UsualLossy
	require.Equal(t, usual, u.Read(d), "% x", d)
	if !usual {
		return false
	}
	require.Equal(t, len(frames) > len(messages), u.HasAck, "% x", d)
	if u.HasAck {
		require.Equal(t, frames[0].Ack, u.Ack, "% x", d)
	}
	require.Equal(t, len(messages), u.Messages, "% x", d)
	for _, m := range messages {
		channel, payload := u.Next()
		require.Equal(t, m.Channel, channel, "% x", d)
		require.Equal(t, m.Payload, payload, "% x", d)
	}
	return true
}

func TestUsualLossyReadsWhatAParserReads(t *testing.T) {
	ack := Frame{Kind: KindAck, Ack: Ack{Form: Bitmap32, Largest: 0x0102, Delay: 7, Bitmap: 0x80000001}}
	for _, channel := range []uint8{0, 1, MaxChannel} {
		for _, sizes := range [][]int{{0}, {41}, {1, 0, 3}, {127, 128, 129}, {500, 500}, make([]int, MaxFrames-1)} {
			frames := []Frame{ack}
			for i, n := range sizes {
				frames = append(frames, Frame{Kind: KindUnreliable, Unreliable: Unreliable{Channel: channel, Payload: repeat(n, byte(i))}})
			}
			for _, d := range [][]byte{build(frames...), build(frames[1:]...)} {
				require.True(t, requireUsualLossyOnly(t, d), "% x", d)
				for _, mutant := range mutants(d) {
					requireUsualLossyOnly(t, mutant)
				}
			}
		}
	}
}
