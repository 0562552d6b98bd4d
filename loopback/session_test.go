package loopback

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

// eventLog collects what several handlers see, each under its own name.
type eventLog struct {
	mu    sync.Mutex
	lines map[string][]string
	open  sync.WaitGroup // handlers that have not seen their last event
}

// handler returns a handler that logs under name.
func (l *eventLog) handler(name string) func(transport.Event) {
	l.open.Add(1)
	return func(ev transport.Event) {
		l.add(name, ev)
		if ev.Kind == transport.Disconnected {
			l.open.Done()
		}
	}
}

func (l *eventLog) add(name string, ev transport.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf("%v %d", ev.Kind, ev.Conn.ID())
	if ev.Kind == transport.Message {
		line += " " + string(ev.Payload)
	}
	if ev.Err != nil {
		line += " " + ev.Err.Error()
	}
	l.lines[name] = append(l.lines[name], line)
}

func (l *eventLog) join(t *testing.T, id uint32, name string) (client, host *Conn) {
	return connected(t, Config{ID: id, Handler: l.handler(name), Host: &End{Handler: l.handler("host of " + name)}})
}

// A local player leaves a listen server and joins again, and the server stops: each end has one event for each of these, and the others
// notice nothing.
func TestLocalPlayerComesAndGoes(t *testing.T) {
	log := &eventLog{lines: make(map[string][]string)}
	_, hostOfRemote := log.join(t, 2, "remote")

	local, hostOfLocal := log.join(t, 1, "local")
	send(t, local, ordered, "hello")
	send(t, hostOfLocal, ordered, "welcome")
	require.NoError(t, hostOfRemote.Send([]byte("a player came"), ordered))
	require.NoError(t, local.Close())

	_, hostOfAgain := log.join(t, 1, "local again")
	require.NoError(t, hostOfRemote.Send([]byte("a player came again"), ordered))
	require.NoError(t, hostOfAgain.Close())
	require.NoError(t, hostOfRemote.Close())
	log.open.Wait()

	delete(log.lines, "local") // may or may not have read the welcome before it left
	require.Equal(t, map[string][]string{
		"remote": {
			"connected 2", "message 2 a player came", "message 2 a player came again", "disconnected 2 connection closed by the peer",
		},
		"host of remote":      {"connected 2", "disconnected 2 connection closed locally"},
		"host of local":       {"connected 1", "message 1 hello", "disconnected 1 connection closed by the peer"},
		"local again":         {"connected 1", "disconnected 1 connection closed by the peer"},
		"host of local again": {"connected 1", "disconnected 1 connection closed locally"},
	}, log.lines)
}
