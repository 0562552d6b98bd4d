package udp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

var errNetDown = errors.New("network is down")

func TestAReadErrorThatPassesChangesNothing(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	h.sock.FailReads(3, errNetDown)
	send(t, c.conn, "hello", ordered)
	c.node.Wake()
	w.run(time.Second)
	h.wants("1 connected", "1 message hello")
	require.EqualValues(t, 3, h.host.Stats().ReadErrors)
}

func TestReadErrorsForASecondEndEverything(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	w.client("a", h, udp.Config{})
	w.client("b", h, udp.Config{})
	w.run(time.Second)
	h.sock.FailReads(-1, errNetDown)
	w.run(5 * time.Second)
	h.wants("1 connected", "2 connected",
		"1 disconnected: connection socket failed: network is down", "2 disconnected: connection socket failed: network is down")
	require.ErrorIs(t, h.errs[0], errNetDown)
	require.NoError(t, h.host.Close())
	require.Equal(t, noDeadline, h.host.NextDeadline())
}

func TestAFailedWriteIsALostDatagram(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	h.log = nil
	c.sock.FailWrites(50, errNetDown)
	for i := range 20 {
		send(t, c.conn, fmt.Sprint(i), ordered)
	}
	c.node.Wake()
	w.run(5 * time.Second)
	require.Len(t, h.log, 20)
	require.Equal(t, "1 message 19", h.log[19])
	require.NoError(t, c.conn.Err())
}

// flaky is a net.PacketConn whose reads fail on request.
type flaky struct {
	net.PacketConn
	failing atomic.Bool
	reads   atomic.Int64
}

func (f *flaky) ReadFrom(p []byte) (int, net.Addr, error) {
	f.reads.Add(1)
	if f.failing.Load() {
		return 0, nil, errNetDown
	}
	n, addr, err := f.PacketConn.ReadFrom(p)
	if f.failing.Load() {
		return 0, nil, errNetDown
	}
	return n, addr, err
}

func newFlaky(t *testing.T) *flaky {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &flaky{PacketConn: conn}
}

func TestASocketThatBreaksForGoodIsReportedToAllWhoWait(t *testing.T) {
	t.Parallel()
	f := newFlaky(t)
	lines := new(lines)
	h := listen(t, udp.Config{PacketConn: f, Logger: slog.New(slog.NewTextHandler(lines, nil))})
	client := dial(t, h, udp.Config{})
	peer := accept(t, h)
	ends := make(chan error, 2)
	go func() { _, err := h.Accept(context.Background()); ends <- err }()
	go func() { _, err := peer.Receive(context.Background(), nil); ends <- err }()

	f.failing.Store(true)
	send(t, client, "makes the read return", unreliable)
	for range 2 {
		err := <-ends
		var end *transport.DisconnectError
		require.ErrorAs(t, err, &end)
		require.Equal(t, transport.SocketFailed, end.Cause)
		require.ErrorIs(t, err, errNetDown)
		require.ErrorIs(t, err, net.ErrClosed)
	}
	require.NoError(t, h.Close())
	require.Less(t, f.reads.Load(), int64(100), "it spins")
	require.Equal(t, 1, lines.count("reading the socket failed"))
}

func TestAPacketConnThatItsOwnerClosesEndsTheHost(t *testing.T) {
	f := newFlaky(t)
	h := listen(t, udp.Config{PacketConn: f})
	require.NoError(t, f.Close())
	_, err := h.Accept(testContext(t))
	require.ErrorIs(t, err, net.ErrClosed)
}

// tooLong is a net.PacketConn that reports a large datagram as some systems do: by an error, with as much as fits, or with nothing.
type tooLong struct {
	net.PacketConn
	fits int
	err  error
}

func (c tooLong) ReadFrom(p []byte) (int, net.Addr, error) {
	n, addr, err := c.PacketConn.ReadFrom(p)
	if err == nil && n > framing.MaxDatagram {
		return c.fits, addr, c.err
	}
	return n, addr, err
}

func TestAnErrorForALargeDatagramIsNoFaultOfTheSocket(t *testing.T) {
	for _, c := range []tooLong{{fits: framing.MaxDatagram, err: errors.New("message too long")}, {fits: framing.MaxDatagram, err: udp.ErrTooLong}, {err: udp.ErrTooLong}} {
		c.PacketConn = newFlaky(t)
		requireOutlivesALargeDatagram(t, c)
	}
}

func requireOutlivesALargeDatagram(t *testing.T, c net.PacketConn) {
	h := listen(t, udp.Config{PacketConn: c})
	raw, to := rawPeer(t, h)
	peer := accept(t, h)
	_, err := raw.WriteToUDPAddrPort(make([]byte, 1500), to)
	require.NoError(t, err)
	_, err = raw.WriteToUDPAddrPort([]byte("\x04next"), to)
	require.NoError(t, err)
	require.Equal(t, "next", receive(t, peer))
	s := h.Stats()
	require.EqualValues(t, 1, s.Drops[framing.DropOversize])
	require.Zero(t, s.ReadErrors)
}

// A game may recover from its own panic, wherever that comes through. Whom Admit panics about is turned away.
func TestAPanicOfTheGameLeavesTheHostUsable(t *testing.T) {
	for _, protocol := range bothProtocols {
		w := newWorld(t)
		w.protocol = protocol
		config, knows := fuzzedHost(protocol)
		asked := 0
		config.Admit = func(udp.Request) *udp.Refusal {
			if asked++; asked == 1 {
				panic("in Admit")
			}
			return nil
		}
		h := w.member("host", nil)
		var err error
		h.host, err = udp.Listen("", h.config(config, port))
		require.NoError(t, err)
		h.on = func(ev transport.Event) {
			if ev.Kind == transport.Message && string(ev.Payload) == "panic" {
				panic("over a message")
			}
		}
		panics := 0
		h.node.Attach(sim.ProcessFunc(func(now int64) (next int64) {
			defer func() {
				if recover() != nil {
					panics++
					next = now
				}
			}()
			return h.frame(h.host)
		}))
		first := w.client("first", h, knows)
		w.run(2 * time.Second)
		first.wants("0 dial failed: refused by the host: failed")
		second := w.client("second", h, knows)
		w.run(2 * time.Second)
		second.say("panic", ordered)
		second.say("and on", ordered)
		w.run(time.Second)
		require.Equal(t, 2, panics)
		require.Equal(t, []string{"message panic", "message and on"}, withoutIDs(h.log[1:]))
		require.Len(t, h.host.Conns(), 1)
	}
}

// withoutIDs are events without the ids of peers.
func withoutIDs(log []string) (events []string) {
	for _, line := range log {
		_, event, _ := strings.Cut(line, " ")
		events = append(events, event)
	}
	return events
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

func TestAFrozenHostReadsWhatWaitsBeforeItJudgesTimeouts(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	for i := range 8 {
		w.client(fmt.Sprint("client", i), h, udp.Config{Timeout: time.Hour, Heartbeat: time.Second})
	}
	w.run(time.Second)
	h.log = nil
	h.node.Freeze(5 * time.Minute)
	w.run(6 * time.Minute)
	require.Empty(t, h.log)
	require.Len(t, h.host.Conns(), 8)
}

func TestAShortFreezeIsReadBeforeItIsJudged(t *testing.T) {
	w := newWorld(t)
	c := lan()
	c.Heartbeat, c.Timeout = 50*time.Millisecond, 300*time.Millisecond
	h := w.host(c)
	w.client("client", h, udp.Config{Timeout: time.Hour, Heartbeat: 50 * time.Millisecond})
	w.run(time.Second)
	h.node.Freeze(400 * time.Millisecond) // too short to be forgiven
	w.run(time.Second)
	h.wants("1 connected")
}

func TestASilentPeerIsCutAfterTheTimeout(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	c := w.client("client", h, udp.Config{})
	w.run(time.Second)
	c.node.Kill()
	w.run(9 * time.Second)
	h.wants("1 connected")
	w.run(2 * time.Second)
	h.wants("1 disconnected: connection timed out")
}
