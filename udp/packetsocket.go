package udp

import (
	"net"
	"net/netip"
	"time"
)

// packetSocket is a net.PacketConn of the caller that is not a *net.UDPConn. Its addresses are net.Addr, so each datagram allocates.
type packetSocket struct {
	conn  net.PacketConn
	lease lease
}

func newPacketSocket(conn net.PacketConn) *packetSocket {
	return &packetSocket{conn: conn, lease: lease{setDeadline: conn.SetReadDeadline}}
}

func (s *packetSocket) Read(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if !s.lease.begin() {
		return 0, from, at, net.ErrClosed
	}
	n, addr, err := s.conn.ReadFrom(p)
	if !s.lease.done() {
		return 0, from, at, net.ErrClosed
	}
	return n, addrPortOf(addr), at, err
}

// TryRead is there for the interface alone: a patientSocket or a drainedSocket stands in front of it.
func (s *packetSocket) TryRead([]byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	return 0, from, at, nil
}

func (s *packetSocket) Write(p []byte, to netip.AddrPort, _ netip.Addr) error {
	_, err := s.conn.WriteTo(p, net.UDPAddrFromAddrPort(to))
	return err
}

func (s *packetSocket) LocalAddr() netip.AddrPort { return addrPortOf(s.conn.LocalAddr()) }

func (s *packetSocket) SetReadDeadline(t time.Time) error { return s.conn.SetReadDeadline(t) }

// Buffers knows nothing.
func (s *packetSocket) Buffers() (read, write int) { return 0, 0 }

// Close leaves the connection to its owner.
func (s *packetSocket) Close() error { return s.lease.end() }
