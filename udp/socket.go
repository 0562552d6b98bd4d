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

// BatchWriter is a Socket that sends many datagrams with one call. Whatever an engine has to say at one moment leaves with it.
type BatchWriter interface {
	Socket

	// WriteBatch sends messages in their order, as Write does each of them. They lie one after another in p, the i-th is of sizes[i] bytes. A message
	// is one datagram, or, at a RunSocket, if segments[i] is less than its size, a run: up to 64 datagrams of so many bytes each, the last of as many or fewer.
	// All slices but p have one length, above 0. n messages were sent. An error is about the next one, which was not; without one, what is left is for another
	// call.
	WriteBatch(p []byte, sizes, segments []int, to []netip.AddrPort, from []netip.Addr) (n int, err error)
}

// BatchReader is a Socket that reads many datagrams with one call.
type BatchReader interface {
	Socket

	// ReadBatch is TryRead of up to len(sizes) messages, or with wait Read of at least one: the i-th is copied into the i-th of as many equal
	// parts of p, and sizes[i] bytes long. A message is one datagram, or a run if segments[i] is less, as in WriteBatch; the socket sets both. All slices
	// but p have one length, above 0. If n is below it, nothing waited any more, or err
	// is about what comes next. With wait it is called by one goroutine, at the same time as the other methods.
	ReadBatch(p []byte, sizes, segments []int, from []netip.AddrPort, at []netip.Addr, wait bool) (n int, err error)
}

// RunSocket is a BatchWriter and BatchReader whose messages may be runs of datagrams.
type RunSocket interface {
	BatchWriter
	BatchReader

	// CanJoin reports whether WriteBatch takes runs.
	CanJoin() bool

	// JoinReads lets ReadBatch give runs, or no more, and reports whether it does now. Those that came before it was called may still come. It is
	// called by the one who calls ReadBatch, or between two calls.
	JoinReads(on bool) bool
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
