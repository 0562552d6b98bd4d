package scenario

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B06: one read fails, as after sleep, with somebody waiting in every call that can wait.
func TestOneReadErrorChangesNothing(t *testing.T) {
	inBubble(t, func(b *bubble) {
		h, l := b.listen(udp.Config{})
		var clients, peers []*udp.Conn
		for range 3 {
			c, _ := b.dial(h, udp.Config{})
			clients, peers = append(clients, c), append(peers, b.accept(h))
		}
		time.Sleep(time.Second)
		l.fails(syscall.ENETDOWN)
		time.Sleep(time.Second)
		for i, c := range clients {
			require.NoError(b, c.Send([]byte("still here"), ordered))
			require.Equal(b, "still here", b.hears(peers[i]))
		}
		b.dial(h, udp.Config{})
		b.accept(h)
		require.EqualValues(b, 1, h.Stats().ReadErrors)
		require.Len(b, h.Conns(), 4)
	})
}

// B06: reads fail for good.
func TestPermanentReadErrorEndsEverythingWithItsCause(t *testing.T) {
	inBubble(t, func(b *bubble) {
		h, l := b.listen(udp.Config{})
		type end struct {
			err error
			at  time.Time
		}
		ended := make(chan end, 4)
		for range 3 {
			b.dial(h, udp.Config{})
			peer := b.accept(h)
			go func() {
				_, err := peer.Receive(b.Context(), nil)
				ended <- end{err, time.Now()}
			}()
		}
		go func() {
			_, err := h.Accept(b.Context())
			ended <- end{err, time.Now()}
		}()
		time.Sleep(time.Second)
		broke := time.Now()
		l.breaks(syscall.ENETDOWN)
		for range 4 {
			e := <-ended
			require.ErrorIs(b, e.err, syscall.ENETDOWN)
			require.Equal(b, transport.SocketFailed, causeOf(e.err))
			require.LessOrEqual(b, e.at.Sub(broke), 1100*time.Millisecond)
		}
		require.Empty(b, h.Conns())
		require.NoError(b, h.Close())
	})
}

// B06 in a game loop.
func TestGameLoopOutlivesReadErrorsAndReportsABrokenSocket(t *testing.T) {
	w := newWorld(t)
	h, c := w.pair()
	h.frame = 10 * time.Millisecond
	w.run(time.Second)
	h.sock.FailReads(30, syscall.ENETDOWN)
	w.run(time.Second)
	c.says("still here")
	w.run(time.Second)
	require.Equal(t, []string{"still here"}, h.session().heard)

	h.sock.FailReads(-1, syscall.ENETDOWN)
	w.run(1100 * time.Millisecond)
	require.Equal(t, transport.SocketFailed, h.session().cause())
	require.ErrorIs(t, h.session().err, syscall.ENETDOWN)
	w.run(11 * time.Second)
	require.Equal(t, transport.TimedOut, c.session().cause())
}

// B07: the system reports a datagram that does not fit as an error of the read, with and without its head.
func TestReadErrorForALargeDatagramIsThatDatagram(t *testing.T) {
	inBubble(t, func(b *bubble) {
		h, l := b.listen(udp.Config{})
		c, cl := b.dial(h, udp.Config{})
		peer := b.accept(h)
		head := framing.AppendUnreliable(nil, make([]byte, framing.MaxUnreliable))
		for range 40 {
			l.push(arrival{d: head, from: cl.addr, err: syscall.EMSGSIZE})
			l.push(arrival{from: cl.addr, err: errTooLong})
		}
		require.NoError(b, c.Send([]byte("after"), ordered))
		require.Equal(b, "after", b.hears(peer))
		require.EqualValues(b, 80, h.Stats().Drops[framing.DropOversize])
		require.Zero(b, h.Stats().ReadErrors)
	})
}
