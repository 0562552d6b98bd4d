package scenario

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/udp"
)

// T01, T11: on a real socket, a player joins and plays while everything that strangers can send comes as fast as this machine sends it.
func TestAPlayerJoinsAndPlaysDuringAFloodOnSockets(t *testing.T) {
	h, err := udp.Listen("127.0.0.1:0", udp.Config{Key: hostKey})
	require.NoError(t, err)
	t.Cleanup(func() { h.Abort(); h.Close() })
	var sent atomic.Int64
	stop, done := make(chan struct{}), make(chan struct{})
	r := dialRaw(t, h.Addr())
	go func() {
		defer close(done)
		random := rand.New(rand.NewPCG(1, 1))
		noise := make([]byte, 1300)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			d := hello(uint32(1 + i))
			switch i % 4 {
			case 0:
				d = nil
			case 1:
				for j := range noise {
					noise[j] = byte(random.Uint32())
				}
				d = noise[:random.IntN(len(noise))]
			case 2:
				d = append([]byte{byte(handshake.KindSealed)}, noise[:60]...)
			}
			if _, err := r.conn.WriteToUDPAddrPort(d, r.to); err == nil {
				sent.Add(1)
			}
		}
	}()
	c, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{HostKey: hostKey.Public()})
	require.NoError(t, err)
	t.Cleanup(func() { c.Abort(); c.Close() })
	peer := acceptUDP(t, h)
	for i := 0; i < 20 || sent.Load() < int64(size(2000, 100_000)); i++ {
		require.NoError(t, c.Send([]byte("ping"), ordered))
		require.Equal(t, "ping", receiveUDP(t, peer))
		require.NoError(t, peer.Send([]byte("pong"), ordered))
		require.Equal(t, "pong", receiveUDP(t, c))
	}
	close(stop)
	<-done
	require.Len(t, h.Conns(), 1)
	t.Logf("%d datagrams of strangers meanwhile; the host dropped %v", sent.Load(), h.Stats().Drops)
}
