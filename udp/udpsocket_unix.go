//go:build unix && !linux

package udp

import (
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

const (
	nonBlocking = true
	// tryWhileReading says that TryRead may be called while another goroutine waits in Read.
	tryWhileReading = false
)

// rawIO asks the system whether a datagram waits and reads only then. These systems verify a datagram before they report it, so the
// read finds what was promised.
type rawIO struct {
	call func(fd uintptr) // made once, because making a closure allocates
	fds  [1]unix.PollFd
	n    int
	err  error
}

func (t *rawIO) init(*udpSocket) { t.call = t.poll }

func (t *rawIO) tryRead(s *udpSocket, p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	switch err := s.raw.Control(t.call); {
	case err != nil: // the socket was closed
		return 0, from, at, net.ErrClosed
	case t.err != nil && t.err != unix.EINTR:
		return 0, from, at, t.err
	case t.n <= 0:
		return 0, from, at, nil
	}
	return s.Read(p)
}

func (t *rawIO) poll(fd uintptr) {
	t.fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	t.n, t.err = unix.Poll(t.fds[:], 0)
}

func (*rawIO) isParked() bool { return true }

func bufferSizes(fd uintptr) (read, write int) {
	read, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF)
	write, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
	return read, write
}
