package udp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestMessagesGoBothWaysInTheBackground(t *testing.T) {
	h := listen(t, udp.Config{})
	client := dial(t, h, udp.Config{})
	peer := accept(t, h)

	send(t, client, "ping", ordered)
	require.Equal(t, "ping", receive(t, peer))
	send(t, peer, "pong", unreliable)
	require.Equal(t, "pong", receive(t, client))

	require.NoError(t, client.Close())
	_, err := peer.Receive(testContext(t), nil)
	var end *transport.DisconnectError
	require.ErrorAs(t, err, &end)
	require.Equal(t, transport.ClosedByPeer, end.Cause)
	require.Empty(t, h.Conns())
}
