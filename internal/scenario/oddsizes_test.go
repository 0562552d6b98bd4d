package scenario

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B04: empty datagrams of a stranger and in a peer's name, among the traffic of that peer.
func TestEmptyDatagramsAreCountedAndChangeNothing(t *testing.T) {
	w := newWorld(t)
	h, c := w.pair()
	stranger := w.raw("stranger", h)
	w.every(time.Second/30, 1000, func(i int) {
		stranger.sendsBytes(nil)
		stranger.forges(nil, c.address())
		c.says(fmt.Sprint(i))
	})
	w.run(time.Second)
	require.Equal(t, numbers(1000), h.with(c).heard)
	require.Equal(t, 2000, h.drops(framing.DropEmpty))
	require.Equal(t, 1, h.peers())
	require.Empty(t, stranger.got())
}

// B04: they are no sign of life.
func TestEmptyDatagramsKeepNoPeerAlive(t *testing.T) {
	w := newWorld(t)
	h, c := w.pair()
	c.dies()
	r := w.raw("attacker", h)
	w.every(100*time.Millisecond, 101, func(int) { r.forges(nil, c.address()) })
	require.Equal(t, transport.TimedOut, h.session().cause())
}

// B04 on a real socket: the loop neither ends nor spins.
func TestEmptyDatagramsDoNotEndTheReading(t *testing.T) {
	h := listenUDP(t, "127.0.0.1:0", udp.Config{})
	r := dialRaw(t, h.Addr())
	for i := range 1000 {
		r.writeBytes(nil)
		if i%50 == 49 { // no more than a receive buffer holds
			require.Eventually(t, func() bool { return int(h.Stats().Drops[framing.DropEmpty]) > i-50 }, patience, time.Millisecond)
		}
	}
	c := dialUDP(t, h, udp.Config{})
	require.NoError(t, c.Send([]byte("hello"), ordered))
	require.Equal(t, "hello", receiveUDP(t, acceptUDP(t, h)))
	require.Zero(t, h.Stats().ReadErrors)
}

// B04: empty messages are messages.
func TestEmptyMessagesAreDeliveredOnceAsLengthZero(t *testing.T) {
	w := newWorld(t)
	h, c := w.pair()
	c.says("before")
	c.says("")
	require.NoError(t, c.conn.Send(nil, ordered))
	c.says("after")
	w.run(soon)
	c.sends("", unreliable)
	w.run(soon)
	require.Equal(t, []string{"before", "", "", "after", ""}, h.with(c).heard)
}

// B07: datagrams around the limit and far above it, on a real socket, each followed by a reliable message.
func TestDatagramsAboveTheLimitAreDroppedWhole(t *testing.T) {
	counting := make([]byte, 65_507)
	for i := range counting {
		counting[i] = byte(i)
	}
	counting[0] = byte(framing.KindUnreliable)
	for _, driving := range []transport.Driving{udp.Background, udp.GameLoop} {
		t.Run(driving.String(), func(t *testing.T) {
			h := listenUDP(t, "127.0.0.1:0", udp.Config{Driving: driving})
			r := dialRaw(t, h.Addr())
			r.write("connect HRD-LOCAL-1", "heartbeat")
			next := messages(t, h, driving)
			for i, size := range []int{1200, 1201, 1500, 9000, 65_507} {
				r.writeBytes(counting[:size])
				r.write(fmt.Sprintf("reliable %d after %d", i, size))
				if size <= framing.MaxDatagram {
					require.True(t, bytes.Equal(counting[1:size], []byte(next())))
				}
				require.Equal(t, fmt.Sprint("after ", size), next())
			}
			require.EqualValues(t, 4, h.Stats().Drops[framing.DropOversize])
		})
	}
}

// messages takes the messages of the first client of a host one by one, in either style.
func messages(t *testing.T, h *udp.Host, driving transport.Driving) (next func() string) {
	if driving == udp.GameLoop {
		return func() string { return nextMessage(t, h) }
	}
	peer := acceptUDP(t, h)
	return func() string { return receiveUDP(t, peer) }
}

// nextMessage drives a game loop until a message comes.
func nextMessage(t *testing.T, h *udp.Host) string {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); runtime.Gosched() {
		h.Poll()
		for ev, ok := h.Next(); ok; ev, ok = h.Next() {
			if ev.Kind == transport.Message {
				return string(ev.Payload)
			}
		}
		h.Flush()
	}
	require.FailNow(t, "no message comes")
	return ""
}
