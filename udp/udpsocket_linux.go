package udp

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

const (
	nonBlocking = true
	// tryWhileReading says that TryRead may be called while another goroutine waits in Read.
	tryWhileReading = true
)

// rawIO is what a udpSocket has to go around package net. Reading with and without waiting may happen at once, so each has its own buffers.
type rawIO struct {
	waiting, trying batchReader
	writing         batchWriter
	joins           bool // what is read may be runs

	one struct { // for TryRead
		size, segment [1]int
		from          [1]netip.AddrPort
		at            [1]netip.Addr
	}
}

func (r *rawIO) init(s *udpSocket) {
	r.waiting.init()
	r.trying.init()
	r.writing.init(s)
}

func (r *rawIO) tryRead(s *udpSocket, p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	n, err = r.trying.read(s, p, r.one.size[:], r.one.segment[:], r.one.from[:], r.one.at[:], false)
	if n == 0 {
		return 0, from, at, err
	}
	return r.one.size[0], r.one.from[0], r.one.at[0], nil
}

// isParked reports whether the goroutine that reads has handed over all that it has read and waits for more.
func (r *rawIO) isParked() bool { return r.waiting.parked.Load() }

func bufferSizes(fd uintptr) (read, write int) {
	read, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF)
	write, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
	return read, write
}
