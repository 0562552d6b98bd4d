package udp

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// WriteBatch waits while the send buffer of the system is full, as Write does. It does not allocate.
func (s *udpSocket) WriteBatch(p []byte, sizes, segments []int, to []netip.AddrPort, from []netip.Addr) (int, error) {
	return s.writing.write(s, p, sizes, segments, to, from)
}

// batchWriter is sendmmsg on the descriptor of a udpSocket.
type batchWriter struct {
	messages
	zones zones
	v4    bool // the socket is not one of IPv6

	call func(fd uintptr) bool // made once, because making a closure allocates
	used int

	n   int // messages that left
	err unix.Errno
}

func (w *batchWriter) init(s *udpSocket) {
	w.call = w.send
	_ = s.raw.Control(func(fd uintptr) {
		domain, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN)
		w.v4 = err == nil && domain == unix.AF_INET
	})
}

func (w *batchWriter) write(s *udpSocket, p []byte, sizes, segments []int, to []netip.AddrPort, from []netip.Addr) (int, error) {
	if len(sizes) > len(w.headers) {
		w.messages = newMessages(len(sizes))
	}
	w.used = len(sizes)
	for i, size := range sizes {
		if !w.prepare(i, p[:size], segments[i], to[i], s.pktinfo.source(from[i])) {
			w.used = i
			break
		}
		p = p[size:]
	}
	if w.used == 0 {
		return 0, unix.EAFNOSUPPORT
	}
	err := s.raw.Write(w.call)
	switch {
	case err != nil: // the socket was closed
		return 0, err
	case w.err != 0:
		return 0, w.err
	}
	return w.n, nil
}

// prepare reports false if the socket cannot send to that address.
func (w *batchWriter) prepare(i int, d []byte, segment int, to netip.AddrPort, control []byte) bool {
	length, ok := setName(&w.names[i], to, w.v4, &w.zones)
	if !ok {
		return false
	}
	h := &w.headers[i]
	h.Namelen = length
	if segment < len(d) {
		control = w.withSegment(i, control, segment)
	}
	h.Control = unsafe.SliceData(control)
	h.SetControllen(len(control))
	w.hold(i, d)
	return true
}

// send reports false if it has to wait. What a short count leaves is sent by the next call, which finds out why.
func (w *batchWriter) send(fd uintptr) bool {
	for {
		var n uintptr
		if w.used == 1 {
			n, w.err = w.sendOne(fd)
		} else {
			n, _, w.err = unix.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&w.headers[0])), uintptr(w.used), 0, 0, 0)
		}
		if w.err != unix.EINTR {
			w.n = int(n)
			return w.err != unix.EAGAIN
		}
	}
}

// sendOne sends one message, at less than what sendmmsg costs for it. It is over before the scheduler would do anything about it.
func (w *batchWriter) sendOne(fd uintptr) (n uintptr, err unix.Errno) {
	h := &w.headers[0]
	if h.Controllen == 0 {
		_, _, err = unix.RawSyscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(h.Iov.Base)), uintptr(h.Iov.Len), 0,
			uintptr(unsafe.Pointer(h.Name)), uintptr(h.Namelen))
	} else {
		_, _, err = unix.RawSyscall(unix.SYS_SENDMSG, fd, uintptr(unsafe.Pointer(&h.Msghdr)), 0)
	}
	if err != 0 {
		return 0, err
	}
	return 1, 0
}
