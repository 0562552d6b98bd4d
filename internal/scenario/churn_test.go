package scenario

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B22: everything that can be asked is asked and changed by eight goroutines while clients come and go. The race detector judges.
func TestWhatAHostReturnsBelongsToTheCaller(t *testing.T) {
	length := time.Duration(size(300, 20_000)) * time.Millisecond
	h := listenUDP(t, "127.0.0.1:0", udp.Config{Handler: func(transport.Event) {}})
	end := time.Now().Add(length)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for time.Now().Before(end) {
				c, err := udp.Dial(t.Context(), h.Addr().String(), udp.Config{Protocol: udp.Base})
				if !assert.NoError(t, err) {
					return
				}
				assert.NoError(t, c.Send([]byte("hello"), ordered))
				time.Sleep(20 * time.Millisecond)
				c.Abort()
				c.Close()
			}
		})
	}
	for range 8 {
		all.Go(func() {
			for time.Now().Before(end) {
				askAndChange(h)
			}
		})
	}
	all.Wait()
	require.Eventually(t, func() bool { return len(h.Conns()) == 0 }, patience, time.Millisecond)
	require.Zero(t, h.Stats().Peers)
	require.NotZero(t, h.Stats().Admitted)
}

func askAndChange(h *udp.Host) {
	conns := h.Conns()
	for _, c := range conns {
		peer := c.(*udp.Conn)
		_ = peer.RTT()
		_ = c.RemoteAddr()
		_ = c.LocalAddr()
		_ = c.Send([]byte("to you"), unreliable)
		stats := peer.Stats()
		clear(stats.Drops[:])
		if found := h.Find(c.RemoteAddr()); found != nil {
			_ = found.ID()
		}
	}
	slices.SortFunc(conns, func(a, b transport.Conn) int { return int(b.ID()) - int(a.ID()) })
	clear(conns)
	stats := h.Stats()
	clear(stats.Drops[:])
	_ = h.Broadcast([]byte("to all"), unreliable)
}

// B23: one port, many hosts one after the other.
func TestAHostListensAgainOnItsPortWithoutOldPeers(t *testing.T) {
	rounds := size(4, 50)
	addr := "127.0.0.1:0"
	for round := range rounds {
		h, err := udp.Listen(addr, udp.Config{Protocol: udp.Base})
		require.NoError(t, err)
		addr = h.Addr().String()
		require.Empty(t, h.Conns())
		require.Zero(t, h.Stats().Admitted)
		var clients []*udp.Conn
		var ids []string
		for range 3 {
			clients = append(clients, dialUDP(t, h, udp.Config{}))
			ids = append(ids, fmt.Sprint(acceptUDP(t, h).ID()))
		}
		require.Equal(t, "1 2 3", strings.Join(ids, " "))
		require.Len(t, h.Conns(), 3)
		require.NoError(t, h.Close())
		if round%2 == 1 {
			require.NoError(t, h.Close())
		}
		for _, c := range clients {
			require.Equal(t, transport.ClosedByPeer, ends(testContext(t), c))
		}
		time.Sleep(time.Duration(round%5) * 5 * time.Millisecond)
	}
}
