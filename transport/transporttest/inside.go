package transporttest

import (
	"sync"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var inside = []promise{
	{"Any call may be made while an event is handled", seesEvents, anyCallInside},
	{"No message follows the end that its own handler made", seesEvents, noMessageAfterEnd},
	{"A handler may answer on another connection", seesEvents, answersElsewhere},
}

// callsInside are what an event may be answered with.
var callsInside = []struct {
	name string
	call func(*trial, transport.Conn)
}{
	{"Send", func(_ *trial, c transport.Conn) { _ = c.Send([]byte("from inside"), ordered) }},
	{"Close", func(_ *trial, c transport.Conn) { _ = c.Close() }},
	{"Abort", func(_ *trial, c transport.Conn) { c.Abort() }},
	{"questions", askEverything},
}

func askEverything(t *trial, c transport.Conn) {
	assert.NotZero(t, c.ID())
	assert.Equal(t, c.Local(), !c.RemoteAddr().IsValid())
	assert.Equal(t, c.Local(), !c.LocalAddr().IsValid())
	assert.True(t, c.Supports(transport.ReliableOrdered, 0))
	assert.GreaterOrEqual(t, c.Sendable(), 0)
	assert.Positive(t, c.MaxPayload(transport.Unreliable))
	_ = c.Err()
	c.Flush()
}

// anyCallInside provokes one event of each kind at the client, which calls back from inside it, and demands an orderly end.
func anyCallInside(t *trial) {
	for _, kind := range []transport.EventKind{
		transport.Connected, transport.Message, transport.Outcome, transport.Disconnected,
	} {
		for _, inside := range callsInside {
			t.sub(inside.name+" inside "+kind.String(), func(t *trial) {
				called := make(chan struct{})
				var once sync.Once
				l := t.open(Options{ClientHandler: func(ev transport.Event) {
					if ev.Kind == kind {
						inside.call(t, ev.Conn)
						once.Do(func() { close(called) })
					}
				}})
				l.provokeEvents()
				l.client.toEnd()
				l.host.toEnd()
				t.wantDone(called)
				l.wantSilence()
			})
		}
	}
}

// provokeEvents makes each kind of event happen at the client, unless it ends the connection before.
func (l *link) provokeEvents() {
	l.host.wantConnected()
	l.client.wantConnected()
	_ = l.host.Send([]byte("message"), ordered)
	o := ordered
	o.Receipt = 1
	if l.client.Send([]byte("outcome"), o) == nil {
		l.client.next()
	}
	_ = l.host.Close()
}

func noMessageAfterEnd(t *trial) {
	const n = 100
	for _, way := range waysToClose {
		t.sub(way.name, func(t *trial) {
			l := t.open(Options{HostHandler: func(ev transport.Event) {
				if ev.Kind == transport.Message {
					way.close(ev.Conn)
				}
			}})
			l.client.wantConnected()
			l.host.wantConnected()
			for i := range n {
				_ = l.client.Send(numbered(i, 40), ordered)
			}
			require.Equal(t, []int{0}, numbers(l.host.untilEnd()))
			l.client.toEnd()
			l.wantSilence()
		})
	}
}

func answersElsewhere(t *trial) {
	other := t.connect(Options{})
	l := t.connect(Options{ClientHandler: func(ev transport.Event) {
		if ev.Kind == transport.Message {
			assert.NoError(t, other.client.Send(ev.Payload, ordered))
			other.host.Abort()
		}
	}})
	l.host.send([]byte("pass it on"), ordered)
	l.client.wantMessage([]byte("pass it on"), ordered)
	other.client.wantEnd(transport.ClosedByPeer)
	other.host.toEnd()
	l.client.send([]byte("not disturbed"), ordered)
	l.host.wantMessage([]byte("not disturbed"), ordered)
}
