package transporttest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"
)

var receiving = []promise{
	{"Receive ends with its context", []style{receive}, endsWithContext},
	{"Receive ends with the connection", []style{receive}, endsWithConnection},
}

func endsWithContext(t *trial) {
	l := t.connect(Options{})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.host.Receive(cancelled, nil)
	require.ErrorIs(t, err, context.Canceled)

	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = l.host.Receive(short, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	l.client.send([]byte("still open"), ordered)
	l.host.wantMessage([]byte("still open"), ordered)
}

func endsWithConnection(t *trial) {
	for _, row := range causes {
		t.sub(row.name, func(t *trial) {
			l := t.connect(Options{})
			errs := make(chan error)
			for range 2 {
				go func() {
					_, err := l.host.Receive(context.Background(), nil)
					errs <- err
				}()
			}
			row.act(t, l)
			for range 2 {
				select {
				case err := <-errs:
					l.host.wantDisconnectError(err, row.host...)
				case <-time.After(patience):
					t.Fatal("Receive is still blocked")
				}
			}
			l.host.wantEnd(row.host...)
			l.client.wantEnd(row.client...)
		})
	}
}
