package udp_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ordered    = transport.SendOptions{Delivery: transport.ReliableOrdered}
	unreliable = transport.SendOptions{Delivery: transport.Unreliable}
)

var bothProtocols = []udp.Protocol{udp.Secure, udp.Base}

// patience bounds every wait of these tests. Nothing waits that long unless it fails.
const patience = 10 * time.Second

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// listen opens a host on a loopback address and closes it at the end of the test.
func listen(t testing.TB, c udp.Config) *udp.Host {
	t.Helper()
	return listenOn(t, "127.0.0.1:0", c)
}

func listenOn(t testing.TB, addr string, c udp.Config) *udp.Host {
	t.Helper()
	h, err := udp.Listen(addr, c)
	require.NoError(t, err)
	t.Cleanup(func() { finish(h) })
	return h
}

// ender is a host or a dialled connection.
type ender interface {
	looper
	Abort()
	Close() error
}

// finish ends a host or a dialled connection of either style. A game loop is driven to its end.
func finish(x ender) {
	x.Abort()
	_ = x.Close()
	for end := time.Now().Add(patience); x.NextDeadline() != noDeadline && time.Now().Before(end); time.Sleep(time.Millisecond) {
		x.Poll()
	}
	x.Poll()
}

const noDeadline = int64(1<<63 - 1)

// dial connects to a host, and ends the connection at the end of the test. In a game loop it has only begun.
func dial(t testing.TB, h *udp.Host, c udp.Config) *udp.Conn {
	t.Helper()
	conn, err := udp.Dial(testContext(t), h.Addr().String(), c)
	require.NoError(t, err)
	t.Cleanup(func() {
		h.Abort() // tells all its clients at once, which else would say goodbye one after the other
		finish(conn)
	})
	return conn
}

func accept(t testing.TB, h *udp.Host) transport.Conn {
	t.Helper()
	conn, err := h.Accept(testContext(t))
	require.NoError(t, err)
	return conn
}

// receive wants one message.
func receive(t testing.TB, c transport.Conn) string {
	t.Helper()
	ev, err := c.Receive(testContext(t), nil)
	require.NoError(t, err)
	require.Equal(t, transport.Message, ev.Kind)
	return string(ev.Payload)
}

func send(t testing.TB, c transport.Conn, text string, o transport.SendOptions) {
	t.Helper()
	require.NoError(t, c.Send([]byte(text), o))
}

// netAddr is the address of h's port on another of its addresses.
func netAddr(h *udp.Host, ip string) string {
	return netip.AddrPortFrom(netip.MustParseAddr(ip), h.Addr().Port()).String()
}
