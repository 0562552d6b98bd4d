package udp_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// joinsAfter runs until a client is connected, and tells how long that took.
func (m *member) joinsAfter() time.Duration {
	m.Helper()
	start, at := m.w.nw.Now(), int64(0)
	m.on = func(ev transport.Event) {
		if ev.Kind == transport.Connected {
			at = m.w.nw.Now()
		}
	}
	m.w.run(2 * time.Second)
	require.NotZero(m, at)
	return time.Duration(at - start)
}

func TestAClientComesBackWithItsTicketAfterTwoRoundTrips(t *testing.T) {
	const rtt = 150 * time.Millisecond
	w := newSecureWorld(t)
	w.nw.SetDefault(sim.Conditions{Delay: rtt / 2})
	h := w.host(gated())
	c := w.client("ada", h, issue(t, nil))
	w.run(2 * time.Second)
	ticket, ok := c.conn.Ticket()
	require.True(t, ok)
	h = w.restart(h, gated())
	w.run(2 * time.Second)
	require.Len(t, c.errs, 1)
	require.LessOrEqual(t, w.client("back", h, udp.Config{Resume: &ticket}).joinsAfter(), 2*rtt+100*time.Millisecond)
}

// sizes is a socket that notes how large the datagrams are that are sent.
type sizes struct {
	udp.Socket
	all []int
}

func (s *sizes) Write(d []byte, to netip.AddrPort, from netip.Addr) error {
	s.all = append(s.all, len(d))
	return s.Socket.Write(d, to, from)
}

func TestAMessageAloneTakes27BytesMoreOfWhichTheSealTakes25(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.member("client", nil)
	config := c.config(knows(), 0)
	sock := &sizes{Socket: config.Socket}
	config.Socket = sock
	w.dialWith(c, h, config)
	w.run(2 * time.Second)
	sock.all = nil
	for range 10 { // now and then an ack or the time goes with it
		c.say(string(make([]byte, 41)), unreliable)
		w.run(20 * time.Millisecond)
	}
	require.LessOrEqual(t, slices.Min(sock.all), 41+27)
	require.Equal(t, 25, handshake.SealedOverhead)
}
