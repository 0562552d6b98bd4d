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

// busyHour is a host with clients that come and go on a bad network. It returns the hash of everything that was on the wire.
func busyHour(t *testing.T, protocol udp.Protocol, batches, runs bool) uint64 {
	w := newWorld(t)
	w.protocol, w.batches, w.runs = protocol, batches, runs
	w.nw.SetDefault(sim.Conditions{Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: sim.Percent(20), Duplicate: sim.Percent(5)})
	h := w.host(lan())
	h.on = func(ev transport.Event) {
		if ev.Kind == transport.Message {
			_ = ev.Conn.Send(ev.Payload, ordered)
			_ = h.host.Broadcast(ev.Payload, unreliable)
		}
	}
	for i := range 12 {
		w.nw.After(time.Duration(i)*time.Second, func() {
			c := w.client(fmt.Sprint("client", i), h, udp.Config{})
			for tick := range 50 {
				w.nw.After(time.Duration(tick)*100*time.Millisecond, func() {
					_ = c.conn.Send([]byte(fmt.Sprint(i, tick)), ordered)
					c.node.Wake()
				})
			}
			w.nw.After(time.Duration(5+i)*time.Second, func() {
				_ = c.conn.Close()
				c.node.Wake()
			})
		})
	}
	w.run(time.Minute)
	require.Empty(t, h.host.Conns())
	require.Greater(t, len(h.log), 500)
	return w.nw.TraceHash()
}

func TestOneSeedIsOneRun(t *testing.T) {
	for _, protocol := range bothProtocols {
		require.Equal(t, busyHour(t, protocol, false, false), busyHour(t, protocol, false, false))
	}
}

func TestBatchesChangeNothingOnTheWire(t *testing.T) {
	for _, protocol := range bothProtocols {
		plain := busyHour(t, protocol, false, false)
		require.Equal(t, plain, busyHour(t, protocol, true, false))
		require.Equal(t, plain, busyHour(t, protocol, true, true))
	}
}
