package udp_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// newSecureWorld is a world whose members speak the secure protocol.
func newSecureWorld(t testing.TB) *world {
	w := newWorld(t)
	w.protocol = udp.Secure
	return w
}

// base makes members to come speak the base protocol.
func (w *world) base() { w.protocol = udp.Base }

var (
	hostKey   = secure.Secret{0: 0xA0, 31: 1}
	clientKey = secure.Secret{0: 0xC0, 31: 2}
)

func randomness(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// keyed is a host with a key that it keeps, knows a client that pins it.
func keyed() udp.Config { return udp.Config{Key: hostKey, Plain: udp.PlainPrivateLAN} }
func knows() udp.Config { return udp.Config{HostKey: hostKey.Public()} }

// deciding is a keyed host whose Admit takes everybody, but only says so once it has asked.
func deciding() udp.Config {
	c := keyed()
	c.Admit = func(udp.Request) *udp.Refusal { return nil }
	return c
}

// echoes makes a member send back what it gets, in the mode and on the channel in which it came.
func (m *member) echoes() {
	m.on = func(ev transport.Event) {
		if ev.Kind == transport.Message {
			require.NoError(m, ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery, Channel: ev.Channel}))
		}
	}
}

// say sends one message from a client.
func (m *member) say(text string, o transport.SendOptions) {
	m.Helper()
	require.NoError(m, m.conn.Send([]byte(text), o))
	m.node.Wake()
}

func everyMode() []transport.Delivery {
	return []transport.Delivery{
		transport.Unreliable, transport.Sequenced, transport.ReliableUnordered, transport.ReliableOrdered, transport.ReliableSequenced,
	}
}

func TestASecureClientJoinsAndIsAnsweredInEveryMode(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	h.echoes()
	c := w.client("client", h, knows())
	w.run(time.Second)
	c.wants("1 connected")
	h.wants("1 connected")
	for _, mode := range everyMode() {
		for _, channel := range []uint8{0, 63} {
			c.say(fmt.Sprint(mode, channel), transport.SendOptions{Delivery: mode, Channel: channel})
			w.run(time.Second)
			c.wants(fmt.Sprint("1 message ", mode, channel))
			h.wants(fmt.Sprint("1 message ", mode, channel))
		}
	}
	require.NoError(t, c.conn.Close())
	c.node.Wake()
	w.run(time.Second)
	c.wants("1 disconnected: connection closed locally")
	h.wants("1 disconnected: connection closed by the peer")
	require.Empty(t, h.host.Conns())
	require.Equal(t, framing.Drops{}, h.host.Stats().Drops)
}

// watched is a socket that notes what is sent last.
type watched struct {
	udp.Socket
	last []byte
}

func (s *watched) Write(d []byte, to netip.AddrPort, from netip.Addr) error {
	s.last = append(s.last[:0], d...)
	return s.Socket.Write(d, to, from)
}

// epochSent is the epoch of the last datagram, as far as its bits tell.
func (s *watched) epochSent() byte { return s.last[8] >> 6 }

func TestKeysAreReplacedEveryTenMinutes(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.member("client", nil)
	config := c.config(knows(), 0)
	sock := &watched{Socket: config.Socket}
	config.Socket = sock
	w.dialWith(c, h, config)
	for n := range byte(4) {
		w.run(9 * time.Minute)
		require.Equal(t, n, sock.epochSent())
		w.run(time.Minute + 3*time.Second)
		require.Equal(t, (n+1)%4, sock.epochSent())
	}
	c.wants("1 connected")
	require.Equal(t, framing.Drops{}, h.host.Stats().Drops)
}
