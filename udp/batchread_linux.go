package udp

import (
	"net"
	"net/netip"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReadBatch reads around the read lock of package net, so that it works without wait while another goroutine waits in it. It does not allocate.
func (s *udpSocket) ReadBatch(p []byte, sizes, segments []int, from []netip.AddrPort, at []netip.Addr, wait bool) (int, error) {
	if !wait {
		return s.trying.read(s, p, sizes, segments, from, at, false)
	}
	if !s.lease.begin() {
		return 0, net.ErrClosed
	}
	n, err := s.waiting.read(s, p, sizes, segments, from, at, true)
	if !s.lease.done() {
		return 0, net.ErrClosed
	}
	return n, err
}

// batchReader is recvmmsg on the descriptor of a udpSocket, for one goroutine at a time.
type batchReader struct {
	messages
	zones zones
	held  []byte // what the messages point to

	try  func(fd uintptr) // made once, because making a closure allocates
	wait func(fd uintptr) bool

	n   int // messages that came
	err unix.Errno

	// Who waits asks for one message where one is to be expected, since the last came alone: that costs much less than to ask for many.
	lone  bool
	since int  // messages since nothing waited
	slept bool // this read has waited
	plain bool // no control messages come

	parked atomic.Bool // waits, and holds nothing that it has read
}

func (r *batchReader) init() {
	r.try, r.wait = r.receiveAll, r.receiveOrWait
}

func (r *batchReader) read(s *udpSocket, p []byte, sizes, segments []int, from []netip.AddrPort, at []netip.Addr, wait bool) (int, error) {
	r.prepare(p, len(sizes))
	var err error
	r.n, r.slept, r.plain = 0, false, !s.pktinfo.on && !s.joins
	if wait {
		err = s.raw.Read(r.wait)
	} else {
		err = s.raw.Control(r.try)
	}
	if err != nil { // the socket was closed, or its lease is over
		return 0, err
	}
	for i := range r.n {
		h := &r.headers[i]
		sizes[i] = int(h.n)
		from[i] = addrPort(&r.names[i], &r.zones)
		control := r.controls[i][:h.Controllen]
		at[i] = s.pktinfo.destination(control)
		segments[i] = sizes[i]
		if s.joins {
			segments[i] = segmentOf(control, sizes[i])
		}
		r.reset(h, i)
	}
	if r.err != 0 && r.err != unix.EAGAIN {
		return r.n, r.err
	}
	return r.n, nil
}

// prepare lets the messages point to n equal parts of p.
func (r *batchReader) prepare(p []byte, n int) {
	if n == len(r.headers) && len(p) == len(r.held) && unsafe.SliceData(p) == unsafe.SliceData(r.held) {
		return
	}
	if n != len(r.headers) {
		r.messages = newMessages(n)
	}
	r.held = p
	for i := range n {
		r.hold(i, p[i*(len(p)/n):][:len(p)/n])
		r.reset(&r.headers[i], i)
	}
}

// reset undoes what recvmmsg wrote.
func (r *batchReader) reset(h *mmsghdr, i int) {
	h.Namelen = unix.SizeofSockaddrInet6
	h.Control = &r.controls[i][0]
	h.SetControllen(oobSize)
}

func (r *batchReader) receiveAll(fd uintptr) { r.receive(fd) }

// receiveOrWait reports false if it has to wait. What wakes it after it has waited is all that there is, as a rule.
func (r *batchReader) receiveOrWait(fd uintptr) bool {
	r.parked.Store(false)
	if r.lone {
		r.receiveOne(fd)
	}
	if !r.lone || r.err == 0 && !r.slept { // that one waited, so others may
		r.receive(fd)
	}
	if r.n == 0 && r.err == unix.EAGAIN {
		r.lone, r.since, r.slept = r.since <= 1, 0, true
		r.parked.Store(true)
		return false
	}
	r.lone = r.lone && r.slept
	r.since += r.n
	return true
}

// receive reads what waits behind the messages that have come already, as far as there is room.
func (r *batchReader) receive(fd uintptr) {
	rest := r.headers[r.n:]
	if len(rest) == 0 {
		return
	}
	for {
		// It never waits, so the scheduler need not know.
		n, _, err := unix.RawSyscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&rest[0])), uintptr(len(rest)), unix.MSG_DONTWAIT, 0, 0)
		if err != unix.EINTR {
			r.came(int(n), err)
			return
		}
	}
}

// receiveOne reads one message, at about half of what recvmmsg costs for it.
func (r *batchReader) receiveOne(fd uintptr) {
	h := &r.headers[0]
	for {
		var n uintptr
		var err unix.Errno
		if r.plain {
			h.SetControllen(0)
			n, _, err = unix.RawSyscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(h.Iov.Base)), uintptr(h.Iov.Len), unix.MSG_DONTWAIT,
				uintptr(unsafe.Pointer(h.Name)), uintptr(unsafe.Pointer(&h.Namelen)))
		} else {
			n, _, err = unix.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&h.Msghdr)), unix.MSG_DONTWAIT)
		}
		if err == unix.EINTR {
			continue
		}
		if err == 0 {
			h.n = uint32(n)
			n = 1
		}
		r.came(int(n), err)
		return
	}
}

// came notes what a call of the system gave.
func (r *batchReader) came(n int, err unix.Errno) {
	if r.err = err; err == 0 {
		r.n += n
	}
}
