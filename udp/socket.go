package udp

import (
	"net/netip"
	"time"
)

// maxRead is the size of read buffers: one byte above the largest datagram, so that a larger one shows.
const maxRead = 1201

// Socket is what a host or a dialled connection needs of the network. Addresses may be in either spelling of an IPv4 address.
// All methods but Close are called by one goroutine at a time.
type Socket interface {
	// TryRead copies the next waiting datagram into p, cutting what does not fit (n is then len(p)). It never waits: from is the zero
	// AddrPort if nothing waits. at is the local address that the datagram was sent to, zero if unknown.
	TryRead(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error)

	// Write sends one datagram. from is the local address to answer from, zero for the system's choice. An error is a lost datagram.
	Write(p []byte, to netip.AddrPort, from netip.Addr) error

	// LocalAddr is the address that the socket is bound to.
	LocalAddr() netip.AddrPort

	// Close frees the socket. Reads return an error that satisfies errors.Is(err, net.ErrClosed) from then on.
	Close() error
}

// BlockingSocket is a Socket for the background style.
type BlockingSocket interface {
	Socket

	// Read is TryRead, but waits for a datagram. It is called by one goroutine, at the same time as the other methods.
	Read(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error)
}

// systemSocket is a socket that the system has, not the caller's Socket.
type systemSocket interface {
	BlockingSocket
	SetReadDeadline(time.Time) error

	// Buffers is the sizes of its buffers in bytes, 0 where the system does not tell.
	Buffers() (read, write int)
}

// unmapped gives addr the one spelling that peers are keyed by.
func unmapped(addr netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
}
