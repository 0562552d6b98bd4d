package udp_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/nettest"

	"github.com/gannet-net/gannet/udp"
)

// streams gives both ends of a stream.
func streams(t *testing.T, linger time.Duration) (client, peer net.Conn, stop func()) {
	t.Helper()
	c := udp.Config{Linger: linger}
	h := listen(t, c)
	l := udp.StreamListener(h)
	conn := dial(t, h, c)
	peer, err := l.Accept()
	require.NoError(t, err)
	return udp.Stream(conn), peer, func() { finish(conn); finish(h) }
}

func TestAStreamIsANetConn(t *testing.T) {
	nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
		c1, c2, stop = streams(t, 3*time.Second)
		return c1, c2, stop, nil
	})
}

func TestAStreamCarriesMoreThanTheQueueHolds(t *testing.T) {
	client, peer, _ := streams(t, patience)
	const size = 5 << 20
	written := make(chan error)
	go func() {
		_, err := client.Write(make([]byte, size))
		written <- errors.Join(err, client.Close())
	}()
	n, err := io.Copy(io.Discard, peer)
	require.NoError(t, err)
	require.EqualValues(t, size, n)
	require.NoError(t, <-written)
}

func TestErrorsOfAStreamNameTheOperation(t *testing.T) {
	client, peer, _ := streams(t, patience)
	require.NoError(t, client.SetReadDeadline(time.Now().Add(-time.Second)))
	_, err := client.Read(make([]byte, 1))
	var op *net.OpError
	require.ErrorAs(t, err, &op)
	require.Equal(t, "read", op.Op)
	require.True(t, op.Timeout())
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	require.NoError(t, client.Close())
	_, err = client.Write([]byte("late"))
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = peer.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
}

func TestAListenerThatIsClosedAcceptsNothing(t *testing.T) {
	l := udp.StreamListener(listen(t, udp.Config{}))
	require.NoError(t, l.Close())
	_, err := l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.Equal(t, "127.0.0.1", l.Addr().(*net.UDPAddr).IP.String())
}
