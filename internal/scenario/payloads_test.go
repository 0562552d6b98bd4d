package scenario

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// stamped is a message of 600 bytes that holds its number all over.
func stamped(i int) string { return string(bytes.Repeat(fmt.Appendf(nil, "%06d", i), 100)) }

// keeper collects payloads as an application does that must not keep them, and as one does that may.
type keeper struct {
	aliased, retained [][]byte
}

func (k *keeper) on(ev transport.Event) {
	if ev.Kind == transport.Message {
		k.aliased, k.retained = append(k.aliased, ev.Payload), append(k.retained, ev.Retain())
	}
}

// check requires that what was retained is whole, and that keeping a payload without Retain was found out.
func (k *keeper) check(t *testing.T, n int) {
	t.Helper()
	require.Len(t, k.retained, n)
	var seen [2]int // stamps are even for unreliable messages
	for i, m := range k.retained {
		var number int
		_, err := fmt.Sscanf(string(m[:6]), "%d", &number)
		require.NoError(t, err)
		require.Equal(t, stamped(number), string(m))
		require.Equal(t, seen[number%2], number/2, "in order and once")
		seen[number%2]++
		require.NotEqual(t, m, k.aliased[i], "a payload is lent until the next Poll")
	}
}

// B11: every payload is kept while thousands follow it.
func TestRetainedPayloadsKeepTheirBytesAndOthersAreFoundOut(t *testing.T) {
	n := size(1000, 5000)
	w := newWorld(t)
	h := w.host()
	clients := w.join(h, "sender", "receiver")
	sender, receiver := clients[0], clients[1]
	relay := h.with(receiver).conn
	var atHost, atReceiver keeper
	h.on = func(ev transport.Event) {
		atHost.on(ev)
		if ev.Kind == transport.Message {
			require.NoError(t, relay.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery}), "these same bytes go on")
		}
	}
	receiver.on = atReceiver.on
	w.every(2*time.Millisecond, n, func(i int) {
		sender.sends(stamped(2*i), unreliable)
		sender.sends(stamped(2*i+1), ordered)
	})
	w.run(soon)
	h.on, receiver.on = nil, nil
	sender.says("so that there is a next Poll")
	relay.Send([]byte("so that there is a next Poll"), ordered)
	w.run(soon)
	atHost.check(t, 2*n)
	atReceiver.check(t, 2*n)
}

// B11 over loopback.
func TestRetainedPayloadsKeepTheirBytesOverLoopback(t *testing.T) {
	const n = 5000
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Poison: true})
	require.NoError(t, err)
	defer client.Abort()
	var k keeper
	read := func() {
		host.Poll()
		for ev, ok := host.Next(); ok; ev, ok = host.Next() {
			k.on(ev)
		}
	}
	for i := range n {
		require.NoError(t, client.Send([]byte(stamped(2*i)), unreliable))
		require.NoError(t, client.Send([]byte(stamped(2*i+1)), ordered))
		if i%10 == 9 {
			read()
		}
	}
	host.Poll()
	k.check(t, 2*n)
}

// B11 with a handler, which another goroutine calls, and with Receive, whose buffer belongs to the caller.
func TestPayloadsOfHandlersAndOfReceiveKeepTheirBytes(t *testing.T) {
	const n = 1000
	inBubble(t, func(b *bubble) {
		var k keeper
		h, _ := b.listen(udp.Config{Poison: true, Handler: func(ev transport.Event) {
			k.on(ev)
			if ev.Kind == transport.Message {
				assert.NoError(b, ev.Conn.Send(ev.Payload, ordered))
			}
			if len(k.aliased)%10 == 9 {
				time.Sleep(5 * time.Millisecond)
			}
		}})
		c, _ := b.dial(h, udp.Config{Poison: true})
		var echoes [][]byte
		for i := range n {
			require.NoError(b, c.Send([]byte(stamped(2*i+1)), ordered))
			time.Sleep(time.Millisecond)
		}
		for i := range n {
			ev, err := c.Receive(b.Context(), nil)
			require.NoError(b, err)
			require.Equal(b, stamped(2*i+1), string(ev.Payload))
			echoes = append(echoes, ev.Payload)
		}
		for i, e := range echoes {
			require.Equal(b, stamped(2*i+1), string(e))
		}
		require.NoError(b, c.Close())
		b.settle(time.Second)
		k.check(t, n)
	})
}
