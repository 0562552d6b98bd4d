package udp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// writes counts the calls and what they move.
type writes struct {
	BatchWriter
	calls, datagrams int
}

func (w *writes) WriteBatch(_ []byte, sizes, segments []int, _ []netip.AddrPort, _ []netip.Addr) (int, error) {
	w.calls++
	for i := range sizes {
		w.datagrams += (sizes[i] + segments[i] - 1) / segments[i]
	}
	return len(sizes), nil
}

// A full run leaves by itself only where no other one has room behind it.
func TestDatagramsOfOneSizeLeaveWithAsFewCallsAsThereIsRoomFor(t *testing.T) {
	for _, row := range []struct{ size, datagrams, calls int }{{100, 4096, 6}, {300, 4096, 17}, {600, 64 * 8, 5}, {1173, 55 * 8, 8}} {
		w := &writes{}
		e := engine{out: outbox{writer: w}}
		e.out.resize(maxBatch)
		for range row.datagrams {
			e.writeJoined(append(e.blank(), make([]byte, row.size)...), netip.AddrPort{}, netip.Addr{}, true)
		}
		e.sendOut()
		require.Equal(t, row.datagrams, w.datagrams)
		require.Equal(t, row.calls, w.calls, row.size)
	}
}
