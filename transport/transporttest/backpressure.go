package transporttest

import (
	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var backPressure = []promise{
	{"A full queue is ErrQueueFull and recovers", readsAtWill, fullQueue},
	{"Sendable tells what Send takes", []style{gameLoop}, sendableTells},
	{"Unread lossy messages make room for newer ones", []style{gameLoop}, oldestMakeRoom},
}

// small is a limit that is soon reached, and enough is more than every transport with it takes, windows on the way included.
const (
	small  = 16
	enough = 20_000
)

// fill sends numbered messages until the queue is full and returns how many it took.
func (e *end) fill(o transport.SendOptions) int {
	e.Helper()
	for i := range enough {
		if err := e.Send(numbered(i, 40), o); err != nil {
			require.ErrorIs(e, err, transport.ErrQueueFull)
			return i
		}
	}
	require.Fail(e, "the queue is never full")
	return 0
}

func fullQueue(t *trial) {
	l := t.connect(Options{QueueMessages: small})
	n := l.client.fill(ordered)
	require.GreaterOrEqual(t, n, small)
	if t.style == gameLoop {
		require.Zero(t, l.client.Sendable())
	}
	for i := range n {
		l.host.wantMessage(numbered(i, 40), ordered)
	}
	l.client.send([]byte("room again"), ordered)
	l.host.wantMessage([]byte("room again"), ordered)
}

func sendableTells(t *trial) {
	l := t.connect(Options{})
	size := min(32<<10, l.client.MaxPayload(transport.ReliableOrdered))
	n := 0
	for ; l.client.Sendable() >= size && n < enough; n++ {
		require.NoError(t, l.client.Send(numbered(n, size), ordered))
	}
	require.ErrorIs(t, l.client.Send(numbered(n, size), ordered), transport.ErrQueueFull)
	require.Greater(t, n, 10)
	for i := range n {
		l.host.wantMessage(numbered(i, size), ordered)
	}
}

func oldestMakeRoom(t *trial) {
	const n = 100
	t.eachMode(lossyModes, Options{QueueMessages: small}, func(t *trial, l *link, o transport.SendOptions) {
		for i := range n {
			l.client.send(numbered(i, 40), o)
			l.pair.Advance()
		}
		read, last := 0, -1
		for ; last < n-1; read++ {
			number := numberOf(l.host.next().Payload)
			require.Greater(t, number, last)
			last = number
		}
		require.LessOrEqual(t, read, small)
		require.Greater(t, read, small/2, "no more than needed makes room")
	})
}
