package scenario

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// stage is where a table of datagrams is played: on the simulator or on real sockets. Its clock is moved by the test on both.
type stage interface {
	listen(c *udp.Config) (addr string) // for a host or a client under test
	socket() socket                     // for somebody who is scripted
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
	sockets int
}

func (s *simStage) listen(c *udp.Config) string {
	node := s.nw.Node("tested")
	sock, err := node.Listen(port)
	require.NoError(s, err)
	c.Socket, c.Clock = sock, node.Clock
	return node.AddrPort(port).String()
}

func (s *simStage) socket() socket {
	s.sockets++
	return simSocket{s.rawOn(s.nw.Node(fmt.Sprint("scripted ", s.sockets)), 0, nil)}
}

func (s *simStage) pass(d time.Duration) { s.run(d) }
func (s *simStage) now() int64           { return s.nw.Now() }
func (s *simStage) real() bool           { return false }

type simSocket struct{ *raw }

func (s simSocket) write(d []byte, to netip.AddrPort) {
	require.NoError(s, s.sock.Write(d, to, netip.Addr{}))
}

func (s simSocket) read() [][]byte { return s.gotBytes() }

// socketStage is real sockets of the loopback interface.
type socketStage struct {
	*testing.T
	time int64
}

func (s *socketStage) listen(c *udp.Config) string {
	c.Clock = s.now
	return "127.0.0.1:0"
}

func (s *socketStage) socket() socket {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(local(0)))
	require.NoError(s, err)
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

func simulated(t *testing.T) stage {
	w := newSecureWorld(t)
	w.links(sim.Conditions{})
	return &simStage{world: w}
}

func onSockets(t *testing.T) stage { return &socketStage{T: t} }
