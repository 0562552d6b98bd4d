package udp_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestWhoClosesGetsNoMessageThatThePeerHadLeft(t *testing.T) {
	w := newWorld(t)
	h := w.idleHost()
	r := w.neighbour(h)
	r.connect(version)
	h.host.Poll()
	conn := h.host.Conns()[0]
	r.send(framing.AppendUnreliable(nil, []byte("unread")))
	r.send(framing.AppendDisconnect(nil))
	h.host.Poll()
	require.NoError(t, conn.Close())
	h.frame(h.host)
	h.wants("1 connected", "1 disconnected: connection closed by the peer")
}

func TestAHostInAGameLoopTellsThatItsCloseIsOver(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	w.client("client", h, udp.Config{})
	w.run(time.Second)
	require.False(t, h.host.Closed())
	require.NoError(t, h.host.Close())
	require.False(t, h.host.Closed(), "it says goodbye")
	h.node.Wake()
	w.run(time.Second)
	require.True(t, h.host.Closed())
	h.wants("1 connected", "1 disconnected: connection closed locally")
}

func TestCloseDeliversWhatSendAccepted(t *testing.T) {
	h := listen(t, udp.Config{})
	client := dial(t, h, udp.Config{})
	peer := accept(t, h)
	for range 300 {
		require.NoError(t, client.Send(make([]byte, 300), ordered))
	}
	require.NoError(t, client.Close())
	for range 300 {
		require.Len(t, receive(t, peer), 300)
	}
	_, err := peer.Receive(testContext(t), nil)
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestCloseTellsWhatWasNotDelivered(t *testing.T) {
	h := listen(t, udp.Config{})
	rawPeer(t, h)
	peer := accept(t, h)
	for range 7 {
		send(t, peer, "never acknowledged", ordered)
	}
	peer.Abort()
	err := peer.Close()
	var lost *transport.UndeliveredError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, 7, lost.Messages)
}

func TestHostCloseCountsWhatWasNotDelivered(t *testing.T) {
	h := listen(t, udp.Config{Linger: 50 * time.Millisecond})
	rawPeer(t, h)
	send(t, accept(t, h), "never acknowledged", ordered)
	err := h.Close()
	var lost *transport.UndeliveredError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, 1, lost.Messages)
}

func TestHostCloseEndsEverything(t *testing.T) {
	h := listen(t, udp.Config{})
	client := dial(t, h, udp.Config{})
	peer := accept(t, h)
	waiting := make(chan error)
	go func() { _, err := h.Accept(context.Background()); waiting <- err }()

	require.NoError(t, h.Close())
	require.ErrorIs(t, <-waiting, udp.ErrHostClosed)
	require.ErrorIs(t, udp.ErrHostClosed, net.ErrClosed)
	require.ErrorIs(t, h.Broadcast(nil, ordered), udp.ErrHostClosed)
	require.ErrorIs(t, h.Attach(&lodged{client}), udp.ErrHostClosed)
	require.Error(t, peer.Send(nil, ordered))
	_, err := client.Receive(testContext(t), nil)
	require.ErrorContains(t, err, "closed by the peer")
	require.NoError(t, h.Close())
}

func TestAPortCanBeListenedOnAgainAtOnce(t *testing.T) {
	t.Parallel()
	h := listen(t, udp.Config{})
	addr := h.Addr().String()
	for range 20 {
		for range 3 {
			dial(t, h, udp.Config{})
			accept(t, h)
		}
		require.Len(t, h.Conns(), 3)
		require.NoError(t, h.Close())
		require.Empty(t, h.Conns())
		h = listenOn(t, addr, udp.Config{})
	}
}

func TestCloseFromManyGoroutinesAndFromHandlersEnds(t *testing.T) {
	var h *udp.Host
	ready := make(chan struct{})
	h = listen(t, udp.Config{Handler: func(ev transport.Event) {
		<-ready
		if ev.Kind == transport.Connected {
			require.NoError(t, ev.Conn.Close())
			require.NoError(t, h.Close())
		}
	}})
	close(ready)
	client := dial(t, h, udp.Config{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_ = client.Close()
			_ = h.Close()
		})
	}
	wg.Wait()
}

func TestAKickTellsThePeerAndHasItsReasonHere(t *testing.T) {
	h := listen(t, udp.Config{})
	client := dial(t, h, udp.Config{})
	peer := accept(t, h).(*udp.Conn)
	peer.Kick(42, "cheating")
	_, err := client.Receive(testContext(t), nil)
	require.ErrorContains(t, err, "closed by the peer")
	require.Equal(t, &transport.DisconnectError{Cause: transport.Kicked, Code: 42, Text: "cheating"}, peer.Err())
}

func TestADialledConnectionFreesItsSocketWhenThePeerLeaves(t *testing.T) {
	h := listen(t, udp.Config{})
	client := dial(t, h, udp.Config{})
	addr := client.LocalAddr()
	accept(t, h).Abort()
	_, err := client.Receive(testContext(t), nil)
	require.Error(t, err)
	require.Eventually(t, func() bool {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: int(addr.Port())})
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, time.Second, time.Millisecond)
}

func TestInAGameLoopTheLastEventMeansThatTheSocketIsClosed(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	require.NoError(t, h.host.Close())
	h.node.Wake()
	w.run(time.Second)
	h.wants("1 connected", "1 disconnected: connection closed locally")
	c.wants("1 connected", "1 disconnected: connection closed by the peer")
	for _, m := range []*member{h, c} {
		require.ErrorIs(t, m.sock.Close(), net.ErrClosed)
	}
}
