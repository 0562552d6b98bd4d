package transporttest

import (
	"slices"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var receipts = []promise{
	{"Each receipt is answered exactly once", everyStyle, eachReceipt},
	{"Receipts still open at the end are answered before Disconnected", everyStyle, openReceipts},
	{"An outcome tells the truth", everyStyle, truthfulOutcome},
	{"An unread outcome holds its place in the queue", readsAtWill, outcomeHoldsPlace},
}

func eachReceipt(t *trial) {
	const n = 50
	t.eachMode(everyMode, Options{}, func(t *trial, l *link, o transport.SendOptions) {
		l.client.send([]byte("no receipt wanted"), o)
		sendWithReceipts(l.client, n, o)
		var outcomes []transport.Event
		for range n {
			outcomes = append(outcomes, l.client.wantOutcome())
		}
		wantReceipts(t, n, outcomes)
		for _, ev := range outcomes {
			require.Contains(t, fatesOf(o.Delivery), ev.Fate)
			if ev.Receipt == n && o.Delivery.Reliable() {
				require.Equal(t, transport.Delivered, ev.Fate, "the newest message always arrives")
			}
		}
		l.client.Abort()
		l.client.wantEnd(transport.ClosedLocally)
	})
}

func sendWithReceipts(e *end, n int, o transport.SendOptions) {
	for i := range n {
		o.Receipt = uint64(i + 1)
		e.send(numbered(i, 40), o)
	}
}

// fatesOf returns what may become of a message on a link that loses nothing.
func fatesOf(d transport.Delivery) []transport.Fate {
	switch {
	case d == transport.ReliableSequenced:
		return []transport.Fate{transport.Delivered, transport.Superseded}
	case d.Reliable():
		return []transport.Fate{transport.Delivered}
	}
	return []transport.Fate{transport.Delivered, transport.Lost, transport.Sent}
}

func wantReceipts(t *trial, n int, outcomes []transport.Event) {
	t.Helper()
	var want, got []uint64
	for i := range n {
		want = append(want, uint64(i+1))
	}
	for _, ev := range outcomes {
		require.Equal(t, transport.Outcome, ev.Kind)
		got = append(got, ev.Receipt)
	}
	require.ElementsMatch(t, want, got)
}

func openReceipts(t *trial) {
	const n = 50
	for _, row := range causes {
		t.sub(row.name, func(t *trial) {
			l := t.connect(Options{})
			sendWithReceipts(l.client, n, ordered)
			row.act(t, l)
			outcomes, why := l.client.toEnd()
			wantReceipts(t, n, outcomes)
			cancelled := 0
			for _, ev := range outcomes {
				require.Contains(t, []transport.Fate{transport.Delivered, transport.Cancelled}, ev.Fate)
				if ev.Fate == transport.Cancelled {
					cancelled++
				}
			}
			require.Equal(t, cancelled, why.Undelivered)
		})
	}
}

// truthfulOutcome gives messages no time to wait, so that a transport that queues them lets some expire.
func truthfulOutcome(t *trial) {
	const n = 10
	l := t.connect(Options{})
	o := ordered
	o.TTL = time.Nanosecond
	sendWithReceipts(l.client, n, o)
	l.client.send(numbered(n, 40), ordered)

	var delivered []int
	for range n {
		ev := l.client.wantOutcome()
		require.Contains(t, []transport.Fate{transport.Delivered, transport.Expired}, ev.Fate)
		if ev.Fate == transport.Delivered {
			delivered = append(delivered, int(ev.Receipt-1))
		}
	}
	slices.Sort(delivered)
	for _, number := range append(delivered, n) {
		l.host.wantMessage(numbered(number, 40), ordered)
	}
}

func outcomeHoldsPlace(t *trial) {
	l := t.connect(Options{QueueMessages: small})
	o := ordered
	o.Receipt = 1
	n := l.client.fill(o)
	for i := range n {
		l.host.wantMessage(numbered(i, 40), ordered)
	}
	require.ErrorIs(t, l.client.Send([]byte("?"), o), transport.ErrQueueFull)
	for range n {
		l.client.wantOutcome()
	}
	l.client.send([]byte("room again"), o)
	l.host.wantMessage([]byte("room again"), ordered)
}
