package udp

import (
	"net"
	"net/netip"
	"syscall"
	"time"
)

// udpSocket is a socket of the system. Reading and writing does not allocate.
type udpSocket struct {
	conn  *net.UDPConn
	raw   syscall.RawConn
	local netip.AddrPort
	owned bool
	lease lease

	pktinfo pktinfo
	oob     []byte // control message of Read, empty if there will be none
	rawIO
}

func newUDPSocket(conn *net.UDPConn, owned bool) (*udpSocket, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &udpSocket{conn: conn, raw: raw, local: addrPortOf(conn.LocalAddr()), owned: owned, lease: lease{setDeadline: conn.SetReadDeadline}}
	if s.local.Addr().IsUnspecified() && s.pktinfo.enable(s) {
		s.oob = make([]byte, oobSize)
	}
	s.rawIO.init(s)
	return s, nil
}

func (s *udpSocket) Read(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if !s.lease.begin() {
		return 0, from, at, net.ErrClosed
	}
	n, oobn, _, from, err := s.conn.ReadMsgUDPAddrPort(p, s.oob)
	if !s.lease.done() {
		return 0, netip.AddrPort{}, at, net.ErrClosed
	}
	return max(n, 0), from, s.pktinfo.destination(s.oob[:max(oobn, 0)]), err // -1 together with an error
}

func (s *udpSocket) TryRead(p []byte) (int, netip.AddrPort, netip.Addr, error) {
	return s.rawIO.tryRead(s, p)
}

func (s *udpSocket) Write(p []byte, to netip.AddrPort, from netip.Addr) error {
	_, _, err := s.conn.WriteMsgUDPAddrPort(p, s.pktinfo.source(from), to)
	return err
}

func (s *udpSocket) LocalAddr() netip.AddrPort { return s.local }

func (s *udpSocket) SetReadDeadline(t time.Time) error { return s.conn.SetReadDeadline(t) }

// Buffers asks the system for the sizes of its buffers, 0 where it does not tell.
func (s *udpSocket) Buffers() (read, write int) {
	_ = s.raw.Control(func(fd uintptr) { read, write = bufferSizes(fd) })
	return read, write
}

// Close leaves a socket of somebody else open.
func (s *udpSocket) Close() error {
	err := s.lease.end()
	if s.owned {
		err = s.conn.Close()
	}
	return err
}
