package transporttest

import (
	"bytes"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var payloads = []promise{
	{"The buffer given to Send may be reused at once", everyStyle, bufferReused},
	{"A payload from Next is valid until the next Poll, and Retain copies", []style{gameLoop}, lentByNext},
	{"A payload from Receive belongs to the caller", []style{receive}, ownedByCaller},
	{"Receive uses the caller's buffer if it is large enough", []style{receive}, usesBuffer},
}

func bufferReused(t *trial) {
	const n = 100
	t.eachMode(everyMode, Options{Poison: true}, func(t *trial, l *link, o transport.SendOptions) {
		buf := make([]byte, 600)
		for i := range n {
			copy(buf, numbered(i, len(buf)))
			l.client.send(buf, o)
			clear(buf)
		}
		for i := range n {
			l.host.wantMessage(numbered(i, len(buf)), o)
		}
	})
}

func lentByNext(t *trial) {
	const n = 5
	l := t.connect(Options{Poison: true})
	arrive(l.client, n)
	l.pair.Advance()
	var lent, retained [][]byte
	for range n {
		ev, ok := l.host.Next()
		require.True(t, ok)
		lent, retained = append(lent, ev.Payload), append(retained, ev.Retain())
		l.host.send(ev.Payload, ordered)
	}
	for i := range n {
		wantPayload(t, numbered(i, 0), lent[i])
	}
	l.pair.Advance()
	for i := range n {
		require.NotEqual(t, numbered(i, 0), lent[i], "payload %d was not poisoned", i)
		wantPayload(t, numbered(i, 0), retained[i])
	}
}

func ownedByCaller(t *trial) {
	const n = 100
	l := t.connect(Options{Poison: true})
	var owned [][]byte
	for i := range n {
		l.client.send(numbered(i, 600), ordered)
		ev, err := l.host.Receive(t.Context(), make([]byte, 0, 12*i))
		require.NoError(t, err)
		owned = append(owned, ev.Payload)
	}
	for i, payload := range owned {
		require.True(t, bytes.Equal(numbered(i, 600), payload), "message %d changed later", i)
	}
}

func usesBuffer(t *trial) {
	l := t.connect(Options{})
	l.client.send(numbered(0, 600), ordered)
	buf := make([]byte, 600)
	ev, err := l.host.Receive(t.Context(), buf)
	require.NoError(t, err)
	require.Same(t, &buf[0], &ev.Payload[0])
	wantPayload(t, numbered(0, 600), ev.Payload)
}
