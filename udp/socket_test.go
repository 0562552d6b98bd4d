package udp_test

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// rawUDP is a plain socket of the system.
func rawUDP(t *testing.T, laddr string) *net.UDPConn {
	t.Helper()
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort(laddr)))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// rawPeer is a raw socket with a session at h.
func rawPeer(t *testing.T, h *udp.Host) (*net.UDPConn, netip.AddrPort) {
	t.Helper()
	conn, to := rawUDP(t, "127.0.0.1:0"), h.Addr()
	_, err := conn.WriteToUDPAddrPort(framing.AppendConnect(nil, version), to)
	require.NoError(t, err)
	n, _, err := conn.ReadFromUDPAddrPort(make([]byte, 2000))
	require.NoError(t, err)
	require.Equal(t, 2, n)
	return conn, to
}

func TestDatagramsAreDeliveredWholeOrNotAtAll(t *testing.T) {
	h := listen(t, udp.Config{})
	raw, to := rawPeer(t, h)
	peer := accept(t, h)
	seq := int32(0)
	for _, size := range []int{1200, 1201, 1500, 9000, 65507, 0} {
		d := bytes.Repeat([]byte{4}, size)
		_, err := raw.WriteToUDPAddrPort(d, to)
		require.NoError(t, err)
		_, err = raw.WriteToUDPAddrPort(framing.AppendReliable(nil, seq, []byte("next")), to)
		require.NoError(t, err)
		seq++
		if size == 1200 {
			require.Equal(t, string(d[1:]), receive(t, peer))
		}
		require.Equal(t, "next", receive(t, peer))
	}
	drops := h.Stats().Drops
	require.EqualValues(t, 4, drops[framing.DropOversize])
	require.EqualValues(t, 1, drops[framing.DropEmpty])
}

func TestAddressesAreUnmappedOnSocketsOfAllKinds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ listen, dial string }{
		{"[::]:0", "127.0.0.1"}, {"[::]:0", "::ffff:127.0.0.1"}, {"[::]:0", "localhost"}, {"[::]:0", "::1"},
		{"0.0.0.0:0", "127.0.0.1"}, {"0.0.0.0:0", "::ffff:127.0.0.1"}, {"0.0.0.0:0", "localhost"},
		{"127.0.0.1:0", "127.0.0.1"}, {"127.0.0.1:0", "::ffff:127.0.0.1"}, {"127.0.0.1:0", "localhost"},
	} {
		t.Run(row.dial+" at "+row.listen, func(t *testing.T) {
			h := listenOn(t, row.listen, udp.Config{})
			addr := net.JoinHostPort(row.dial, fmt.Sprint(h.Addr().Port()))
			client, err := udp.Dial(testContext(t), addr, udp.Config{Protocol: udp.Base})
			require.NoError(t, err)
			defer client.Close()
			peer := accept(t, h)
			for _, a := range []netip.AddrPort{client.RemoteAddr(), peer.RemoteAddr(), peer.LocalAddr()} {
				require.False(t, a.Addr().Is4In6(), a)
				require.True(t, a.Addr().IsLoopback(), a)
			}
			require.Same(t, peer, h.Find(peer.RemoteAddr()))
			if a := peer.RemoteAddr(); a.Addr().Is4() {
				require.Same(t, peer, h.Find(netip.AddrPortFrom(netip.AddrFrom16(a.Addr().As16()), a.Port())))
			}
			send(t, peer, "hello", ordered)
			require.Equal(t, "hello", receive(t, client))
		})
	}
}

func TestAWildcardHostAnswersFromTheAddressThatWasUsed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the whole of 127.0.0.0/8 is local on Linux alone")
	}
	for _, listen := range []string{"0.0.0.0:0", "[::]:0"} {
		for _, c := range []udp.Config{{}, {Driving: udp.GameLoop}} {
			t.Run(fmt.Sprint(listen, " ", c.Driving), func(t *testing.T) {
				h := listenOn(t, listen, c)
				for _, used := range []string{"127.0.0.2", "127.0.0.3"} {
					raw := rawUDP(t, "127.0.0.1:0")
					to := netip.AddrPortFrom(netip.MustParseAddr(used), h.Addr().Port())
					for _, version := range []string{"other", version} {
						_, err := raw.WriteToUDPAddrPort(framing.AppendConnect(nil, version), to)
						require.NoError(t, err)
						h.Poll()
						_, from, err := raw.ReadFromUDPAddrPort(make([]byte, 2000))
						require.NoError(t, err)
						require.Equal(t, to, from)
					}
				}
			})
		}
	}
}

func TestEachReaderModeReadsWithoutWaiting(t *testing.T) {
	t.Parallel()
	for _, mode := range []udp.ReaderMode{udp.ReadAuto, udp.ReadNonBlocking, udp.ReadDeadline, udp.ReadGoroutine} {
		t.Run(mode.String(), func(t *testing.T) {
			h := listen(t, udp.Config{Driving: udp.GameLoop, Reader: mode})
			for range 3 {
				h.Poll() // must come back
			}
			if mode != udp.ReadAuto {
				require.Equal(t, mode, h.Stats().Reader)
			}
			echoThrough(t, h, mode)
		})
	}
}

// echoThrough sends 20 messages to a game-loop host and gets them back.
func echoThrough(t *testing.T, h *udp.Host, mode udp.ReaderMode) {
	t.Helper()
	client := dial(t, h, udp.Config{Driving: udp.GameLoop, Reader: mode})
	var got []string
	on := func(ev transport.Event) {
		switch {
		case ev.Kind == transport.Connected && ev.Conn == client:
			for i := range 20 {
				send(t, client, fmt.Sprint(i), ordered)
			}
		case ev.Kind == transport.Message && ev.Conn == client:
			got = append(got, string(ev.Payload))
		case ev.Kind == transport.Message:
			send(t, ev.Conn, string(ev.Payload), ordered)
		}
	}
	loop(t, func() bool { return len(got) == 20 }, on, h, client)
	require.Equal(t, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", strings.Join(got, " "))
}

// hidden is a net.PacketConn that does not show that it is a *net.UDPConn.
type hidden struct{ net.PacketConn }

func TestAnyPacketConnCarriesAHostAndStaysOpen(t *testing.T) {
	t.Parallel()
	for _, style := range []transport.Driving{udp.Background, udp.GameLoop} {
		for _, wrap := range []func(*net.UDPConn) net.PacketConn{
			func(c *net.UDPConn) net.PacketConn { return c },
			func(c *net.UDPConn) net.PacketConn { return hidden{c} },
		} {
			conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.NoError(t, err)
			pc := wrap(conn)
			t.Run(fmt.Sprintf("%v %T", style, pc), func(t *testing.T) {
				for range 2 { // a second host finds it as it was
					c := udp.Config{Driving: style, PacketConn: pc}
					h, err := udp.Listen("", c)
					require.NoError(t, err)
					client := dial(t, h, udp.Config{Driving: udp.GameLoop})
					loop(t, func() bool { return len(h.Conns()) == 1 }, func(transport.Event) {}, h, client)
					finish(client)
					finish(h)
				}
				require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Millisecond)))
				_, err := conn.WriteTo([]byte("still open"), conn.LocalAddr())
				require.NoError(t, err)
			})
			require.NoError(t, conn.Close())
		}
	}
}

func TestStatsTellTheSizesOfTheSocketsBuffers(t *testing.T) {
	h := listen(t, udp.Config{})
	s := h.Stats()
	require.Positive(t, s.ReadBuffer)
	require.Positive(t, s.WriteBuffer)
	require.Equal(t, udp.ReadGoroutine, s.Reader)
}

func TestABufferThatTheSystemRefusesIsAskedForInAFittingSize(t *testing.T) {
	for _, limit := range []int{1 << 30, 300_000, 0} {
		var given int
		udp.Largest(func(bytes int) error {
			if bytes > limit {
				return syscall.ENOBUFS
			}
			given = bytes
			return nil
		}, 2<<20)
		require.Equal(t, map[int]int{1 << 30: 2 << 20, 300_000: 1 << 18, 0: 0}[limit], given)
	}
}

func TestABufferAboveWhatTheSystemGivesIsNoError(t *testing.T) {
	h := listen(t, udp.Config{SocketBuffer: 1 << 30})
	require.Positive(t, h.Stats().ReadBuffer)
	raw, to := rawPeer(t, h)
	peer := accept(t, h)
	_, err := raw.WriteToUDPAddrPort([]byte("\x04hello"), to)
	require.NoError(t, err)
	require.Equal(t, "hello", receive(t, peer))
}
