package framing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheLargestFramesFillADatagram(t *testing.T) {
	require.Equal(t, 1200, MaxDatagram)
	require.Equal(t, 1199, MaxUnreliable)
	require.Equal(t, 1195, MaxReliable)
	require.Len(t, AppendUnreliable(nil, make([]byte, MaxUnreliable)), MaxDatagram)
	require.Len(t, AppendReliable(nil, 0, make([]byte, MaxReliable)), MaxDatagram)
	require.Len(t, AppendRefuse(nil, strings.Repeat("r", maxRefuseText)), MaxDatagram)
}

func TestTheLargestPeerIDIsThatOfTheProtocol(t *testing.T) {
	require.Contains(t, readProtocol(t, 1), fmt.Sprintf("id: 1..%d; 0 is the host itself", MaxPeerID))
}

func TestHeadersAreWhatAnEmptyMessageTakes(t *testing.T) {
	require.Len(t, AppendUnreliable(nil, nil), UnreliableHeader)
	require.Len(t, AppendReliable(nil, 0, nil), ReliableHeader)
}

func TestTheLongestRefusalIsNoLargerThanTheRequest(t *testing.T) {
	require.Equal(t, 11, MaxRefuseReason)
	require.Len(t, AppendRefuse(nil, strings.Repeat("r", MaxRefuseReason)), len(AppendConnect(nil, BaseVersion)))
}
