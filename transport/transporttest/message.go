package transporttest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

// ordered sends reliably and in order, which every transport can.
var ordered = transport.SendOptions{Delivery: transport.ReliableOrdered}

var (
	everyMode      = slices.Concat(lossyModes, reliableModes)
	lossyModes     = []transport.Delivery{transport.Unreliable, transport.Sequenced}
	reliableModes  = []transport.Delivery{transport.ReliableUnordered, transport.ReliableOrdered, transport.ReliableSequenced}
	sequencedModes = []transport.Delivery{transport.Sequenced, transport.ReliableSequenced}
)

// numbered returns a message of at least 4 bytes that begins with i and is filled with a pattern of its own.
func numbered(i, size int) []byte {
	b := pattern(i, max(size, 4))
	binary.LittleEndian.PutUint32(b, uint32(i))
	return b
}

// numberOf returns the number of a numbered message.
func numberOf(payload []byte) int { return int(binary.LittleEndian.Uint32(payload)) }

// pattern returns size bytes that differ from those of other seeds.
func pattern(seed, size int) []byte {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], uint64(seed))
	b := make([]byte, size)
	_, _ = rand.NewChaCha8(key).Read(b)
	return b
}

// wantPayload compares without printing a megabyte.
func wantPayload(t require.TestingT, want, got []byte) {
	require.Len(t, got, len(want), "length of the message")
	require.True(t, bytes.Equal(want, got), "the message of %d bytes was altered", len(want))
}

// numbers returns the numbers of the messages among events.
func numbers(events []transport.Event) []int {
	var n []int
	for _, ev := range events {
		if ev.Kind == transport.Message {
			n = append(n, numberOf(ev.Payload))
		}
	}
	return n
}

// upTo returns 0 to n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
