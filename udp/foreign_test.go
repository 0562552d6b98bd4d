package udp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// foreignTable makes the datagrams of the base protocol. It is the table of PROTOCOL.md 1 and nothing else: it shares no code
// with the library, so that both cannot be wrong in the same way.
type foreignTable struct{}

// says makes what a foreigner sends, and what it wants to get.
var says foreignTable

func (foreignTable) connect(version string) []byte { return text(1, version) }
func (foreignTable) accept(id byte) []byte         { return []byte{2, id} }
func (foreignTable) refuse(reason string) []byte   { return text(3, reason) }
func (foreignTable) unreliable(message []byte) []byte {
	return append([]byte{4}, message...)
}
func (foreignTable) reliable(seq int32, message []byte) []byte {
	return append(numbered(5, seq), message...)
}
func (foreignTable) ack(seq int32) []byte { return numbered(6, seq) }
func (foreignTable) heartbeat() []byte    { return []byte{7} }
func (foreignTable) disconnect() []byte   { return []byte{8} }

func text(kind byte, s string) []byte {
	return append([]byte{kind, byte(len(s)), byte(len(s) >> 8)}, s...)
}

func numbered(kind byte, seq int32) []byte {
	return []byte{kind, byte(seq), byte(seq >> 8), byte(seq >> 16), byte(seq >> 24)}
}

// foreignVersion is the version string of the base protocol.
const foreignVersion = "HRD-LOCAL-1"

// foreigner is a peer on a real socket that does nothing by itself: a test says what it sends. It checks every datagram that the
// library sends to it, those that no test reads included.
type foreigner struct {
	*testing.T
	ctx     context.Context // of everything that waits for the library's application
	sock    *net.UDPConn
	buf     [1 << 16]byte
	library netip.AddrPort // a foreigner that hosts learns it from the first Connect
	hosts   bool
	asked   int             // bytes of the largest Connect that it sent
	had     map[string]bool // Connect and Reliable datagrams that it got
	lib     transport.Conn  // the library's side of the session, once there is one
}

func newForeigner(t *testing.T) *foreigner {
	sock, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	f := &foreigner{T: t, sock: sock, had: map[string]bool{}}
	var cancel context.CancelFunc
	f.ctx, cancel = context.WithTimeout(context.Background(), 6*patience)
	t.Cleanup(func() {
		cancel()
		f.rest()
		require.NoError(t, sock.Close())
	})
	return f
}

// addr is where the foreigner listens.
func (f *foreigner) addr() string { return f.sock.LocalAddr().String() }

func (f *foreigner) sends(datagrams ...[]byte) {
	f.Helper()
	for _, d := range datagrams {
		if bytes.HasPrefix(d, []byte{1}) {
			f.asked = max(f.asked, len(d))
		}
		_, err := f.sock.WriteToUDPAddrPort(d, f.library)
		require.NoError(f, err)
	}
}

// wants reads the next datagrams, which must be exactly these. Repeats of Connect and Reliable may come in between: how soon the
// library repeats is its own affair.
func (f *foreigner) wants(datagrams ...[]byte) {
	f.Helper()
	for _, want := range datagrams {
		got := f.next()
		for !bytes.Equal(want, got) && f.had[string(got)] {
			got = f.next()
		}
		require.Equal(f, want, got)
		if got[0] == 1 || got[0] == 5 {
			f.had[string(got)] = true
		}
	}
}

// next reads the next datagram of the library, whatever it is.
func (f *foreigner) next() []byte {
	f.Helper()
	d, from := f.read()
	f.check(d)
	if f.hosts && d[0] == 1 {
		f.library = from
	}
	require.Equal(f, f.library, from)
	return d
}

// rest reads everything that waits. A datagram that the foreigner sends to itself marks the end of it.
func (f *foreigner) rest() (all [][]byte) {
	f.Helper()
	self := f.sock.LocalAddr().(*net.UDPAddr).AddrPort()
	_, err := f.sock.WriteToUDPAddrPort(nil, self)
	require.NoError(f, err)
	for {
		d, from := f.read()
		if from == self {
			return all
		}
		f.check(d)
		all = append(all, d)
	}
}

func (f *foreigner) read() (d []byte, from netip.AddrPort) {
	f.Helper()
	require.NoError(f, f.sock.SetReadDeadline(time.Now().Add(patience)))
	n, from, err := f.sock.ReadFromUDPAddrPort(f.buf[:])
	require.NoError(f, err, "the library does not answer")
	return bytes.Clone(f.buf[:n]), from
}

// check holds a datagram of the library to the table: its size, its direction, its layout to the last byte.
func (f *foreigner) check(d []byte) {
	f.Helper()
	require.NotEmpty(f, d)
	require.LessOrEqual(f, len(d), 1200)
	body := d[1:]
	switch d[0] {
	case 1:
		require.True(f, f.hosts, "a Connect from a host")
		f.checkText(body)
	case 2:
		require.False(f, f.hosts, "an Accept from a client")
		require.Len(f, body, 1)
		require.True(f, body[0] >= 1 && body[0] <= 250)
	case 3:
		require.False(f, f.hosts, "a Refuse from a client")
		f.checkText(body)
		require.LessOrEqual(f, len(body)-2, 11)
		require.LessOrEqual(f, len(d), f.asked, "an answer that is larger than its request")
	case 4:
	case 5:
		require.GreaterOrEqual(f, len(body), 4)
	case 6:
		require.Len(f, body, 4)
	case 7, 8:
		require.Empty(f, body)
	default:
		require.Fail(f, "no kind of the table", "%x", d)
	}
}

func (f *foreigner) checkText(body []byte) {
	f.Helper()
	require.GreaterOrEqual(f, len(body), 2)
	require.Len(f, body[2:], int(binary.LittleEndian.Uint16(body)))
}

// receives wants one message at the library's application.
func (f *foreigner) receives(want string) {
	f.Helper()
	ev, err := f.lib.Receive(f.ctx, nil)
	require.NoError(f, err)
	require.Equal(f, transport.Message, ev.Kind)
	require.Equal(f, want, string(ev.Payload))
}

// wantsEnd waits for the end of the library's side.
func (f *foreigner) wantsEnd(want transport.Cause) {
	f.Helper()
	_, err := f.lib.Receive(f.ctx, nil)
	var end *transport.DisconnectError
	require.ErrorAs(f, err, &end)
	require.Equal(f, want, end.Cause)
}

// quiet is a configuration without heartbeats, so that all that is sent answers something.
func quiet() udp.Config { return udp.Config{Heartbeat: time.Minute, Timeout: time.Hour} }

// guest is a foreigner that is about to connect to a host of the library.
func guest(t *testing.T, c udp.Config) (*foreigner, *udp.Host) {
	t.Helper()
	f := newForeigner(t)
	h := listen(t, c)
	f.library = h.Addr()
	return f, h
}

// joins connects the foreigner and leaves the library's connection in lib.
func (f *foreigner) joins(h *udp.Host) byte {
	f.Helper()
	f.sends(says.connect(foreignVersion))
	d := f.next()
	require.EqualValues(f, 2, d[0])
	f.lib = accept(f.T, h)
	require.EqualValues(f, f.lib.ID(), d[1])
	f.Cleanup(f.leaves)
	return d[1]
}

// dialled is what Dial returned.
type dialled struct {
	conn *udp.Conn
	err  error
}

// landlord is a foreigner that the library dials. It has not read anything yet.
func landlord(t *testing.T, c udp.Config) (*foreigner, <-chan dialled) {
	t.Helper()
	f := newForeigner(t)
	f.hosts = true
	c.Protocol = udp.Base
	result := make(chan dialled, 1)
	go func() {
		conn, err := udp.Dial(f.ctx, f.addr(), c)
		result <- dialled{conn, err}
	}()
	return f, result
}

// lets accepts the library and leaves its connection in lib.
func (f *foreigner) lets(result <-chan dialled) {
	f.Helper()
	f.wants(says.connect(foreignVersion))
	f.sends(says.accept(7))
	f.wants(says.heartbeat())
	f.keeps(<-result)
}

// keeps makes the connection of a dial that succeeded the session of the test.
func (f *foreigner) keeps(d dialled) {
	f.Helper()
	require.NoError(f, d.err)
	f.lib = d.conn
	f.Cleanup(func() {
		f.leaves()
		d.conn.Abort()
		d.conn.Close()
	})
}

// leaves spares the library the 80 ms in which it repeats its own goodbye.
func (f *foreigner) leaves() { f.sends(says.disconnect()) }

// inBothRoles runs a script with the foreigner as the client of a host, and as the host of a client, in parallel with other tests.
func inBothRoles(t *testing.T, c udp.Config, script func(f *foreigner)) {
	t.Parallel()
	t.Run("foreign client", func(t *testing.T) {
		t.Parallel()
		f, h := guest(t, c)
		f.joins(h)
		script(f)
	})
	t.Run("foreign host", func(t *testing.T) {
		t.Parallel()
		f, result := landlord(t, c)
		f.lets(result)
		script(f)
	})
}

func message(s string) []byte { return []byte(s) }
