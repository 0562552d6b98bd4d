package udp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

const downloads = 5 // the channel of bulk

// narrow is a world whose link carries 4 Mbit/s, with a buffer of half a second.
func narrow(t *testing.T) *world {
	w := newSecureWorld(t)
	w.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Rate: 4_000_000, Queue: 250_000})
	return w
}

// downloading is a client that sends 1 MB on the channel of bulk and a pose each 33 ms beside it. It returns how late the poses were.
func downloading(t *testing.T, c udp.Config) (late []time.Duration, m *member) {
	w := narrow(t)
	h := w.host(keyed())
	var sent []int64
	h.on = func(ev transport.Event) {
		if ev.Kind == transport.Message && ev.Channel == 0 {
			late = append(late, time.Duration(ev.At-sent[len(late)]))
		}
	}
	c.HostKey = hostKey.Public()
	m = w.client("client", h, c)
	w.run(time.Second)
	file := make([]byte, 16<<10)
	for range 60 {
		for range 4 {
			if err := m.conn.Send(file, transport.SendOptions{Delivery: transport.ReliableOrdered, Channel: downloads}); err != nil {
				require.ErrorIs(t, err, transport.ErrQueueFull)
			}
		}
		sent = append(sent, m.node.Clock())
		m.say("pose", transport.SendOptions{Delivery: transport.ReliableUnordered})
		w.run(33 * time.Millisecond)
	}
	w.run(time.Second)
	require.Len(t, late, len(sent))
	return late, m
}

func TestADownloadOnAChannelOfBulkLeavesTheGameAlone(t *testing.T) {
	late, m := downloading(t, udp.Config{Channels: []udp.Channel{downloads: {Class: udp.ClassBulk}}})
	for i, d := range late[10:] { // until it has found out what the path takes
		require.Less(t, d, 30*time.Millisecond, "pose %d", i) // 10 ms of delay, and a few packets that take 2.4 ms each
	}
	require.InEpsilon(t, 500_000, m.conn.SendBudget(), 0.2, "what the link carries")
	late, _ = downloading(t, udp.Config{})
	require.Greater(t, late[50], 200*time.Millisecond, "as messages of the game it fills the buffer")
}

func TestANewerMessageReplacesOneThatWaits(t *testing.T) {
	w := narrow(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	for i := range 3 {
		require.NoError(t, c.conn.Send(fmt.Append(nil, "health ", i), transport.SendOptions{Delivery: transport.ReliableOrdered, ReplaceKey: 7, Receipt: uint64(i + 1)}))
	}
	c.node.Wake()
	w.run(time.Second)
	h.wants("1 connected", "1 message health 2")
	c.wants("1 connected", "1 outcome 1 superseded", "1 outcome 2 superseded", "1 outcome 3 delivered")
}

func TestOnTheBaseProtocolNothingReplaces(t *testing.T) {
	w := newWorld(t)
	c := w.client("client", w.host(udp.Config{Plain: udp.PlainAny}), udp.Config{})
	w.run(time.Second)
	require.ErrorIs(t, c.conn.Send(nil, transport.SendOptions{ReplaceKey: 1}), transport.ErrNotOnBase)
	_, _, ok := c.conn.RemoteTime(0)
	require.False(t, ok)
}

func TestTheClockOfThePeerIsKnownWithinHalfARoundTrip(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	h.echoes()
	c := w.client("client", h, knows())
	for range 30 {
		w.run(100 * time.Millisecond)
		c.say("tick", transport.SendOptions{})
	}
	w.run(100 * time.Millisecond)
	now := c.node.Clock()
	remote, within, ok := c.conn.RemoteTime(now)
	require.True(t, ok)
	require.LessOrEqual(t, within, 15*time.Millisecond)
	require.InDelta(t, h.node.Clock(), remote, float64(within))
}
