package udp_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestABroadcastReachesEveryPeerOnce(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	var clients []*member
	for i := range 5 {
		clients = append(clients, w.client(fmt.Sprint("client", i), h, udp.Config{}))
	}
	w.run(time.Second)
	require.NoError(t, h.host.Broadcast([]byte("all"), ordered))
	h.node.Wake()
	w.run(time.Second)
	for _, c := range clients {
		c.wants(fmt.Sprintf("%d connected", c.conn.ID()), fmt.Sprintf("%d message all", c.conn.ID()))
	}
}

func TestABroadcastThatNobodyCouldTakeIsNotSentToAnybody(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	w.client("client", h, udp.Config{})
	w.run(time.Second)
	before := h.host.Conns()[0].(*udp.Conn).Stats().MessagesQueued
	var tooLarge *transport.TooLargeError
	require.ErrorAs(t, h.host.Broadcast(make([]byte, 1196), ordered), &tooLarge)
	require.ErrorIs(t, h.host.Broadcast(nil, transport.SendOptions{Delivery: transport.Sequenced}), transport.ErrNotOnBase)
	require.ErrorIs(t, h.host.Broadcast(nil, transport.SendOptions{Channel: 1}), transport.ErrNotOnBase)
	require.ErrorContains(t, h.host.Broadcast(nil, transport.SendOptions{TTL: -1}), "TTL")
	require.Equal(t, before, h.host.Conns()[0].(*udp.Conn).Stats().MessagesQueued)
}

func TestABroadcastLeavesOutThoseWhoAreClosing(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	leaving, staying := w.client("leaving", h, udp.Config{}), w.client("staying", h, udp.Config{})
	w.run(time.Second)
	w.nw.Cut(leaving.node, h.node) // no ack: the close takes its linger time
	send(t, h.host.Conns()[0], "last", ordered)
	require.NoError(t, h.host.Conns()[0].Close())
	require.NoError(t, h.host.Broadcast([]byte("all"), ordered))
	h.node.Wake()
	w.run(time.Second)
	leaving.wants("1 connected", "1 message last")
	staying.wants("2 connected", "2 message all")
}

func TestAFullQueueDoesNotHoldUpABroadcast(t *testing.T) {
	w := newWorld(t)
	c := lan()
	c.SendQueueMessages = 4
	h := w.host(c)
	stuck := w.client("stuck", h, udp.Config{})
	fine := w.client("fine", h, udp.Config{})
	w.run(time.Second)
	w.nw.Cut(h.node, stuck.node)
	var failed *udp.BroadcastError
	for range 6 {
		if err := h.host.Broadcast([]byte("tick"), ordered); err != nil {
			require.True(t, errors.As(err, &failed))
		}
		h.node.Wake()
		w.run(200 * time.Millisecond)
	}
	require.Equal(t, &udp.BroadcastError{Failed: 1, Peers: 2, First: transport.ErrQueueFull}, failed)
	require.Len(t, fine.log, 7)
}

func TestABroadcastLeavesOutWhoHasLeft(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	a, b := w.client("a", h, udp.Config{}), w.client("b", h, udp.Config{})
	w.run(time.Second)
	h.on = func(ev transport.Event) {
		if ev.Kind == transport.Disconnected {
			require.NoError(t, h.host.Broadcast([]byte("one left"), ordered))
		}
	}
	require.NoError(t, a.conn.Close())
	a.node.Wake()
	w.run(time.Second)
	b.wants("2 connected", "2 message one left")
}
