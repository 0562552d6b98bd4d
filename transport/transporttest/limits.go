package transporttest

import (
	"errors"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var limits = []promise{
	{"A message above MaxPayload is a TooLargeError and nothing is sent", everyStyle, tooLarge},
	{"The largest message works at once after Connected", seesEvents, largestAtOnce},
	{"What Supports denies is an error of Send", everyStyle, unsupported},
}

func tooLarge(t *trial) {
	t.eachMode(everyMode, Options{}, func(t *trial, l *link, o transport.SendOptions) {
		limit := l.client.MaxPayload(o.Delivery)
		for _, size := range []int{limit + 1, 10 << 20} {
			wantTooLarge(t, l.client.Send(make([]byte, size), o), size, limit)
		}
		l.client.send(nil, o)
		l.host.wantMessage(nil, o)
		for i := range 10 {
			l.client.send(numbered(i, 40), o)
			l.host.wantMessage(numbered(i, 40), o)
		}
	})
}

func wantTooLarge(t *trial, err error, size, limit int) {
	t.Helper()
	var tooLarge *transport.TooLargeError
	require.True(t, errors.As(err, &tooLarge), "%v", err)
	require.Equal(t, transport.TooLargeError{Size: size, Limit: limit}, *tooLarge)
	require.ErrorContains(t, err, strconv.Itoa(size))
	require.ErrorContains(t, err, strconv.Itoa(limit))
}

func largestAtOnce(t *trial) {
	for _, d := range everyMode {
		t.sub(d.String(), func(t *trial) {
			t.need(d, 0)
			var limit atomic.Int64
			o := transport.SendOptions{Delivery: d}
			l := t.connect(Options{ClientHandler: func(ev transport.Event) {
				if ev.Kind == transport.Connected {
					limit.Store(int64(ev.Conn.MaxPayload(d)))
					assert.NoError(t, ev.Conn.Send(pattern(1, ev.Conn.MaxPayload(d)), o))
				}
			}})
			l.host.wantMessage(pattern(1, int(limit.Load())), o)
			require.Equal(t, int(limit.Load()), l.client.MaxPayload(d), "the limit moved")
		})
	}
}

func unsupported(t *trial) {
	l := t.connect(Options{})
	for _, d := range []transport.Delivery{0, 1, 2, 3, 4, 5, 99, 255} {
		for _, channel := range []uint8{0, 1, 63, 64, 255} {
			err := l.client.Send([]byte("?"), transport.SendOptions{Delivery: d, Channel: channel})
			require.Equal(t, l.client.Supports(d, channel), err == nil, "delivery %d on channel %d: %v", d, channel, err)
			require.NotErrorIs(t, err, net.ErrClosed)
		}
	}
	require.NoError(t, l.client.Err())
}
