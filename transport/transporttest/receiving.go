package transporttest

import (
	"context"
	"runtime"
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
			errs := receiveBlocked(l.host)
			row.act(t, l)
			for range receivers {
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

const receivers = 8

// receiveBlocked returns the errors of goroutines that are in Receive by now, or nearly.
func receiveBlocked(e *end) <-chan error {
	errs := make(chan error, receivers)
	for range receivers {
		started := make(chan struct{})
		go func() {
			close(started)
			_, err := e.Receive(context.Background(), nil)
			errs <- err
		}()
		<-started
		runtime.Gosched()
	}
	return errs
}
