package udp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
)

// openSocket gives the socket that c asks for, bound to laddr if it has to be made, and how it is read.
func openSocket(c Config, network, laddr string) (Socket, ReaderMode, error) {
	if c.Socket != nil {
		if c.Driving == Background {
			return c.Socket, ReadGoroutine, nil
		}
		return c.Socket, ReadNonBlocking, nil
	}
	sock, err := openSystem(c, network, laddr)
	if err != nil {
		return nil, 0, err
	}
	if c.Driving == Background {
		return sock, ReadGoroutine, nil
	}
	reader, mode, err := withReader(sock, c.Reader)
	if err != nil {
		sock.Close()
	}
	return reader, mode, err
}

func openSystem(c Config, network, laddr string) (systemSocket, error) {
	switch pc := c.PacketConn.(type) {
	case nil:
	case *net.UDPConn:
		return newUDPSocket(pc, false)
	default:
		return newPacketSocket(pc), nil
	}
	conn, err := listenUDP(network, laddr, c.reusePort)
	if err != nil {
		return nil, fmt.Errorf("udp: %w%s", err, hint(err))
	}
	if c.SocketBuffer > 0 {
		largest(conn.SetReadBuffer, c.SocketBuffer)
		largest(conn.SetWriteBuffer, c.SocketBuffer)
	}
	return newUDPSocket(conn, true)
}

// largest asks for a buffer, and for half as much as long as the system refuses it. Linux gives what it may instead; the BSDs refuse all that is too much. Without
// any the socket keeps what it has. Stats tell how much that is.
func largest(set func(bytes int) error, bytes int) {
	const least = 16 << 10
	for ; bytes >= least && set(bytes) != nil; bytes /= 2 {
	}
}

func listenUDP(network, laddr string, shared bool) (*net.UDPConn, error) {
	var lc net.ListenConfig
	if shared {
		lc.Control = sharePort
	}
	pc, err := lc.ListenPacket(context.Background(), network, laddr)
	if err != nil {
		return nil, err
	}
	return pc.(*net.UDPConn), nil
}

// withReader makes sock readable without waiting.
func withReader(sock systemSocket, mode ReaderMode) (Socket, ReaderMode, error) {
	if mode == ReadAuto {
		mode = ReadDeadline
		if canTryRead(sock) {
			mode = ReadNonBlocking
		}
	}
	switch mode {
	case ReadDeadline:
		return &patientSocket{systemSocket: sock}, mode, nil
	case ReadGoroutine:
		return newDrainedSocket(sock), mode, nil
	}
	if !canTryRead(sock) {
		return nil, 0, &ConfigError{"Reader", "ReadNonBlocking is not possible with this socket: set ReadDeadline or ReadGoroutine"}
	}
	return sock, mode, nil
}

// canTryRead reports whether sock can be read without waiting as it is.
func canTryRead(sock Socket) bool {
	_, own := sock.(*udpSocket)
	return own && nonBlocking
}

// addrPortOf is the address of a net.Addr, zero if it has none.
func addrPortOf(addr net.Addr) netip.AddrPort {
	if u, ok := addr.(*net.UDPAddr); ok {
		return unmapped(u.AddrPort())
	}
	if addr == nil {
		return netip.AddrPort{}
	}
	ap, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.AddrPort{}
	}
	return unmapped(ap)
}
