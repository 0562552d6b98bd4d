package loopback

import (
	"sync"
	"testing"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/transport/transporttest"
	"github.com/stretchr/testify/require"
)

func TestConformance(t *testing.T) {
	transporttest.Run(t, newPair)
}

func newPair(t *testing.T, o transporttest.Options) transporttest.Pair {
	var handlers sync.WaitGroup
	client, host, err := Pipe(Config{
		Driving:       o.Driving,
		Handler:       counted(&handlers, o.ClientHandler),
		Host:          &End{o.Driving, counted(&handlers, o.HostHandler)},
		QueueMessages: o.QueueMessages,
		Poison:        o.Poison,
	})
	require.NoError(t, err)
	return transporttest.Pair{
		Client:  client,
		Host:    host,
		Advance: func() { client.Poll(); host.Poll() },
		Stop: func() {
			client.Abort()
			host.Abort()
			handlers.Wait()
		},
	}
}

// counted returns a handler that leaves the group after its last event.
func counted(group *sync.WaitGroup, handler func(transport.Event)) func(transport.Event) {
	if handler == nil {
		return nil
	}
	group.Add(1)
	return func(ev transport.Event) {
		handler(ev)
		if ev.Kind == transport.Disconnected {
			group.Done()
		}
	}
}
