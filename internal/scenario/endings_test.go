package scenario

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B34: goodbyes come three times, and the end is long past when the time-out would come. The world holds that no event follows the last.
func TestASessionEndsOnceAndWithItsFirstReason(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(h, c *app)
		atHost transport.Cause
		there  []transport.Cause
	}{
		"a client leaves":    {func(_, c *app) { c.leaves() }, transport.ClosedByPeer, []transport.Cause{transport.ClosedLocally}},
		"a client is kicked": {func(h, c *app) { h.with(c).kicks() }, transport.Kicked, []transport.Cause{transport.ClosedByPeer}},
		"both in one instant": {func(h, c *app) { c.conn.Close(); h.with(c).kicks(); c.wake() },
			transport.Kicked, []transport.Cause{transport.ClosedLocally, transport.ClosedByPeer}},
		"kicked, closed and aborted in one instant": {func(h, c *app) {
			peer := h.with(c).conn
			h.with(c).kicks()
			_ = peer.Close()
			peer.Abort()
		}, transport.Kicked, []transport.Cause{transport.ClosedByPeer}},
		"closed inside its own last event": {func(h, c *app) {
			h.on = func(ev transport.Event) { _ = ev.Conn.Close(); ev.Conn.Abort() }
			c.leaves()
		}, transport.ClosedByPeer, []transport.Cause{transport.ClosedLocally}},
		"closed inside a message": {func(h, c *app) {
			h.on = func(ev transport.Event) { _ = ev.Conn.Close() }
			c.says("and now?")
			c.says("more")
		}, transport.ClosedLocally, []transport.Cause{transport.ClosedByPeer}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.links(sim.Conditions{Delay: oneWay, Duplicate: sim.Always, DuplicateDelay: time.Millisecond})
			h := w.host()
			clients := w.join(h, "client", "bystander")
			s := h.with(clients[0])
			require.Equal(t, 2, h.peers())
			c.end(h, clients[0])
			w.run(30 * time.Second)
			require.Equal(t, c.atHost, s.cause())
			require.Contains(t, c.there, clients[0].session().cause())
			require.Equal(t, 1, h.peers())
			require.True(t, clients[1].connected())
		})
	}
}

// endRow is one way for a connection to end: what is done, and what each side reports in the end.
type endRow struct {
	cause    string // as the table in the documentation of package udp has it
	settings setting
	act      func(h, c *app)
	here     string // of the side that acted; "" if it has no event
	there    string
	atHost   bool // the host acted
}

var endRows = []endRow{
	{cause: "Close, everything delivered", act: func(_, c *app) { c.leaves() }, here: "ClosedLocally", there: "ClosedByPeer"},
	{cause: "Close, everything delivered", act: func(h, c *app) { h.with(c).conn.Close(); h.wake() }, here: "ClosedLocally", there: "ClosedByPeer", atHost: true},
	{cause: "Abort", act: func(_, c *app) { c.conn.Abort(); c.wake() }, here: "ClosedLocally", there: "ClosedByPeer"},
	{cause: "Abort", act: func(h, c *app) { h.with(c).conn.Abort(); h.wake() }, here: "ClosedLocally", there: "ClosedByPeer", atHost: true},
	{cause: "Kick", act: func(h, c *app) { h.with(c).kicks() }, here: "Kicked", there: "ClosedByPeer", atHost: true},
	{cause: "silence", act: func(h, c *app) { c.w.cut(h.node, c.node) }, here: "TimedOut", there: "TimedOut"},
	{cause: "socket broken for a second", act: func(_, c *app) { c.frame = 10 * time.Millisecond; c.sock.FailReads(-1, syscall.ENETDOWN) },
		here: "SocketFailed", there: "TimedOut"},
	{cause: "socket broken for a second", act: func(h, c *app) { h.frame = 10 * time.Millisecond; h.sock.FailReads(-1, syscall.ENETDOWN) },
		here: "SocketFailed", there: "TimedOut", atHost: true},
	{cause: "dial refused", settings: func(c *udp.Config) { c.Admit = func(udp.Request) *udp.Refusal { return &udp.Refusal{} } },
		here: "RefusedError", there: ""},
	{cause: "dial not answered", settings: func(c *udp.Config) { c.Plain = udp.PlainLoopback }, here: "DialTimeoutError", there: ""},
}

// B35: each cause gives each side one event, the one in the documentation.
func TestEveryCauseEndsBothSidesAsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../udp/doc.go")
	require.NoError(t, err)
	for _, row := range endRows {
		t.Run(fmt.Sprint(row.cause, ", at the host: ", row.atHost), func(t *testing.T) {
			require.Contains(t, string(doc), "//	"+row.cause+" ", "a row of the table in doc.go")
			w := newWorld(t)
			h := w.host(func(c *udp.Config) {
				if row.settings != nil {
					row.settings(c)
				}
			})
			c := w.client("client", h)
			w.run(soon)
			if row.act != nil {
				row.act(h, c)
			}
			w.run(20 * time.Second)
			ends := []string{endOf(c), endOf(h)}
			if row.atHost {
				ends[0], ends[1] = ends[1], ends[0]
			}
			require.Equal(t, []string{row.here, row.there}, ends)
		})
	}
}

// endOf names the one end that an app has seen, "" if it saw none.
func endOf(a *app) string {
	err := a.session().err
	switch {
	case err == nil:
		return ""
	case errors.As(err, new(*transport.RefusedError)):
		return "RefusedError"
	case errors.As(err, new(*udp.DialTimeoutError)):
		return "DialTimeoutError"
	}
	return causeNames[causeOf(err)]
}

var causeNames = map[transport.Cause]string{
	transport.ClosedLocally: "ClosedLocally", transport.ClosedByPeer: "ClosedByPeer", transport.Kicked: "Kicked",
	transport.TimedOut: "TimedOut", transport.SocketFailed: "SocketFailed",
}

// B35 over loopback.
func TestEveryCauseEndsBothSidesOverLoopback(t *testing.T) {
	for name, c := range map[string]struct {
		act         func(c *loopback.Conn)
		here, there transport.Cause
	}{
		"Close": {func(c *loopback.Conn) { _ = c.Close() }, transport.ClosedLocally, transport.ClosedByPeer},
		"Abort": {func(c *loopback.Conn) { c.Abort() }, transport.ClosedLocally, transport.ClosedByPeer},
		"Kick":  {func(c *loopback.Conn) { c.Kick(1, "out") }, transport.Kicked, transport.ClosedByPeer},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop})
			require.NoError(t, err)
			c.act(a)
			require.Equal(t, c.here, onlyEnd(t, a))
			require.Equal(t, c.there, onlyEnd(t, b))
		})
	}
}

// onlyEnd drives a connection to its end and requires that it is one event.
func onlyEnd(t *testing.T, c transport.Conn) (cause transport.Cause) {
	t.Helper()
	for range 3 {
		c.Poll()
		for ev, ok := c.Next(); ok; ev, ok = c.Next() {
			require.Zero(t, cause)
			if ev.Kind == transport.Disconnected {
				cause = causeOf(ev.Err)
			}
		}
	}
	return cause
}

// B47: both sides leave in the same instant, however their goodbyes travel, and then there is silence.
func TestBothSidesLeaveInOneInstant(t *testing.T) {
	for name, c := range map[string]sim.Conditions{
		"plain":                 {Delay: 50 * time.Millisecond},
		"the first is lost":     losing(1, framing.KindDisconnect),
		"all are lost":          {Delay: 50 * time.Millisecond, Loss: sim.Always},
		"doubled":               {Delay: 50 * time.Millisecond, Duplicate: sim.Always, DuplicateDelay: 20 * time.Millisecond},
		"before the last data":  {Delay: 50 * time.Millisecond, Reorder: sim.Percent(50), ReorderDelay: 30 * time.Millisecond},
		"some before some data": {Delay: 50 * time.Millisecond, Jitter: 40 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			h, client := w.pair()
			s := h.with(client)
			w.links(c)
			client.says("last")
			s.says("last")
			client.leaves()
			require.NoError(t, s.conn.Close())
			h.wake()
			w.until(3500*time.Millisecond, func() bool { return s.err != nil && client.session().err != nil })
			require.Equal(t, transport.ClosedLocally, s.cause())
			require.Equal(t, transport.ClosedLocally, client.session().cause())
			w.run(time.Second)
			sent := w.nw.Counts().Sent
			w.run(time.Minute)
			require.Equal(t, sent, w.nw.Counts().Sent, "nothing is sent to somebody who is gone, and no goodbye answers a goodbye")
		})
	}
}

// B48: somebody waits in Receive without a deadline when the peer closes, and goodbyes are lost.
func TestReceiveReturnsWhenThePeerIsGone(t *testing.T) {
	for _, c := range []struct {
		lost   int
		within time.Duration
		cause  transport.Cause
	}{{0, time.Millisecond, transport.ClosedByPeer}, {2, 25 * time.Millisecond, transport.ClosedByPeer}, {1 << 20, 11 * time.Second, transport.TimedOut}} {
		inBubble(t, func(b *bubble) {
			h, _ := b.listen(udp.Config{})
			conn, _ := b.dial(h, udp.Config{})
			peer := b.accept(h)
			lost := 0
			b.board.loses(func(d []byte, _, _ netip.AddrPort) bool {
				lost++
				return kindOf(d) == framing.KindDisconnect && lost <= c.lost || c.lost > 100
			})
			began := time.Now()
			go conn.Close()
			_, err := peer.Receive(context.Background(), nil)
			require.ErrorIs(b, err, net.ErrClosed)
			require.Equal(b, c.cause, causeOf(err))
			require.LessOrEqual(b, time.Since(began), c.within)
			b.board.loses(nil)
		})
	}
}

// B55: the host kicks at the first message, and the client must not take that for silence. On the secure protocol it learns why.
func TestAKickAtTheFirstMessageIsNoTimeout(t *testing.T) {
	rounds := size(50, 200)
	for _, protocol := range []udp.Protocol{udp.Base, udp.Secure} {
		for _, loss := range []float64{0, 20} {
			rng := rand.New(rand.NewPCG(55, 0))
			for range rounds {
				w := newSeededWorld(t, rng.Uint64())
				w.protocol = protocol
				w.links(lossy(loss))
				w.kickAtTheFirstMessage()
			}
		}
	}
}

func (w *world) kickAtTheFirstMessage() {
	h := w.host()
	h.on = func(ev transport.Event) {
		if ev.Kind == transport.Message {
			ev.Conn.(*udp.Conn).Kick(7, "not you")
		}
	}
	c := w.client("client", h)
	var up int64
	c.on = func(ev transport.Event) {
		if ev.Kind == transport.Connected {
			up = w.nw.Now()
			require.NoError(w, ev.Conn.Send([]byte("first"), ordered))
			require.NoError(w, ev.Conn.Send([]byte("second"), ordered))
		}
	}
	w.until(10*time.Second, func() bool { return c.session().err != nil })
	require.Equal(w, transport.ClosedByPeer, c.session().cause())
	require.Less(w, time.Duration(w.nw.Now()-up), time.Second)
	require.Equal(w, []string{"first"}, h.session().heard, "and nothing came after the kick")
	w.until(time.Second, func() bool { return h.session().err != nil })
	ends := []*session{h.session()}
	if c.protocol == udp.Secure {
		ends = append(ends, c.session())
	}
	for _, s := range ends {
		var end *transport.DisconnectError
		require.ErrorAs(w, s.err, &end)
		require.Equal(w, "not you", end.Text)
		require.EqualValues(w, 7, end.Code)
	}
}
