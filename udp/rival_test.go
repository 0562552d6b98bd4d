package udp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// twoAddresses is a client that dials a name with two addresses of one host, after so long a delay each way on the network.
type twoAddresses struct {
	*testing.T
	nw           *sim.Network
	host, client *sim.Node
	h            *Host
	conn         *Conn
	events       []transport.EventKind
}

func dialTwo(t *testing.T, delay time.Duration, protocol Protocol, timeout time.Duration) *twoAddresses {
	w := &twoAddresses{T: t, nw: sim.New(1)}
	w.nw.SetDefault(sim.Conditions{Delay: delay})
	addrs := []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")}
	w.host, w.client = w.nw.Node("host", addrs...), w.nw.Node("client", netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("fd00::2"))

	var err error
	w.h, err = Listen("", w.config(w.host, 7000, protocol, 0))
	require.NoError(t, err)
	w.drive(w.host, w.h.Poll, w.h.Next, w.h.Flush, w.h.NextDeadline)

	c, err := w.config(w.client, 0, protocol, timeout).check()
	require.NoError(t, err)
	e, err := newEngine(c, framing.Client, "", "")
	require.NoError(t, err)
	w.conn = e.ask("name", []netip.AddrPort{netip.AddrPortFrom(addrs[0], 7000), netip.AddrPortFrom(addrs[1], 7000)})
	w.drive(w.client, w.conn.Poll, w.conn.Next, w.conn.Flush, w.conn.NextDeadline)
	return w
}

func (w *twoAddresses) config(n *sim.Node, port uint16, protocol Protocol, timeout time.Duration) Config {
	sock, err := n.Listen(port)
	require.NoError(w, err)
	return Config{
		Protocol: protocol, Plain: PlainPrivateLAN, Driving: GameLoop, Clock: n.Clock, Socket: sock, Seed: [32]byte{1}, DialTimeout: timeout,
	}
}

func (w *twoAddresses) drive(n *sim.Node, poll func(), next func() (transport.Event, bool), flush func(), deadline func() int64) {
	n.Attach(sim.ProcessFunc(func(int64) int64 {
		poll()
		for ev, ok := next(); ok; ev, ok = next() {
			if n == w.client {
				w.events = append(w.events, ev.Kind)
			}
		}
		flush()
		return deadline()
	}))
}

// wantsOne wants one connection, over the address at this place of the host's, that goes on.
func (w *twoAddresses) wantsOne(over string) {
	w.Helper()
	require.Equal(w, []transport.EventKind{transport.Connected}, w.events)
	require.Equal(w, over, w.conn.RemoteAddr().Addr().String())
	require.Len(w, w.h.Conns(), 1)
	require.Equal(w, 1, w.conn.e.order.len(), "the other machine is gone")
	require.Equal(w, reliable.StateConnected, w.conn.ep.State())
	require.NotZero(w, w.conn.ID())
}

func TestTheSecondAddressIsNotAskedIfTheFirstAnswers(t *testing.T) {
	w := dialTwo(t, 10*time.Millisecond, Secure, 0)
	w.nw.RunFor(5 * time.Second)
	w.wantsOne("10.0.0.1")
	require.Equal(t, uint64(1), w.h.Stats().Exchanges)
}

func TestTheSecondAddressAnswersIfTheFirstIsDead(t *testing.T) {
	w := dialTwo(t, 10*time.Millisecond, Secure, 0)
	w.host.SetAddrs(netip.MustParseAddr("fd00::1"))
	w.nw.RunFor(5 * time.Second)
	w.wantsOne("fd00::1")
}

func TestAHostThatAnswersAtBothAddressesAdmitsTheClientOnce(t *testing.T) {
	for _, delay := range []time.Duration{130 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, 900 * time.Millisecond} {
		w := dialTwo(t, delay, Secure, 0)
		w.nw.RunFor(15 * time.Second)
		w.wantsOne("10.0.0.1")
		require.Equal(t, uint64(1), w.h.Stats().Admitted)
		require.Greater(t, w.h.Stats().Exchanges, uint64(1), "both were asked")
	}
}

func TestADialOfTwoAddressesThatNobodyAnswersFailsOnce(t *testing.T) {
	for _, protocol := range []Protocol{Secure, Base} {
		w := dialTwo(t, 10*time.Millisecond, protocol, 2*time.Second)
		w.host.Kill()
		w.nw.RunFor(5 * time.Second)
		require.Equal(t, []transport.EventKind{transport.DialFailed}, w.events)
		require.IsType(t, &DialTimeoutError{}, w.conn.Err())
		require.True(t, w.conn.e.down)
	}
}
