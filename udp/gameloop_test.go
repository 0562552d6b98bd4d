package udp_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// driver is what a game calls once a frame.
type driver interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
}

// loop drives both ends by turns until done, and hands their events to on.
func loop(t *testing.T, done func() bool, on func(transport.Event), drivers ...driver) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(100 * time.Microsecond) {
		require.True(t, time.Now().Before(end), "nothing happens")
		for _, d := range drivers {
			d.Poll()
			for ev, ok := d.Next(); ok; ev, ok = d.Next() {
				on(ev)
			}
			d.Flush()
		}
	}
}

func TestMessagesGoBothWaysInAGameLoop(t *testing.T) {
	h := listen(t, udp.Config{Driving: udp.GameLoop})
	client, err := udp.Dial(context.Background(), h.Addr().String(), udp.Config{Protocol: udp.Base, Driving: udp.GameLoop})
	require.NoError(t, err)
	require.ErrorIs(t, client.Send(nil, ordered), transport.ErrNotConnected)

	var log []string
	on := func(ev transport.Event) {
		side := "host"
		if ev.Conn == client {
			side = "client"
		}
		log = append(log, side+" "+ev.Kind.String()+" "+string(ev.Payload))
		switch {
		case ev.Kind == transport.Connected && side == "client":
			send(t, client, "ping", ordered)
		case string(ev.Payload) == "ping":
			send(t, ev.Conn, "pong", unreliable)
		case string(ev.Payload) == "pong":
			require.NoError(t, client.Close())
		}
	}
	loop(t, func() bool { return client.Err() != nil && len(h.Conns()) == 0 && len(log) == 6 }, on, h, client)
	require.ElementsMatch(t, []string{
		"host connected ", "client connected ", "host message ping", "client message pong", "host disconnected ", "client disconnected ",
	}, log)
}

func TestNextDeadlineTellsOfEventsThatFlushMade(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	c.log = nil
	o := unreliable
	o.Receipt = 9
	send(t, c.conn, "hello", o)
	require.Equal(t, c.node.Clock(), c.conn.NextDeadline(), "to be flushed")
	c.conn.Flush()
	require.Equal(t, c.node.Clock(), c.conn.NextDeadline(), "an event to be read")
	c.frame(c.conn)
	c.wants("1 outcome 9 sent")
	require.Greater(t, c.conn.NextDeadline(), c.node.Clock())
}

func TestNextDeadlineTellsOfEventsThatAreLeftToALoopThatReadsOneAFrame(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	for receipt := range uint64(3) {
		o := unreliable
		o.Receipt = receipt + 1
		send(t, c.conn, "hello", o)
	}
	c.conn.Flush()
	for left := 2; left >= 0; left-- {
		c.conn.Poll()
		_, ok := c.conn.Next()
		require.True(t, ok)
		require.Equal(t, left > 0, c.conn.NextDeadline() == c.node.Clock(), "%d left", left)
	}
}

func TestPeersHandOverEventsInTurnAlsoAfterOneWasAlone(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	w.client("a", h, udp.Config{})
	w.client("b", h, udp.Config{})
	w.run(time.Second)
	peers := h.host.Conns()
	makeEvents := func(c transport.Conn) {
		for receipt := range uint64(3) {
			o := unreliable
			o.Receipt = receipt + 1
			send(t, c, "hello", o)
		}
		h.host.Flush()
	}
	turns := ""
	next := func() {
		ev, ok := h.host.Next()
		require.True(t, ok)
		turns += map[transport.Conn]string{peers[0]: "a", peers[1]: "b"}[ev.Conn]
	}
	makeEvents(peers[0])
	next()
	makeEvents(peers[1])
	for range 5 {
		next()
	}
	require.Equal(t, "aababb", turns)
}

func TestAnIdlePeerCostsNothingButItsHeartbeats(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	for i := range 10 {
		w.client(string(rune('a'+i)), h, udp.Config{})
	}
	w.run(2 * time.Second)
	before := h.host.Stats()
	w.run(100 * time.Second)
	after := h.host.Stats()
	require.InDelta(t, 10*100, after.DatagramsSent-before.DatagramsSent, 20)
	require.InDelta(t, 10*100, after.DatagramsReceived-before.DatagramsReceived, 20)
}

func TestATimeToLiveBeginsWithSendHoweverLongAgoPollWas(t *testing.T) {
	h := listen(t, udp.Config{})
	ahead := int64(0)
	client := dial(t, h, udp.Config{Driving: udp.GameLoop, Clock: func() int64 { return udp.Now() + ahead }})
	loop(t, func() bool { return client.ID() != 0 }, func(transport.Event) {}, client)
	o := unreliable
	o.TTL, o.Receipt = time.Second, 7
	ahead = int64(5 * time.Second) // a long frame
	send(t, client, "fresh", o)
	var fates []transport.Fate
	loop(t, func() bool { return len(fates) > 0 }, func(ev transport.Event) {
		if ev.Kind == transport.Outcome {
			fates = append(fates, ev.Fate)
		}
	}, client)
	require.NotEqual(t, transport.Expired, fates[0])
}
