package transporttest

import (
	"context"
	"errors"
	"net"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var concurrency = []promise{
	{"Messages of many goroutines each keep their order", background, manySenders},
	{"Many goroutines close at once", background, manyClosers},
	{"Everything may be called at once", background, everythingAtOnce},
}

func manySenders(t *trial) {
	const senders, each = 8, 100
	l := t.connect(Options{})
	t.together(senders, func(sender int) {
		for i := range each {
			assert.NoError(t, l.client.trySend(numbered(sender*each+i, 40), ordered))
		}
	})
	var next [senders]int
	for range senders * each {
		number := numberOf(l.host.next().Payload)
		sender := number / each
		require.Equal(t, next[sender], number%each, "messages of sender %d", sender)
		next[sender]++
	}
}

func manyClosers(t *trial) {
	l := t.connect(Options{})
	t.together(8, func(i int) {
		if i == 0 {
			l.host.Abort()
			return
		}
		assert.NoError(t, l.client.Close())
	})
	l.client.wantEnd(either...)
	l.host.wantEnd(either...)
	l.wantSilence()
}

// everythingAtOnce lets 8 goroutines use both ends in all ways. The last two close.
func everythingAtOnce(t *trial) {
	l := t.connect(Options{})
	t.together(8, func(i int) {
		e := l.ends()[i%2]
		for n := range 100 {
			if !useAtOnce(t, e, n) {
				return
			}
		}
		if i >= 6 {
			waysToClose[i%2].close(e.Conn)
		}
	})
	l.client.toEnd()
	l.host.toEnd()
	l.wantSilence()
}

// useAtOnce reports false once the connection is closed.
func useAtOnce(t *trial, e *end, n int) bool {
	err := e.Send(numbered(n, 100), ordered)
	assert.True(t, err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, transport.ErrQueueFull), "%v", err)
	askEverything(t, e.Conn)
	if t.style == receive && n%4 == 0 {
		expired, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = e.Receive(expired, nil)
	}
	return !errors.Is(err, net.ErrClosed)
}
