package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B40: a handler blocks for longer than the time-out, in the background.
func TestABlockedHandlerCutsNobodyOff(t *testing.T) {
	inBubble(t, func(b *bubble) {
		heard := map[uint32][]string{}
		blocked := false
		h, _ := b.listen(udp.Config{Handler: func(ev transport.Event) {
			if ev.Kind != transport.Message {
				return
			}
			if !blocked {
				blocked = true
				time.Sleep(15 * time.Second)
			}
			heard[ev.Conn.ID()] = append(heard[ev.Conn.ID()], string(ev.Payload))
		}})
		a, _ := b.dial(h, udp.Config{})
		c, _ := b.dial(h, udp.Config{})
		for i := range 100 {
			require.NoError(b, a.Send([]byte(fmt.Sprint(i)), ordered))
			require.NoError(b, c.Send([]byte(fmt.Sprint(i)), ordered))
			time.Sleep(200 * time.Millisecond)
		}
		b.settle(time.Second)
		require.NoError(b, a.Err())
		require.NoError(b, c.Err())
		require.Len(b, h.Conns(), 2)
		require.Equal(b, map[uint32][]string{1: numbers(100), 2: numbers(100)}, heard)
		require.Zero(b, a.Stats().Repairs, "everything was acked in time")
	})
}

// B40: only one of the readers does not read.
func TestAReaderThatBlocksDelaysNoOther(t *testing.T) {
	inBubble(t, func(b *bubble) {
		h, _ := b.listen(udp.Config{})
		a, _ := b.dial(h, udp.Config{})
		blocked := b.accept(h)
		c, _ := b.dial(h, udp.Config{})
		peer := b.accept(h)
		for i := range 100 {
			require.NoError(b, a.Send([]byte(fmt.Sprint(i)), ordered))
			require.NoError(b, c.Send([]byte(fmt.Sprint(i)), ordered))
			began := time.Now()
			require.Equal(b, fmt.Sprint(i), b.hears(peer))
			require.Zero(b, time.Since(began))
			time.Sleep(200 * time.Millisecond)
		}
		for i := range 100 {
			require.Equal(b, fmt.Sprint(i), b.hears(blocked))
		}
	})
}

// B40: a game loop that did not run reads what waits before it judges anybody.
func TestAHostThatDidNotRunReadsBeforeItJudges(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	var clients []*app
	for _, name := range []string{"A", "B"} {
		clients = append(clients, w.client(name, h, func(c *udp.Config) { c.Timeout = time.Minute }))
	}
	w.until(soon, func() bool { return h.peers() == 2 && clients[1].connected() })
	h.node.Freeze(15 * time.Second)
	w.every(200*time.Millisecond, 100, func(i int) {
		for _, c := range clients {
			c.says(fmt.Sprint(i))
		}
	})
	w.run(time.Second)
	for _, c := range clients {
		require.Equal(t, numbers(100), h.with(c).heard)
		require.True(t, c.connected())
	}
	require.Len(t, h.sessions, 2)
}

// B41: the clock jumps by five minutes while a datagram of each peer waits, but of one.
func TestPeersWhoseDatagramsWaitSurviveAJumpOfTheClock(t *testing.T) {
	w := newWorld(t)
	h := w.host()
	clients := w.join(h, names(8)...)
	w.run(soon)
	h.node.Freeze(oneWay + time.Millisecond)
	for _, c := range clients[1:] {
		c.says("here")
	}
	silent := clients[0]
	w.cut(h.node, silent.node)
	w.run(oneWay + time.Millisecond/2)
	h.node.JumpClock(5 * time.Minute)
	w.run(900 * time.Millisecond)
	require.Equal(t, 8, h.peers(), "the silent one has a heartbeat's time as well")
	w.run(150 * time.Millisecond)
	require.Nil(t, h.with(silent))
	require.Equal(t, 7, h.peers())
	w.run(time.Minute)
	for _, c := range clients[1:] {
		require.True(t, c.connected())
		require.Equal(t, []string{"here"}, h.with(c).heard)
	}
}

// B46: one only sends, one only receives, one does nothing, one gets a message now and then.
func TestOneWayTrafficKeepsEverybodyConnected(t *testing.T) {
	for _, loss := range []float64{0, 20} {
		t.Run(fmt.Sprint(loss, " % loss"), func(t *testing.T) {
			w := newSeededWorld(t, 46)
			h := w.host()
			clients := w.join(h, "sends", "receives", "does nothing", "hears little")
			w.links(lossy(loss))
			w.every(time.Second/30, 900, func(i int) {
				clients[0].sends("x", unreliable)
				require.NoError(t, h.with(clients[1]).conn.Send([]byte("x"), unreliable))
				if i%270 == 0 { // each 9 s
					h.with(clients[3]).says("x")
				}
				h.wake()
			})
			require.Equal(t, 4, h.peers())
			for _, c := range clients {
				require.True(t, c.connected())
			}
			require.Len(t, clients[3].heard(), 4)
		})
	}
}

// B75: the round trip that is reported is that of the network, however seldom the application looks.
func TestTheReportedRoundTripIsThatOfTheNetwork(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.board.delay = time.Millisecond / 2
		h, _ := b.listen(udp.Config{})
		c, _ := b.dial(h, udp.Config{})
		peer := b.accept(h)
		for range 100 {
			require.NoError(b, c.Send([]byte("x"), ordered))
			require.NoError(b, peer.Send([]byte("x"), ordered))
			time.Sleep(50 * time.Millisecond)
			b.hears(c)
			b.hears(peer)
		}
		require.Equal(b, time.Millisecond, c.RTT())
		require.Equal(b, time.Millisecond, peer.RTT())
		require.Zero(b, c.Stats().Repairs+peer.Stats().Repairs)
	})
}

// B75: in a game loop the round trip has the frames of both sides in it, and no repair is sent because of them.
func TestFramesCauseNoRepairs(t *testing.T) {
	for _, frame := range []time.Duration{time.Second / 60, time.Second / 30, 50 * time.Millisecond, 100 * time.Millisecond} {
		w := newWorld(t)
		h, c := w.pair()
		h.frame, c.frame = frame, 50*time.Millisecond
		const settle = 30
		w.every(97*time.Millisecond, settle, func(i int) { c.says(fmt.Sprint(i)) })
		before := c.stats()
		w.every(97*time.Millisecond, 300, func(i int) { c.says(fmt.Sprint(settle + i)) })
		w.run(2 * time.Second)
		require.Equal(t, numbers(settle+300), h.with(c).heard)
		after := c.stats()
		require.LessOrEqual(t, after.Repairs-before.Repairs, uint64(300/100), "frames of %v", frame)
		require.LessOrEqual(t, after.RTTSmoothed, 2*oneWay+frame+c.frame)
	}
}

// B75: one side looks once a second.
func TestAFrameOfASecondCausesNoRepairs(t *testing.T) {
	w := newWorld(t)
	h, c := w.pair()
	h.frame, c.frame = time.Second, 50*time.Millisecond
	w.every(97*time.Millisecond, 100, func(i int) { c.says(fmt.Sprint(i)) })
	before := c.stats().Repairs
	w.every(97*time.Millisecond, 300, func(i int) { c.says(fmt.Sprint(100 + i)) })
	w.run(3 * time.Second)
	require.Equal(t, numbers(400), h.with(c).heard)
	require.LessOrEqual(t, c.stats().Repairs-before, uint64(300*5/100))
}
