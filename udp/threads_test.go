package udp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestEverythingMayBeCalledWhileClientsComeAndGo(t *testing.T) {
	h := listen(t, udp.Config{Handler: func(ev transport.Event) {
		if ev.Kind == transport.Message {
			_ = ev.Conn.Send(ev.Payload, ordered)
		}
	}})
	ctx, stop := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer stop()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				conns := h.Conns()
				for i, c := range conns {
					_, _, _, _ = c.ID(), c.RemoteAddr(), c.LocalAddr(), c.Sendable()
					_ = c.Send([]byte("hello"), unreliable)
					_, _ = c.(*udp.Conn).Stats(), c.(*udp.Conn).RTT()
					conns[i] = nil // a snapshot is the caller's
				}
				_ = h.Broadcast([]byte("all"), ordered)
				_, _ = h.Stats(), h.Addr()
			}
		})
		wg.Go(func() {
			for ctx.Err() == nil {
				c, err := udp.Dial(ctx, h.Addr().String(), udp.Config{Protocol: udp.Base})
				if err != nil {
					continue
				}
				_ = c.Send([]byte("hello"), ordered)
				_, _ = c.Receive(ctx, nil)
				c.Abort()
			}
		})
	}
	wg.Wait()
	_ = h.Close() // clients have left without taking everything
	require.Empty(t, h.Conns())
	require.NotZero(t, h.Stats().Admitted)
}

func TestAHandlerThatBlocksHoldsUpNoAcks(t *testing.T) {
	release := make(chan struct{})
	h := listen(t, udp.Config{Heartbeat: 20 * time.Millisecond, Handler: func(ev transport.Event) {
		if ev.Kind == transport.Message {
			<-release
		}
	}})
	t.Cleanup(func() { close(release) })
	client := dial(t, h, udp.Config{})
	for i := range 20 {
		o := ordered
		o.Receipt = uint64(i + 1)
		require.NoError(t, client.Send([]byte("work"), o))
	}
	for range 20 {
		ev, err := client.Receive(testContext(t), nil)
		require.NoError(t, err)
		require.Equal(t, transport.Delivered, ev.Fate)
	}
	acked := client.Stats().DatagramsReceived
	heartbeats := func() bool { return client.Stats().DatagramsReceived >= acked+5 }
	require.Eventually(t, heartbeats, patience, time.Millisecond, "heartbeats go on")
	require.NoError(t, client.Close())
}

func TestAReceiveThatIsCancelledTakesNoMessageFromOthers(t *testing.T) {
	h := listen(t, udp.Config{})
	client := dial(t, h, udp.Config{})
	peer := accept(t, h)
	const n = 200
	got := make(chan error, 4)
	var count sync.WaitGroup
	count.Add(n)
	ctx, stop := context.WithCancel(context.Background())
	for range 3 {
		go func() {
			for {
				if _, err := peer.Receive(ctx, nil); err != nil {
					got <- err
					return
				}
				count.Done()
			}
		}()
	}
	go func() { // gives up all the time
		for {
			short, cancel := context.WithTimeout(ctx, 50*time.Microsecond)
			_, err := peer.Receive(short, nil)
			cancel()
			if err == nil {
				count.Done()
			} else if !errors.Is(err, context.DeadlineExceeded) {
				got <- err
				return
			}
		}
	}()
	for i := range n {
		send(t, client, fmt.Sprint(i), ordered)
		if i%20 == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
	count.Wait()
	stop()
	for range 4 {
		require.ErrorIs(t, <-got, context.Canceled)
	}
}

func TestAdmitRunsOnTheHandlersGoroutineAndMayBlock(t *testing.T) {
	asked, release := make(chan udp.Request), make(chan struct{})
	h := listen(t, udp.Config{Admit: func(r udp.Request) *udp.Refusal {
		asked <- r
		<-release
		return nil
	}})
	dialled := make(chan error)
	go func() {
		c, err := udp.Dial(context.Background(), h.Addr().String(), udp.Config{Protocol: udp.Base})
		if err == nil {
			err = c.Close()
		}
		dialled <- err
	}()
	require.True(t, (<-asked).Addr.Addr().IsLoopback())
	require.Empty(t, h.Conns())
	require.Zero(t, h.Stats().Admitted, "the host goes on while Admit thinks")
	close(release)
	require.NoError(t, <-dialled)
}

func TestCloseInsideAdmitEnds(t *testing.T) {
	var h *udp.Host
	ready, closed := make(chan struct{}), make(chan struct{})
	h = listen(t, udp.Config{Admit: func(udp.Request) *udp.Refusal {
		<-ready
		require.NoError(t, h.Close())
		close(closed)
		return nil
	}})
	close(ready)
	_, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{Protocol: udp.Base, DialTimeout: 50 * time.Millisecond})
	require.Error(t, err)
	<-closed
}

// knocker sends Connects to h from ports of its own, and waits until h has read them.
type knocker struct {
	*testing.T
	h    *udp.Host
	sent uint64
}

func (k *knocker) port() net.Conn {
	conn, err := net.Dial("udp", k.h.Addr().String())
	require.NoError(k, err)
	k.Cleanup(func() { conn.Close() })
	return conn
}

func (k *knocker) knock(from net.Conn) {
	_, err := from.Write(framing.AppendConnect(nil, version))
	require.NoError(k, err)
	k.sent++
	require.Eventually(k, func() bool { return k.h.Stats().DatagramsReceived == k.sent }, patience, time.Millisecond)
}

func TestStrangersWithoutEndHoldUpNoEvent(t *testing.T) {
	k := &knocker{T: t}
	asked, ready, handled := 0, make(chan struct{}), make(chan int, 1)
	k.h = listen(t, udp.Config{
		Admit: func(udp.Request) *udp.Refusal {
			<-ready
			if asked++; asked < 20 {
				k.knock(k.port()) // one more waits whenever one was judged
			}
			if asked == 1 {
				return nil
			}
			return &udp.Refusal{}
		},
		Handler: func(ev transport.Event) {
			if ev.Kind == transport.Connected {
				handled <- asked
			}
		},
	})
	k.knock(k.port())
	close(ready)
	require.Equal(t, 1, <-handled)
}

func TestAdmitIsAskedOnceThoughTheClientAsksAgainMeanwhile(t *testing.T) {
	k := &knocker{T: t}
	asked, decide := make(chan netip.AddrPort, 3), make(chan struct{})
	k.h = listen(t, udp.Config{Admit: func(r udp.Request) *udp.Refusal {
		asked <- r.Addr
		<-decide
		return nil
	}})
	first, second := k.port(), k.port()
	k.knock(first)
	require.Equal(t, first.LocalAddr().String(), (<-asked).String())
	k.knock(first)
	k.knock(second)
	close(decide)
	require.Equal(t, second.LocalAddr().String(), (<-asked).String())
}
