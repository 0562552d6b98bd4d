package loopback

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/stretchr/testify/require"
)

// answer sends the number in ev, plus one, back to where it came from.
func answer(ev transport.Event) uint32 {
	n := binary.LittleEndian.Uint32(ev.Payload) + 1
	_ = ev.Conn.Send(binary.LittleEndian.AppendUint32(nil, n), ordered)
	return n
}

// Handlers that answer each other a million times need no stack and no lock of the sender's.
func TestHandlersAnswerEachOtherWithoutRecursion(t *testing.T) {
	const rallies = 1_000_000
	done := make(chan struct{})
	handler := func(ev transport.Event) {
		if ev.Kind == transport.Message && answer(ev) == rallies {
			close(done)
		}
	}
	client, _ := connected(t, Config{Handler: handler})
	require.NoError(t, client.Send(make([]byte, 4), ordered))
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the rally stopped")
	}
}

func TestGameLoopsAnswerEachOtherInOrder(t *testing.T) {
	const rallies = 10_000
	client, host := connected(t, Config{Driving: transport.GameLoop})
	require.NoError(t, client.Send(make([]byte, 4), ordered))
	var last uint32
	for last < rallies {
		for _, c := range []*Conn{host, client} {
			c.Poll()
			for ev, ok := c.Next(); ok; ev, ok = c.Next() {
				if ev.Kind == transport.Message {
					n := answer(ev)
					require.Equal(t, last+1, n)
					last = n
				}
			}
		}
	}
}
