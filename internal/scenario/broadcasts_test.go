package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B49: peers leave, are thrown out and cannot be written to while the host broadcasts.
func TestEveryPeerThatStaysGetsEveryBroadcastOnce(t *testing.T) {
	w := newWorld(t)
	var sock *faulty
	var deaf netip.AddrPort // writes to it fail
	h := w.host(failing(&sock, func(_ []byte, to netip.AddrPort) error {
		if to == deaf {
			return syscall.EINVAL
		}
		return nil
	}))
	clients := w.join(h, names(16)...)
	var peers []*session
	for _, c := range clients {
		peers = append(peers, h.with(c))
	}
	deaf = clients[7].address()
	var want []string
	broadcast := func(text string) {
		require.NoError(t, h.host.Broadcast([]byte(text), ordered))
		want = append(want, text)
	}
	h.on = func(ev transport.Event) {
		switch {
		case ev.Kind == transport.Disconnected:
			broadcast(fmt.Sprint(ev.Conn.RemoteAddr().Addr(), " left"))
		case string(ev.Payload) == "throw out 4 and 5":
			broadcast("before")
			peers[4].kicks()
			require.NoError(t, peers[5].conn.Close(), "it still delivers what came before")
			broadcast("after")
		}
	}
	clients[3].says("throw out 4 and 5")
	w.run(soon)
	clients[6].leaves()
	w.run(soon)
	for i, c := range clients {
		switch i {
		case 4, 5:
			require.Equal(t, transport.ClosedByPeer, c.session().cause())
			require.Len(t, c.heard(), i-4, "what came before the graceful end, and nothing of its own leave")
		case 6:
			require.Equal(t, want[:4], c.heard())
		case 7:
			require.Empty(t, c.heard())
		default:
			require.Equal(t, want, c.heard())
		}
	}
	require.Len(t, want, 5)
	require.Equal(t, 13, h.peers())
	deaf = netip.AddrPort{}
	w.run(time.Second)
	require.Equal(t, want, clients[7].heard(), "and the one that could not be reached is no worse off")
}

// B49: the host closes while every handler broadcasts.
func TestAHostClosesWhileItsHandlersBroadcast(t *testing.T) {
	inBubble(t, func(b *bubble) {
		var h *udp.Host
		started := make(chan struct{})
		events := map[transport.EventKind]int{}
		h, _ = b.listen(udp.Config{Handler: func(ev transport.Event) {
			<-started
			events[ev.Kind]++
			err := h.Broadcast([]byte("to all"), ordered)
			assert.True(b, err == nil || err == udp.ErrHostClosed)
		}})
		var clients []*udp.Conn
		for range 16 {
			c, _ := b.dial(h, udp.Config{})
			require.NoError(b, c.Send([]byte("hello"), ordered))
			clients = append(clients, c)
		}
		close(started)
		require.NoError(b, h.Close())
		for _, c := range clients {
			require.Equal(b, transport.ClosedByPeer, ends(b.Context(), c))
		}
		b.settle(time.Second)
		require.Equal(b, 16, events[transport.Connected])
		require.Equal(b, 16, events[transport.Disconnected])
	})
}

// B59: a peer with a full queue that never acks costs those who talk next to it nothing. What is compared is work, not time: turns of the
// host's loop, and datagrams.
func TestAFullQueueOfOnePeerIsNoWorkForOthers(t *testing.T) {
	n := size(200, 1000)
	work := func(stuck bool) (turns int, datagrams uint64) {
		w := newWorld(t)
		h := w.host()
		clients := w.join(h, names(9)...)
		r := w.raw("stuck", h).joins()
		peer := h.session().conn
		h.on = func(ev transport.Event) {
			if ev.Kind == transport.Message {
				require.NoError(t, ev.Conn.Send(ev.Payload, ordered))
			}
		}
		if stuck {
			queued := 0
			for peer.Send([]byte(strings.Repeat("x", 500)), ordered) == nil {
				queued++
			}
			require.GreaterOrEqual(t, queued, 4000)
			h.wake()
			w.run(2 * time.Second) // the window is sent, and sent again
		}
		turns, datagrams = h.turns, h.host.Stats().DatagramsSent
		w.every(10*time.Millisecond, n, func(i int) {
			for _, c := range clients {
				c.says(fmt.Sprint(i))
			}
			if i%50 == 0 {
				r.sends("heartbeat")
			}
		})
		for _, c := range clients {
			require.Greater(t, len(c.heard()), n-10)
			require.Equal(t, numbers(len(c.heard())), c.heard())
		}
		return h.turns - turns, h.host.Stats().DatagramsSent - datagrams
	}
	turns, datagrams := work(false)
	stuckTurns, stuckDatagrams := work(true)
	require.Less(t, stuckTurns, turns*11/10)
	require.Less(t, stuckDatagrams, datagrams*11/10)
}

// T45, B59: the others are not delayed either by one whose messages nobody reads.
func TestOrderIsKeptNextToABusyPeer(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	clients := w.join(h, "busy", "quiet")
	const n = 100
	w.every(5*time.Millisecond, n, func(i int) {
		for range 20 {
			_ = h.with(clients[0]).conn.Send(make([]byte, 1000), ordered)
		}
		clients[1].says(fmt.Sprint(i))
		h.wake()
	})
	w.run(oneWay)
	require.Equal(t, numbers(n), h.with(clients[1]).heard)
	require.False(t, slices.Contains(clients[1].heard(), ""))
}
