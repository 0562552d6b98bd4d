package scenario

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// patience bounds every wait on real sockets. Nothing waits that long unless it fails.
const patience = 10 * time.Second

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// within takes what comes out of a channel.
func within[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing comes")
		panic("unreachable")
	}
}

// listenUDP opens a host on a real socket and ends it with the test.
func listenUDP(t *testing.T, addr string, c udp.Config) *udp.Host {
	t.Helper()
	c.Protocol = udp.Base
	h, err := udp.Listen(addr, c)
	require.NoError(t, err)
	t.Cleanup(func() {
		h.Abort()
		h.Close()
	})
	return h
}

func dialUDP(t *testing.T, h *udp.Host, c udp.Config) *udp.Conn {
	t.Helper()
	c.Protocol = udp.Base
	conn, err := udp.Dial(testContext(t), h.Addr().String(), c)
	require.NoError(t, err)
	t.Cleanup(func() {
		conn.Abort()
		conn.Close()
	})
	return conn
}

func acceptUDP(t *testing.T, h *udp.Host) transport.Conn {
	t.Helper()
	conn, err := h.Accept(testContext(t))
	require.NoError(t, err)
	return conn
}

// receiveUDP receives one message.
func receiveUDP(t *testing.T, c transport.Conn) string {
	t.Helper()
	ev, err := c.Receive(testContext(t), nil)
	require.NoError(t, err)
	return string(ev.Payload)
}

// rawUDP is a real socket that a test scripts datagram by datagram.
type rawUDP struct {
	*testing.T
	conn *net.UDPConn
	to   netip.AddrPort
}

func dialRaw(t *testing.T, to netip.AddrPort) *rawUDP {
	t.Helper()
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(local(0)))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &rawUDP{t, conn, to}
}

func (r *rawUDP) write(frames ...string) {
	r.Helper()
	for _, f := range frames {
		r.writeBytes(encode(r.T, f))
	}
}

func (r *rawUDP) writeBytes(d []byte) {
	r.Helper()
	_, err := r.conn.WriteToUDPAddrPort(d, r.to)
	require.NoError(r, err)
}
