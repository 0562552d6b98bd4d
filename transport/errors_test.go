package transport_test

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

func TestDisconnectErrorIsErrClosed(t *testing.T) {
	for _, cause := range causes {
		require.ErrorIs(t, &transport.DisconnectError{Cause: cause}, net.ErrClosed)
	}
}

func TestOnlyTimeOutsAreDeadlineErrors(t *testing.T) {
	for _, cause := range causes {
		var err net.Error = &transport.DisconnectError{Cause: cause}
		timedOut := cause == transport.TimedOut
		require.Equal(t, timedOut, err.Timeout(), cause.String())
		require.Equal(t, timedOut, errors.Is(err, os.ErrDeadlineExceeded), cause.String())
	}
}

func TestDisconnectErrorTellsWhatIsKnown(t *testing.T) {
	broken := errors.New("network is down")
	err := &transport.DisconnectError{Cause: transport.SocketFailed, Text: "bye", Err: broken}
	require.EqualError(t, err, "connection socket failed: bye: network is down")
	require.ErrorIs(t, err, broken)
}

func TestErrorsNameTheirNumbers(t *testing.T) {
	require.EqualError(t, &transport.TooLargeError{Size: 1200, Limit: 1195},
		"message of 1200 bytes is too large: the limit of its delivery mode is 1195")
	require.EqualError(t, &transport.UndeliveredError{Messages: 3},
		"closed with 3 reliable messages not acknowledged by the peer")
	require.EqualError(t, &transport.RefusedError{Reason: "full"}, "refused by the host: full")
}
