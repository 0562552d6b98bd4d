package drivers

import (
	"net"
	"net/netip"
)

// single reads and writes one datagram a call.
type single struct {
	conn *net.UDPConn
	buf  [2048]byte
}

func openSingle(conn *net.UDPConn) (rawSocket, error) { return &single{conn: conn}, nil }

func (s *single) read(handle func(netip.AddrPort, []byte), drained func()) {
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(s.buf[:])
		if err != nil {
			return
		}
		handle(from, s.buf[:n])
	}
}

func (s *single) send(datagram []byte, to netip.AddrPort) {
	_, _ = s.conn.WriteToUDPAddrPort(datagram, to)
}

func (s *single) flush() {}
