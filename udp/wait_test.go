package udp_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// waiter is a host or a client whose loop sleeps between frames.
type waiter interface {
	driver
	Wait(time.Duration)
}

// frames drives w until over, and sleeps in between. Each sleep would outlast the test.
func frames(w waiter, on func(transport.Event), over func() bool) {
	for !over() {
		w.Poll()
		for ev, ok := w.Next(); ok; ev, ok = w.Next() {
			on(ev)
		}
		w.Flush()
		if !over() {
			w.Wait(time.Hour)
		}
	}
}

// echoHost is a game-loop host in a goroutine of its own, which sends back what it gets until it is closed.
func echoHost(t testing.TB, c udp.Config) *udp.Host {
	t.Helper()
	c.Driving = udp.GameLoop
	h, err := udp.Listen("127.0.0.1:0", c)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		frames(h, func(ev transport.Event) {
			if ev.Kind == transport.Message {
				_ = ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery})
			}
		}, h.Closed)
	}()
	t.Cleanup(func() {
		h.Abort()
		<-ended
	})
	return h
}

// echoes sends messages one at a time and waits for each to come back.
func echoes(t testing.TB, client *udp.Conn, n int) {
	t.Helper()
	sent, got := 0, 0
	frames(client, func(ev transport.Event) {
		require.Contains(t, []transport.EventKind{transport.Connected, transport.Message}, ev.Kind, ev.Err)
		if ev.Kind == transport.Message {
			got++
		}
		if sent < n {
			sent++
			send(t, client, "ping", ordered)
		}
	}, func() bool { return got == n })
}

func TestALoopThatWaitsIsWokenByEachDatagram(t *testing.T) {
	t.Parallel()
	for _, mode := range []udp.ReaderMode{udp.ReadAuto, udp.ReadDeadline, udp.ReadGoroutine} {
		t.Run(mode.String(), func(t *testing.T) {
			h := echoHost(t, udp.Config{Reader: mode})
			echoes(t, dial(t, h, udp.Config{Driving: udp.GameLoop, Reader: mode}), 200)
		})
	}
}

func TestALoopOnAnyPacketConnWaits(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	h := echoHost(t, udp.Config{PacketConn: hidden{conn}})
	echoes(t, dial(t, h, udp.Config{Driving: udp.GameLoop}), 20)
}

func TestAWaitEndsWhenATimerIsDue(t *testing.T) {
	h := echoHost(t, udp.Config{Heartbeat: 5 * time.Millisecond})
	client := dial(t, h, udp.Config{Driving: udp.GameLoop})
	frames(client, func(transport.Event) {}, func() bool { return h.Stats().DatagramsSent > 20 })
}

func TestAWaitEndsWithClose(t *testing.T) {
	h := listen(t, udp.Config{Driving: udp.GameLoop})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !h.Closed() {
			h.Wait(time.Hour)
		}
	}()
	require.NoError(t, h.Close())
	<-ended
}

func TestAWaitComesBackAtOnceIfThereIsNothingToWaitFor(t *testing.T) {
	h := listen(t, udp.Config{Driving: udp.GameLoop})
	h.Wait(0)
	h.Wait(-time.Hour)
	background := listen(t, udp.Config{})
	background.Wait(time.Hour)
	client := dial(t, h, udp.Config{Driving: udp.GameLoop})
	client.Wait(time.Hour) // its first datagram waits for Flush
	client.Flush()
	h.Wait(time.Hour) // and has come
	require.NoError(t, h.Close())
	h.Wait(time.Hour)
}

func TestAWaitLosesNothingThatItFound(t *testing.T) {
	h := listen(t, udp.Config{Driving: udp.GameLoop})
	client := dial(t, h, udp.Config{Driving: udp.GameLoop})
	client.Flush()
	for range 5 {
		h.Wait(time.Hour)
	}
	loop(t, func() bool { return client.ID() != 0 }, func(transport.Event) {}, h, client)
	require.Positive(t, client.HostStats().DatagramsReceived)
}

// What came in while the application did something else after Wait is read by the Poll that follows, before it judges who is silent.
func TestPollReadsAllThatHasComeSinceWait(t *testing.T) {
	ahead := int64(0)
	h := listen(t, udp.Config{Driving: udp.GameLoop, Clock: func() int64 { return udp.Now() + ahead }})
	stranger, err := net.Dial("udp4", h.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { stranger.Close() })
	says := func() {
		_, err := stranger.Write([]byte{0})
		require.NoError(t, err)
	}
	for range 3 { // it learns that datagrams come one at a time
		woken := make(chan struct{})
		go func() {
			defer close(woken)
			h.Wait(time.Hour)
		}()
		says()
		<-woken
		h.Poll()
	}
	before := h.Stats().DatagramsReceived
	says()
	h.Wait(time.Hour)
	for range 10 {
		says()
	}
	ahead += int64(20 * time.Second) // the loop was stopped
	h.Poll()
	require.Equal(t, before+11, h.Stats().DatagramsReceived)
}

func TestADeadlineThatAShorterWaitLeftCutsNoLongerOneShort(t *testing.T) {
	h := listen(t, udp.Config{Driving: udp.GameLoop})
	stranger, err := net.Dial("udp", h.Addr().String())
	require.NoError(t, err)
	defer stranger.Close()
	_, err = stranger.Write([]byte("?"))
	require.NoError(t, err)
	h.Wait(30 * time.Millisecond) // what has come ends it before that
	h.Poll()
	later := time.AfterFunc(100*time.Millisecond, h.Abort)
	defer later.Stop()
	h.Wait(time.Hour)
	require.True(t, h.Closed(), "nothing else was to wake it")
}
