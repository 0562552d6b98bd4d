package transporttest

import (
	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

var delivery = []promise{
	{"Every mode carries every size intact, both ways", everyStyle, everySize},
	{"Every channel carries messages", everyStyle, everyChannel},
	{"Ordered messages wait for a reader and come in order, exactly once", everyStyle, inOrder},
	{"Unordered messages come exactly once", everyStyle, exactlyOnce},
	{"Sequenced messages never go back and the newest comes", everyStyle, neverBack},
	{"Urgency and time to live are taken in every mode", everyStyle, takesOptions},
}

func everySize(t *trial) {
	t.eachMode(everyMode, Options{}, func(t *trial, l *link, o transport.SendOptions) {
		var at int64
		for i, size := range sizesUpTo(l.client.MaxPayload(o.Delivery)) {
			there, back := pattern(i, size), pattern(-i, size)
			l.client.send(there, o)
			ev := l.host.wantMessage(there, o)
			require.GreaterOrEqual(t, ev.At, at, "arrival times go back")
			at = ev.At
			l.host.send(back, o)
			l.client.wantMessage(back, o)
		}
		require.Positive(t, at, "no arrival time")
	})
}

// sizesUpTo returns the sizes that are worth trying: around powers of two, and around the largest.
func sizesUpTo(limit int) []int {
	var sizes []int
	for _, size := range []int{0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 1000, 1200, 4096, 65_535, limit - 1, limit} {
		if size <= limit {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

func everyChannel(t *trial) {
	t.eachMode(everyMode, Options{}, func(t *trial, l *link, o transport.SendOptions) {
		t.need(o.Delivery, 1)
		missing := make(map[uint8]bool)
		for o.Channel = range uint8(64) {
			require.True(t, l.client.Supports(o.Delivery, o.Channel), "channel %d", o.Channel)
			l.client.send(numbered(int(o.Channel), 0), o)
			missing[o.Channel] = true
		}
		for len(missing) > 0 {
			ev := l.host.next()
			require.True(t, missing[ev.Channel], "channel %d", ev.Channel)
			require.Equal(t, int(ev.Channel), numberOf(ev.Payload))
			delete(missing, ev.Channel)
		}
	})
}

func inOrder(t *trial) {
	const n = 2000
	l := t.connect(Options{})
	for i := range n {
		l.client.send(numbered(i, 40), ordered)
		l.host.send(numbered(-i, 40), ordered)
	}
	for i := range n {
		l.host.wantMessage(numbered(i, 40), ordered)
		l.client.wantMessage(numbered(-i, 40), ordered)
	}
	l.client.Abort()
	l.host.wantEnd(transport.ClosedByPeer)
	l.client.wantEnd(transport.ClosedLocally)
}

func exactlyOnce(t *trial) {
	const n = 500
	t.need(transport.ReliableUnordered, 0)
	l := t.connect(Options{})
	for i := range n {
		l.client.send(numbered(i, 40), transport.SendOptions{Delivery: transport.ReliableUnordered})
	}
	require.NoError(t, l.client.Close())
	require.ElementsMatch(t, upTo(n), numbers(l.host.untilEnd()))
}

func neverBack(t *trial) {
	const n = 200
	t.eachMode(sequencedModes, Options{}, func(t *trial, l *link, o transport.SendOptions) {
		for i := range n {
			l.client.send(numbered(i, 40), o)
		}
		for last := -1; last < n-1; {
			number := numberOf(l.host.next().Payload)
			require.Greater(t, number, last)
			last = number
		}
	})
}

func takesOptions(t *trial) {
	t.eachMode(everyMode, Options{}, func(t *trial, l *link, o transport.SendOptions) {
		for i, urgent := range []bool{false, true} {
			o.Urgent, o.TTL = urgent, patience
			l.client.send(numbered(i, 100), o)
			l.host.wantMessage(numbered(i, 100), o)
		}
	})
}
