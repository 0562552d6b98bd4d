package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// tooLarge requires an error that states the size and the limit of the mode.
func tooLarge(t *testing.T, err error, size, limit int) {
	t.Helper()
	var e *transport.TooLargeError
	require.ErrorAs(t, err, &e)
	require.Equal(t, transport.TooLargeError{Size: size, Limit: limit}, *e)
	require.ErrorContains(t, err, fmt.Sprint(limit))
}

// filled is a message of n bytes that tells its size.
func filled(n int) string {
	return (fmt.Sprint(n, " ") + strings.Repeat("x", max(0, n)))[:n]
}

// B24: unreliable messages around the limit and far above it, and one that grows.
func TestUnreliableAboveTheLimitIsAnErrorAndNothingElse(t *testing.T) {
	w := newSeededWorld(t, 24)
	h, c := w.pair()
	w.links(lossy(2))
	sizes := []int{5_000, 60_000, 70_000}
	for n := 1100; n <= 1300; n++ {
		sizes = append(sizes, n)
	}
	for n := 40; n <= 1240; n += 40 { // one more player each second
		sizes = append(sizes, n)
	}
	sent := map[string]int{}
	for _, n := range sizes {
		err := c.conn.Send([]byte(filled(n)), unreliable)
		if n > framing.MaxUnreliable {
			tooLarge(t, err, n, framing.MaxUnreliable)
		} else {
			require.NoError(t, err)
			sent[filled(n)]++
		}
		c.wake()
		w.run(10 * time.Millisecond)
	}
	w.run(soon)
	heard := h.with(c).heard
	require.Greater(t, len(heard), len(sent)*9/10)
	for _, m := range heard {
		require.Positive(t, sent[m], "nothing is cut or comes twice")
		sent[m]--
	}
	require.Zero(t, c.stats().Repairs, "and nothing became reliable")
	require.Zero(t, c.stats().MessagesAcked)
}

// B51: every size in both modes, and many small messages in one tick. The world looks at every datagram.
func TestNoSizeMakesADatagramAboveTheLimit(t *testing.T) {
	w := newWorld(t)
	h, c := w.pair()
	for _, o := range []transport.SendOptions{unreliable, ordered} {
		limit := c.conn.MaxPayload(o.Delivery)
		for n := range 1301 {
			err := c.conn.Send([]byte(filled(n)), o)
			if n > limit {
				tooLarge(t, err, n, limit)
				continue
			}
			require.NoError(t, err)
			c.wake()
			w.run(time.Millisecond)
		}
		w.run(soon)
		heard := h.with(c).heard
		require.Len(t, heard, limit+1)
		for n := range limit + 1 {
			require.Equal(t, filled(n), heard[n])
		}
		h.with(c).heard = nil
	}
	for range 255 {
		c.says("four")
	}
	for range 1000 {
		c.says("1")
	}
	w.run(time.Second)
	require.Equal(t, slices.Concat(slices.Repeat([]string{"four"}, 255), slices.Repeat([]string{"1"}, 1000)), h.with(c).heard)
}

// B25: the largest message of each mode, sent in the first event and again after 10 s, on every transport.
func TestTheLargestPayloadIsTakenFromTheStartAndForGood(t *testing.T) {
	modes := []transport.Delivery{
		transport.Unreliable, transport.Sequenced, transport.ReliableUnordered, transport.ReliableOrdered, transport.ReliableSequenced,
	}
	sendLargest := func(c transport.Conn) (sizes []int) {
		for _, d := range modes {
			n := c.MaxPayload(d)
			require.Equal(t, n > 0, c.Supports(d, 0))
			if n > 0 {
				require.NoError(t, c.Send([]byte(filled(n)), transport.SendOptions{Delivery: d}))
				tooLarge(t, c.Send(make([]byte, n+1), transport.SendOptions{Delivery: d}), n+1, n)
				sizes = append(sizes, n)
			}
		}
		return sizes
	}
	t.Run("udp", func(t *testing.T) {
		w := newWorld(t)
		h := w.host()
		var atFirst []int
		c := w.client("client", h)
		c.on = func(ev transport.Event) {
			if ev.Kind == transport.Connected {
				atFirst = sendLargest(ev.Conn)
			}
		}
		w.run(soon)
		require.Len(t, h.with(c).heard, len(atFirst))
		w.run(10 * time.Second)
		require.Equal(t, atFirst, sendLargest(c.conn))
		c.wake()
		w.run(soon)
		require.Len(t, h.with(c).heard, 2*len(atFirst))
	})
	t.Run("loopback", func(t *testing.T) {
		c, peer, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, QueueBytes: 16 << 20})
		require.NoError(t, err)
		defer c.Abort()
		want := len(sendLargest(c))
		peer.Poll()
		for ev, ok := peer.Next(); ok; ev, ok = peer.Next() {
			if ev.Kind == transport.Message {
				require.Equal(t, filled(c.MaxPayload(ev.Delivery)), string(ev.Payload))
				want--
			}
		}
		require.Zero(t, want)
	})
}

// B88: messages that are far too large, to one peer and to all, and then ordinary ones.
func TestAMessageThatIsTooLargeLeavesTheQueueAsItWas(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	clients := w.join(h, "A", "B", "C")
	before := h.host.Stats().DatagramsSent
	peer := h.with(clients[0])
	for _, n := range []int{framing.MaxReliable + 1, 10 << 20, 70 << 20} {
		huge := make([]byte, n)
		tooLarge(t, peer.conn.Send(huge, ordered), n, framing.MaxReliable)
		tooLarge(t, h.host.Broadcast(huge, ordered), n, framing.MaxReliable)
		require.Zero(t, peer.conn.(*udp.Conn).Stats().QueueMessages)
	}
	h.wake()
	w.run(100 * time.Millisecond)
	require.Equal(t, before, h.host.Stats().DatagramsSent, "nothing was sent to anybody")

	for i := range 10 {
		require.NoError(t, h.host.Broadcast([]byte(fmt.Sprint(i)), ordered))
	}
	require.NoError(t, h.host.Broadcast(nil, ordered))
	require.NoError(t, h.host.Broadcast([]byte{}, ordered))
	h.wake()
	w.run(soon)
	for _, c := range clients {
		require.Equal(t, append(numbers(10), "", ""), c.heard())
	}
	require.NoError(t, peer.conn.Err())
}
