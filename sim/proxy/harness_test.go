package proxy

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 5 * time.Second

// rig is a proxy that runs, before a host that the test plays.
type rig struct {
	t     *testing.T
	proxy *Proxy
	host  *end
}

// end is a real socket.
type end struct {
	t    *testing.T
	conn *net.UDPConn
}

func newRig(t *testing.T, c Config) *rig {
	t.Helper()
	host := newEnd(t)
	c.Listen, c.To = "127.0.0.1:0", host.addr().String()
	p, err := New(c)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- p.Run() }()
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		require.NoError(t, <-ended)
		require.NoError(t, p.up.nw.Audit())
		require.NoError(t, p.down.nw.Audit())
	})
	return &rig{t: t, proxy: p, host: host}
}

func newEnd(t *testing.T) *end {
	return &end{t: t, conn: listenAt(t, netip.MustParseAddrPort("127.0.0.1:0"))}
}

func listenAt(t *testing.T, addr netip.AddrPort) *net.UDPConn {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(addr))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (e *end) addr() netip.AddrPort { return e.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

func (e *end) sends(d string, to netip.AddrPort) {
	e.t.Helper()
	_, err := e.conn.WriteToUDPAddrPort([]byte(d), to)
	require.NoError(e.t, err)
}

// gets requires that a datagram comes, and gives it.
func (e *end) gets() (string, netip.AddrPort) {
	e.t.Helper()
	buf := make([]byte, maxPayload)
	require.NoError(e.t, e.conn.SetReadDeadline(time.Now().Add(patience)))
	n, from, err := e.conn.ReadFromUDPAddrPort(buf)
	require.NoError(e.t, err)
	return string(buf[:n]), from
}

// toHost makes the client send n datagrams, made by f, no faster than the proxy takes them.
func (r *rig) toHost(client *end, n int, f func(i int) string) {
	r.t.Helper()
	before := r.proxy.Counts().Up.Sent
	for i := range n {
		client.sends(f(i), r.proxy.Addr())
		if i%50 == 49 || i == n-1 {
			r.eventually(func(c Counts) bool { return c.Up.Sent == before+uint64(i)+1 })
		}
	}
}

// eventually waits until the books say so.
func (r *rig) eventually(done func(Counts) bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !done(r.proxy.Counts()); time.Sleep(100 * time.Microsecond) {
		require.True(r.t, time.Now().Before(end), "it never came to that: %+v", r.proxy.Counts())
	}
}

func empty(int) string { return "" }

func delayed(d time.Duration) sim.Conditions { return sim.Conditions{Delay: d} }
