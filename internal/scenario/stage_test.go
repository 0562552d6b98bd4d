package scenario

import (
	"bytes"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// stage is where a table of datagrams is played: on the simulator or on real sockets. Its clock is moved by the test on both.
type stage interface {
	listen(c *udp.Config) (addr string) // for a host or a client under test
	// reached is where others reach a socket that is bound to an address.
	reached(bound netip.AddrPort) netip.AddrPort
	// socket is one for somebody who is scripted, on a machine by its name, which has an address if there are different ones.
	socket(machine string, at ...netip.Addr) socket
	pass(d time.Duration)
	now() int64
	// real reports whether addresses are of loopback, which has no limits.
	real() bool
}

// socket is that of somebody who is scripted.
type socket interface {
	address() netip.AddrPort
	write(d []byte, to netip.AddrPort)
	read() [][]byte
}

// simStage is the simulator, without delay.
type simStage struct {
	*world
	tested   *sim.Node
	machines map[string]*sim.Node
}

func (s *simStage) listen(c *udp.Config) string {
	s.tested = s.nw.Node("tested")
	sock, err := s.tested.Listen(port)
	require.NoError(s, err)
	c.Socket, c.Clock = sock, s.tested.Clock
	return ""
}

func (s *simStage) reached(netip.AddrPort) netip.AddrPort { return s.tested.AddrPort(port) }

func (s *simStage) socket(machine string, at ...netip.Addr) socket {
	if s.machines[machine] == nil {
		s.machines[machine] = s.nw.Node(machine, at...)
	}
	return simSocket{s.rawOn(s.machines[machine], 0, nil)}
}

func (s *simStage) pass(d time.Duration) { s.run(d) }
func (s *simStage) now() int64           { return s.nw.Now() }
func (s *simStage) real() bool           { return false }

type simSocket struct{ *raw }

func (s simSocket) write(d []byte, to netip.AddrPort) {
	require.NoError(s, s.sock.Write(d, to, netip.Addr{}))
}

func (s simSocket) read() [][]byte { return s.gotBytes() }

// socketStage is real sockets of the loopback interface, of one family.
type socketStage struct {
	*testing.T
	ip   netip.Addr
	time int64
}

func (s *socketStage) listen(c *udp.Config) string {
	c.Clock = s.now
	return netip.AddrPortFrom(s.ip, 0).String()
}

func (s *socketStage) reached(bound netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(s.ip, bound.Port())
}

func (s *socketStage) socket(string, ...netip.Addr) socket {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.ip, 0)))
	require.NoError(s, err)
	require.NoError(s, conn.SetWriteBuffer(1<<17), "some systems send no datagram that is larger than this")
	s.Cleanup(func() { conn.Close() })
	return realSocket{s.T, conn}
}

func (s *socketStage) pass(d time.Duration) { s.time += int64(d) }
func (s *socketStage) now() int64           { return s.time }
func (s *socketStage) real() bool           { return true }

type realSocket struct {
	*testing.T
	conn *net.UDPConn
}

func (s realSocket) address() netip.AddrPort { return s.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

func (s realSocket) write(d []byte, to netip.AddrPort) {
	_, err := s.conn.WriteToUDPAddrPort(d, to)
	require.NoError(s, err)
}

// read gives what has come; the table knows how much that must be, and asks again.
func (s realSocket) read() (got [][]byte) {
	buf := make([]byte, 2000)
	require.NoError(s, s.conn.SetReadDeadline(time.Now().Add(time.Millisecond)))
	for {
		n, err := s.conn.Read(buf)
		if err != nil {
			return got
		}
		got = append(got, bytes.Clone(buf[:n]))
	}
}

// onEveryStage plays each case of a table on the simulator and on real sockets of both families.
func onEveryStage(t *testing.T, blocks []string, play func(*testing.T, stage, []string)) {
	for _, on := range []struct {
		name string
		open func(t *testing.T) stage
	}{
		{"simulated", simulated},
		{"IPv4", func(t *testing.T) stage { return &socketStage{T: t, ip: netip.MustParseAddr("127.0.0.1")} }},
		{"IPv6", func(t *testing.T) stage { return &socketStage{T: t, ip: netip.IPv6Loopback()} }},
	} {
		t.Run(on.name, func(t *testing.T) {
			if on.name == "IPv6" {
				needIPv6(t)
			}
			for _, block := range blocks {
				lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
				t.Run(strings.TrimSpace(lines[0]), func(t *testing.T) { play(t, on.open(t), lines[1:]) })
			}
		})
	}
}

// needIPv6 skips a test on a machine that has no IPv6, not even for itself.
func needIPv6(t *testing.T) {
	conn, err := net.ListenUDP("udp6", net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.IPv6Loopback(), 0)))
	if err != nil {
		t.Skipf("this machine has no IPv6 loopback address: %v", err)
	}
	require.NoError(t, conn.Close())
}

func simulated(t *testing.T) stage {
	w := newWorld(t)
	w.links(sim.Conditions{})
	return &simStage{world: w, machines: map[string]*sim.Node{}}
}
