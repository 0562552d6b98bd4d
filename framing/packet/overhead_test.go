package packet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// overhead is what the frames cost in a datagram of their own beside their payloads, IP and UDP not counted.
func overhead(frames ...Frame) int {
	n := SealOverhead + len(build(frames...))
	for _, f := range frames {
		n -= len(f.Unreliable.Payload) + len(f.Reliable.Payload)
	}
	return n
}

// reliableOf is a message as most are: of one fragment and less than 128 bytes.
func reliableOf(channel uint8, m Mode, seq uint16) Frame {
	return Frame{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(channel, m), Seq: seq, First: true, Last: true, Payload: repeat(127, 'r')}}
}

func unreliableOf(channel uint8) Frame {
	return Frame{Kind: KindUnreliable, Unreliable: Unreliable{Channel: channel, Payload: repeat(41, 'u')}}
}

func TestALoneUnreliableCosts27BytesAtMost(t *testing.T) {
	require.Equal(t, 26, overhead(unreliableOf(0)))
	require.Equal(t, 27, overhead(unreliableOf(1)))
}

func TestALoneReliableCosts30BytesAtMost(t *testing.T) {
	require.Equal(t, 29, overhead(reliableOf(0, Ordered, 7)))
	require.Equal(t, 30, overhead(reliableOf(1, Sequenced, 7)))
}

func TestAFurtherMessageOfTheChannelCosts3BytesAtMost(t *testing.T) {
	for _, channel := range []uint8{0, 1} {
		all := []Frame{reliableOf(channel, Ordered, 0)}
		for seq := range uint16(8) {
			next := append(all, reliableOf(channel, Ordered, seq+1))
			require.Equal(t, 3, overhead(next...)-overhead(all...))
			all = next
		}
		require.LessOrEqual(t, overhead(unreliableOf(channel), unreliableOf(channel))-overhead(unreliableOf(channel)), 3)
	}
}

func TestAFurtherMessageOfAnotherChannelCosts6BytesAtMost(t *testing.T) {
	first := reliableOf(1, Ordered, 7)
	require.Equal(t, 6, overhead(first, reliableOf(2, Ordered, 8))-overhead(first))
	require.Equal(t, 6, overhead(first, reliableOf(1, Unordered, 8))-overhead(first), "nor of another mode")
	require.Equal(t, 5, overhead(first, reliableOf(0, Ordered, 8))-overhead(first))
	require.Equal(t, 3, overhead(first, unreliableOf(2))-overhead(first))
}

func TestAPiggybackedAckCosts4Or8Or12Bytes(t *testing.T) {
	for form, cost := range map[Form]int{Bare: 4, Bitmap32: 8, Bitmap64: 12} {
		f := Frame{Kind: KindAck, Ack: Ack{Form: form}}
		require.Equal(t, cost, overhead(f, unreliableOf(0))-overhead(unreliableOf(0)))
		require.Equal(t, cost, overhead(f, reliableOf(0, Ordered, 0))-overhead(reliableOf(0, Ordered, 0)))
		require.Equal(t, cost, f.Ack.Size())
	}
}

func TestALoneAckCosts33BytesWith32BitsAnd37With64(t *testing.T) {
	require.Equal(t, 29, overhead(Frame{Kind: KindAck}))
	require.Equal(t, 33, overhead(Frame{Kind: KindAck, Ack: Ack{Form: Bitmap32}}))
	require.Equal(t, 37, overhead(Frame{Kind: KindAck, Ack: Ack{Form: Bitmap64}}))
}

func TestHeadersAreWhatStandsBeforeThePayload(t *testing.T) {
	for _, f := range []Frame{
		unreliableOf(0),
		unreliableOf(1),
		{Kind: KindUnreliable, Unreliable: Unreliable{Sequenced: true}},
		{Kind: KindUnreliable, Unreliable: Unreliable{Count: 2, Payload: []byte("f")}},
		{Kind: KindUnreliable, Unreliable: Unreliable{Channel: 1, Sequenced: true, Count: 2, Payload: []byte("f")}},
	} {
		require.Equal(t, f.Unreliable.Header(), overhead(f)-SealOverhead)
		require.LessOrEqual(t, f.Unreliable.Header(), MaxUnreliableHeader)
		require.GreaterOrEqual(t, f.Unreliable.Header(), UnreliableHeader)
	}
	for _, f := range []Frame{reliableOf(0, Ordered, 1), reliableOf(1, Ordered, 1)} {
		require.Equal(t, f.Reliable.Header(), overhead(f)-SealOverhead)
		require.LessOrEqual(t, f.Reliable.Header(), MaxReliableHeader)
		require.Greater(t, f.Reliable.Header(), FollowingHeader)
	}
	require.Equal(t, 10, MaxUnreliableHeader)
	require.Equal(t, 5, MaxReliableHeader)
}
