package scenario

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// resources are the goroutines and, where the system tells, the open descriptors of this process.
func resources() (goroutines, descriptors int) {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return runtime.NumGoroutine(), 0
	}
	return runtime.NumGoroutine(), len(open)
}

// B20: dials that fail, are refused, and are cancelled about when the Accept comes, on real sockets.
func TestFailedDialsLeaveNothingBehind(t *testing.T) {
	n := size(60, 500)
	refusing := listenUDP(t, "127.0.0.1:0", udp.Config{Admit: func(udp.Request) *udp.Refusal { return &udp.Refusal{Text: "no"} }})
	accepting := listenUDP(t, "127.0.0.1:0", udp.Config{MaxPeers: 250})
	swallowing := dialRaw(t, netip.AddrPort{}).conn.LocalAddr().String()
	goroutines, descriptors := resources()

	for name, attempt := range map[string]struct {
		addr    string
		patient func() time.Duration
		want    func(error) bool
	}{
		"swallowed": {swallowing, func() time.Duration { return 50 * time.Millisecond },
			func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
		"refused": {refusing.Addr().String(), func() time.Duration { return patience },
			func(err error) bool { return errors.As(err, new(*transport.RefusedError)) }},
		"cancelled": {accepting.Addr().String(), func() time.Duration { return rand.N(2 * time.Millisecond) },
			func(err error) bool { return err == nil || errors.Is(err, context.DeadlineExceeded) }},
	} {
		var all sync.WaitGroup
		results := make(chan error, n)
		for i := range n {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				ctx, cancel := context.WithTimeout(context.Background(), attempt.patient())
				defer cancel()
				conn, err := udp.Dial(ctx, attempt.addr, udp.Config{Protocol: udp.Base})
				if err == nil {
					conn.Abort()
				}
				results <- err
			})
		}
		all.Wait()
		for range n {
			err := <-results
			require.True(t, attempt.want(err), "%s: %v", name, err)
		}
	}
	require.Eventually(t, func() bool { return len(accepting.Conns()) == 0 }, patience, time.Millisecond, "no ghost stays at the host")
	g, d := resources()
	for end := time.Now().Add(patience); (g > goroutines || d > descriptors) && time.Now().Before(end); g, d = resources() {
		time.Sleep(10 * time.Millisecond)
	}
	require.LessOrEqual(t, g, goroutines)
	require.LessOrEqual(t, d, descriptors)
}

// B20: a dial that is given up at any moment around the Accept.
func TestADialThatIsGivenUpLeavesNoPeerAtTheHost(t *testing.T) {
	for after := time.Duration(0); after <= 60*time.Millisecond; after += time.Millisecond {
		w := newWorld(t)
		h := w.host()
		c := w.client("client", h)
		w.run(after)
		c.conn.Abort()
		c.wake()
		w.run(2*oneWay + 100*time.Millisecond)
		require.Zero(t, h.peers(), "given up after %v", after)
		require.Error(t, c.session().err)
	}
}

// B38: the host broadcasts all the time, and its messages overtake the Accept.
func TestDataThatOvertakesTheAcceptDoesNoHarm(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	c := w.client("client", h)
	slow := true
	w.nw.SetLink(h.node, c.node, sim.Conditions{Delay: oneWay, Drop: func(d []byte) bool {
		if kindOf(d) != framing.KindAccept || !slow {
			return false
		}
		accept := append([]byte{}, d...)
		w.nw.After(200*time.Millisecond, func() { h.node.Forge(accept, h.address(), c.address()) })
		slow = false
		return true
	}})
	h.on = func(ev transport.Event) {
		if ev.Kind == transport.Connected {
			for i := range 5 {
				require.NoError(t, ev.Conn.Send([]byte(fmt.Sprint(i)), ordered), "inside its own Connected event")
			}
		}
	}
	c.on = func(ev transport.Event) {
		if ev.Kind == transport.Connected {
			require.NoError(t, ev.Conn.Send([]byte("hello"), ordered))
		}
	}
	w.every(time.Second/60, 60, func(int) { _ = h.host.Broadcast([]byte("state"), unreliable); h.wake() })
	w.run(time.Second)
	require.True(t, c.connected())
	require.NotZero(t, c.stats().Drops[framing.DropEarly])
	require.Equal(t, []string{"hello"}, h.with(c).heard)
	var reliable []string
	for _, m := range c.heard() {
		if m != "state" {
			reliable = append(reliable, m)
		}
	}
	require.Equal(t, numbers(5), reliable)
}

// B38: an application that is slow to look finds everything that came before.
func TestNothingIsLostBeforeTheApplicationLooks(t *testing.T) {
	for _, late := range []time.Duration{0, 50 * time.Millisecond, 500 * time.Millisecond} {
		inBubble(t, func(b *bubble) {
			h, _ := b.listen(udp.Config{Handler: func(ev transport.Event) {
				if ev.Kind == transport.Connected {
					for i := range 5 {
						_ = ev.Conn.Send([]byte(fmt.Sprint(i)), ordered)
					}
				}
			}})
			c, _ := b.dial(h, udp.Config{})
			time.Sleep(late)
			for i := range 5 {
				require.Equal(b, fmt.Sprint(i), b.hears(c))
			}
		})
	}
}
