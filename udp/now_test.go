package udp_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestEventsWithoutAClockOfTheirOwnAreTimedByNow(t *testing.T) {
	config := udp.Config{Driving: udp.GameLoop}
	host, err := udp.Listen("127.0.0.1:0", config)
	require.NoError(t, err)
	defer host.Close()
	before := udp.Now()
	client, err := udp.Dial(context.Background(), host.Addr().String(), config)
	require.NoError(t, err)
	defer client.Close()

	var first []transport.Event
	for len(first) == 0 {
		host.Poll()
		host.Flush()
		client.Poll()
		for ev := range transport.Events(client) {
			first = append(first, ev)
		}
		client.Flush()
		time.Sleep(time.Millisecond)
	}
	require.Equal(t, transport.Connected, first[0].Kind)
	require.GreaterOrEqual(t, first[0].At, before)
	require.LessOrEqual(t, first[0].At, udp.Now())
}
