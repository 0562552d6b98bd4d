package transport_test

import (
	"fmt"
	"testing"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var causes = []transport.Cause{
	transport.ClosedLocally, transport.ClosedByPeer, transport.Kicked, transport.TimedOut, transport.SocketFailed,
	transport.Replaced, transport.Forgotten, transport.ProtocolError,
}

// Every value up to the last has a name of its own, and those around say that they are unknown.
func TestEveryValueHasAName(t *testing.T) {
	wantNames(t, transport.ClosedLocally, transport.ProtocolError)
	wantNames(t, transport.Unreliable, transport.ReliableSequenced)
	wantNames(t, transport.Connected, transport.DialFailed)
	wantNames(t, transport.Delivered, transport.Sent)
	wantNames(t, transport.Background, transport.GameLoop)
}

func wantNames[T interface {
	~uint8
	fmt.Stringer
}](t *testing.T, first, last T) {
	t.Helper()
	names := make(map[string]bool)
	for v := first; v <= last; v++ {
		require.NotContains(t, v.String(), "unknown")
		names[v.String()] = true
	}
	require.Len(t, names, int(last-first)+1)
	require.Contains(t, (last + 1).String(), "unknown")
	require.Contains(t, (first - 1).String(), "unknown")
}

func TestReliableModesPromiseArrival(t *testing.T) {
	require.False(t, transport.Unreliable.Reliable())
	require.False(t, transport.Sequenced.Reliable())
	require.True(t, transport.ReliableUnordered.Reliable())
	require.True(t, transport.ReliableOrdered.Reliable())
	require.True(t, transport.ReliableSequenced.Reliable())
}

func TestRetainCopies(t *testing.T) {
	lent := []byte("lent")
	retained := transport.Event{Payload: lent}.Retain()
	clear(lent)
	require.Equal(t, "lent", string(retained))
}
