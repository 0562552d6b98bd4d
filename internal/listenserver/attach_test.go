package listenserver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// hostDriven gives a host in that style.
func hostDriven(t *testing.T, d transport.Driving) *udp.Host {
	h, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: udp.Base, Driving: d})
	require.NoError(t, err)
	t.Cleanup(func() { h.Close() })
	return h
}

// atHost gives the host's end of a pipe.
func atHost(t *testing.T, c loopback.Config) transport.Conn {
	client, host, err := loopback.Pipe(c)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return host
}

func TestAttachSaysWhatIsWrongWithAnEnd(t *testing.T) {
	background, gameLoop := hostDriven(t, transport.Background), hostDriven(t, transport.GameLoop)
	require.ErrorContains(t, gameLoop.Attach(atHost(t, loopback.Config{})), "to GameLoop")
	require.ErrorContains(t, background.Attach(atHost(t, loopback.Config{Driving: transport.GameLoop})), "to Background")
	require.ErrorContains(t, background.Attach(atHost(t, loopback.Config{Handler: func(transport.Event) {}})), "has a handler")
	require.ErrorContains(t, background.Attach(atHost(t, loopback.Config{ID: 250})), "251 or more")
	require.Empty(t, background.Conns())

	dialled, err := udp.Dial(t.Context(), background.Addr().String(), udp.Config{Protocol: udp.Base})
	require.NoError(t, err)
	defer dialled.Close()
	require.ErrorContains(t, background.Attach(dialled), "over a network")
}

func TestAnEndIsAttachedOnceAndUnderItsOwnID(t *testing.T) {
	h := hostDriven(t, transport.Background)
	first := atHost(t, loopback.Config{})
	require.NoError(t, h.Attach(first))
	require.EqualValues(t, 251, first.ID())
	require.ErrorContains(t, h.Attach(first), "attached already")
	require.ErrorContains(t, h.Attach(atHost(t, loopback.Config{})), "has id 251")
	require.NoError(t, h.Attach(atHost(t, loopback.Config{ID: 252})))
	require.NoError(t, first.Close())
	require.NoError(t, h.Attach(atHost(t, loopback.Config{})), "the id is free again")
}

func TestAttachLosesNoMessageThatWaits(t *testing.T) {
	client, host, err := loopback.Pipe(loopback.Config{})
	require.NoError(t, err)
	defer client.Close()
	require.NoError(t, client.Send([]byte("early"), ordered))
	require.NoError(t, hostDriven(t, transport.Background).Attach(host))
	ev, err := host.Receive(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "early", string(ev.Payload))
}
