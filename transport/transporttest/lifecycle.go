package transporttest

import (
	"errors"
	"net"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var lifecycle = []promise{
	{"Connected is the first event on both ends and comes once", seesEvents, connectedFirst},
	{"Both ends agree on the id and on where they are", everyStyle, identity},
	{"Send before Connected is ErrNotConnected", []style{gameLoop}, sendTooEarly},
	{"Send after the end is a DisconnectError", everyStyle, sendTooLate},
	{"Err is nil while open and says why afterwards", everyStyle, errSaysWhy},
	{"Calls of the other driving style are refused", everyStyle, otherStyle},
}

func connectedFirst(t *trial) {
	l := t.open(Options{})
	for _, e := range l.ends() {
		e.wantConnected()
	}
	l.client.send([]byte("to the host"), ordered)
	l.host.send([]byte("to the client"), ordered)
	l.host.wantMessage([]byte("to the host"), ordered)
	l.client.wantMessage([]byte("to the client"), ordered)
	l.client.Abort()
	l.client.wantEnd(transport.ClosedLocally)
	l.host.wantEnd(transport.ClosedByPeer)
	l.wantSilence()
}

func identity(t *trial) {
	l := t.connect(Options{})
	client, host := l.client, l.host
	require.NotZero(t, host.ID())
	require.Equal(t, host.ID(), client.ID())
	require.Equal(t, host.Local(), client.Local())
	for _, e := range l.ends() {
		require.Equal(t, !e.Local(), e.LocalAddr().IsValid(), "address of the %s", e.name)
		require.Equal(t, !e.Local(), e.RemoteAddr().IsValid(), "address of the peer of the %s", e.name)
		require.False(t, e.RemoteAddr().Addr().Is4In6(), "mapped address at the %s", e.name)
	}
}

func sendTooEarly(t *trial) {
	if t.suite.probe.Local() {
		t.Skipf("%T is connected from the start", t.suite.probe)
	}
	l := t.open(Options{Dialling: true})
	require.Zero(t, l.client.ID())
	require.Zero(t, l.client.Sendable())
	require.ErrorIs(t, l.client.Send([]byte("early"), ordered), transport.ErrNotConnected)
	require.NoError(t, l.client.Err())
	l.client.wantConnected()
	require.NoError(t, l.client.Send([]byte("in time"), ordered))
}

func sendTooLate(t *trial) {
	l := t.connect(Options{})
	require.NoError(t, l.client.Close())
	l.client.wantEnd(transport.ClosedLocally)
	l.host.wantEnd(transport.ClosedByPeer)
	for _, d := range everyMode {
		if l.client.Supports(d, 0) {
			o := transport.SendOptions{Delivery: d}
			l.client.wantDisconnectError(l.client.Send([]byte("late"), o), transport.ClosedLocally)
			l.host.wantDisconnectError(l.host.Send([]byte("late"), o), transport.ClosedByPeer)
		}
	}
	require.Zero(t, l.client.Sendable())
	require.Zero(t, l.host.Sendable())
	l.wantSilence()
}

func errSaysWhy(t *trial) {
	l := t.connect(Options{})
	require.NoError(t, l.client.Err())
	require.NoError(t, l.host.Err())
	l.host.Abort()
	l.host.wantEnd(transport.ClosedLocally)
	l.client.wantEnd(transport.ClosedByPeer)
	l.client.Abort()
	l.client.wantDisconnectError(l.client.Err(), transport.ClosedByPeer)
	l.host.wantDisconnectError(l.host.Err(), transport.ClosedLocally)

	var timeout net.Error
	require.True(t, errors.As(l.client.Err(), &timeout))
	require.False(t, timeout.Timeout())
}

func otherStyle(t *trial) {
	l := t.connect(Options{})
	switch t.style {
	case gameLoop:
		_, err := l.client.Receive(t.Context(), nil)
		require.ErrorIs(t, err, transport.ErrGameLoop)
	case handler:
		_, err := l.client.Receive(t.Context(), nil)
		require.ErrorIs(t, err, transport.ErrHandler)
	}
	l.client.send([]byte("undisturbed"), ordered)
	if t.style != gameLoop {
		l.host.Poll()
		l.host.Flush()
		_, ok := l.host.Next()
		require.False(t, ok, "Next is for game loops")
	}
	l.host.wantMessage([]byte("undisturbed"), ordered)
}
