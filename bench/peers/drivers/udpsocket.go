package drivers

import (
	"net"
	"net/netip"
	"time"
)

// handshakeTime is how long a connection may take to stand.
const handshakeTime = 10 * time.Second

// udpSocket opens a socket at a free port of the address, 127.0.0.1 if that is invalid. A large one has buffers of 4 MiB.
func udpSocket(local netip.Addr, large bool) (*net.UDPConn, error) {
	return sized(large)(net.ListenUDP("udp4", freePort(local)))
}

// connectedSocket is udpSocket that has one address to talk to.
func connectedSocket(to string, local netip.Addr, large bool) (*net.UDPConn, error) {
	addr, err := net.ResolveUDPAddr("udp4", to)
	if err != nil {
		return nil, err
	}
	return sized(large)(net.DialUDP("udp4", freePort(local), addr))
}

func freePort(local netip.Addr) *net.UDPAddr {
	if !local.IsValid() {
		local = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return net.UDPAddrFromAddrPort(netip.AddrPortFrom(local, 0))
}

// sized sets the buffers of a socket that was opened.
func sized(large bool) func(*net.UDPConn, error) (*net.UDPConn, error) {
	return func(socket *net.UDPConn, err error) (*net.UDPConn, error) {
		if err == nil && large {
			const size = 4 << 20
			_ = socket.SetReadBuffer(size) // as far as the kernel lets us
			_ = socket.SetWriteBuffer(size)
		}
		return socket, err
	}
}
