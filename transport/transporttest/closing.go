package transporttest

import (
	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var closing = []promise{
	{"Disconnected is the last event on both ends, one for each cause", everyStyle, disconnectedLast},
	{"What was sent before Close arrives before the end", everyStyle, sentBeforeClose},
	{"What had arrived before Abort is read before the end", everyStyle, arrivedBeforeAbort},
	{"A kick is Kicked here and ClosedByPeer there", everyStyle, kick},
	{"Who closes gets nothing more of what it had not read", readsAtWill, closerReadsNoMore},
}

// causeRow is one way in which a connection ends, with the causes that each end may report.
type causeRow struct {
	name         string
	act          func(*trial, *link)
	client, host []transport.Cause
}

var (
	mine   = []transport.Cause{transport.ClosedLocally}
	theirs = []transport.Cause{transport.ClosedByPeer}
	either = []transport.Cause{transport.ClosedLocally, transport.ClosedByPeer}
)

var causes = []causeRow{
	{"the client closes", func(t *trial, l *link) { require.NoError(t, l.client.Close()) }, mine, theirs},
	{"the host closes", func(t *trial, l *link) { require.NoError(t, l.host.Close()) }, theirs, mine},
	{"the client aborts", func(_ *trial, l *link) { l.client.Abort() }, mine, theirs},
	{"the host aborts", func(_ *trial, l *link) { l.host.Abort() }, theirs, mine},
	{"both close in the same instant", bothEnds(func(e *end) { _ = e.Close() }), either, either},
	{"both abort in the same instant", bothEnds(func(e *end) { e.Abort() }), either, either},
}

// bothEnds does the same at both ends at once, or one after the other if one goroutine has to drive both.
func bothEnds(act func(*end)) func(*trial, *link) {
	return func(t *trial, l *link) {
		if t.style == gameLoop {
			act(l.client)
			act(l.host)
			return
		}
		t.together(2, func(i int) { act(l.ends()[i]) })
	}
}

func disconnectedLast(t *trial) {
	for _, row := range causes {
		t.sub(row.name, func(t *trial) {
			l := t.connect(Options{})
			row.act(t, l)
			l.client.wantEnd(row.client...)
			l.host.wantEnd(row.host...)
			for _, e := range l.ends() {
				e.Abort()
				require.NoError(t, e.Close(), "Close again at the %s", e.name)
			}
			l.wantSilence()
		})
	}
}

func sentBeforeClose(t *trial) {
	l := t.connect(Options{})
	sizes := []int{10}
	for range 100 {
		sizes = append(sizes, 300)
	}
	sizes = append(sizes, min(50_000, l.client.MaxPayload(transport.ReliableOrdered)))
	for i, size := range sizes {
		l.client.send(numbered(i, size), ordered)
	}
	require.NoError(t, l.client.Close())
	for i, size := range sizes {
		l.host.wantMessage(numbered(i, size), ordered)
	}
	l.host.wantEnd(transport.ClosedByPeer)
	l.client.wantEnd(transport.ClosedLocally)
	l.wantSilence()
}

func arrivedBeforeAbort(t *trial) {
	l := t.connect(Options{})
	arrive(l.client, 5)
	l.client.Abort()
	for i := range 5 {
		l.host.wantMessage(numbered(i, 0), ordered)
	}
	l.host.wantEnd(transport.ClosedByPeer)
	l.client.wantEnd(transport.ClosedLocally)
	l.wantSilence()
}

// arrive sends n numbered messages and waits until the other end's transport has them.
func arrive(e *end, n int) {
	o := ordered
	for i := range n {
		o.Receipt = uint64(i + 1)
		e.send(numbered(i, 0), o)
	}
	for range n {
		require.Equal(e, transport.Delivered, e.wantOutcome().Fate)
	}
}

// waysToClose are what an application can do to end a connection.
var waysToClose = []struct {
	name  string
	close func(transport.Conn)
}{
	{"Close", func(c transport.Conn) { _ = c.Close() }},
	{"Abort", transport.Conn.Abort},
}

func closerReadsNoMore(t *trial) {
	for _, way := range waysToClose {
		t.sub(way.name, func(t *trial) {
			l := t.connect(Options{})
			arrive(l.client, 5)
			way.close(l.host)
			l.host.wantEnd(transport.ClosedLocally)
			l.client.wantEnd(transport.ClosedByPeer)
			l.wantSilence()
		})
	}
}

func kick(t *trial) {
	if _, ok := t.suite.probe.(transport.Kicker); !ok {
		t.Skipf("%T has no Kick", t.suite.probe)
	}
	l := t.connect(Options{})
	k := l.host.Conn.(transport.Kicker)
	k.Kick(7, "no shouting")
	why := l.host.wantEnd(transport.Kicked)
	require.EqualValues(t, 7, why.Code)
	require.Equal(t, "no shouting", why.Text)
	l.client.wantEnd(transport.ClosedByPeer)
	k.Kick(8, "again")
	l.host.Abort()
	l.wantSilence()
}
