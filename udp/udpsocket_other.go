//go:build !unix

package udp

import (
	"errors"
	"net/netip"
)

const (
	nonBlocking     = false
	tryWhileReading = false
)

// rawIO does not exist here: a patientSocket or a drainedSocket stands in front of the socket.
type rawIO struct{}

func (*rawIO) init(*udpSocket) {}

func (*rawIO) tryRead(*udpSocket, []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	return 0, from, at, errors.ErrUnsupported
}

func (*rawIO) isParked() bool { return true }

func bufferSizes(uintptr) (read, write int) { return 0, 0 }
