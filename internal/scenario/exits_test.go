package scenario

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// deaf is a socket that loses a share of what comes in.
type deaf struct {
	net.PacketConn
	percent int
	rng     *rand.Rand
}

func (d *deaf) ReadFrom(p []byte) (n int, from net.Addr, err error) {
	for {
		if n, from, err = d.PacketConn.ReadFrom(p); err != nil || d.rng.IntN(100) >= d.percent {
			return n, from, err
		}
	}
}

// B36: a process closes and exits in the next line. What the host takes for a leave took no time-out.
func TestAClientThatClosesAndExitsHasSaidGoodbye(t *testing.T) {
	n := size(6, 100)
	for _, c := range []struct{ percent, most int }{{0, 0}, {30, 3}} {
		conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(local(0)))
		require.NoError(t, err)
		defer conn.Close()
		causes := make(chan transport.Cause, n)
		h := listenUDP(t, "", udp.Config{
			PacketConn: &deaf{conn, c.percent, rand.New(rand.NewPCG(36, 0))},
			Handler: func(ev transport.Event) {
				if ev.Kind == transport.Disconnected {
					causes <- causeOf(ev.Err)
				}
			},
		})
		var all sync.WaitGroup
		for range n {
			child, _ := startChild(t, "client that closes and exits", h.Addr().String())
			all.Go(func() { _ = child.Wait() })
		}
		all.Wait()
		missed := 0
		for range n {
			if within(t, causes) != transport.ClosedByPeer {
				missed++
			}
		}
		require.LessOrEqual(t, missed*100, c.most*n)
	}
}
