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

	// In the background, ask for one message where one is to be expected, since the last came alone: that costs less than to ask for many.
	background bool
	lone       bool
	since      int // messages since nothing waited

	parked atomic.Bool // waits, and holds nothing that it has read
}

func (r *batchReader) init() {
	r.try, r.wait = r.receiveAll, r.receiveOrWait
}

func (r *batchReader) read(s *udpSocket, p []byte, sizes, segments []int, from []netip.AddrPort, at []netip.Addr, wait bool) (int, error) {
	r.prepare(p, len(sizes))
	var err error
	if wait {
		r.background = s.background
		err = s.raw.Read(r.wait)
	} else {
		err = s.raw.Control(r.try)
	}
	switch {
	case err != nil: // the socket was closed, or its lease is over
		return 0, err
	case r.err == unix.EAGAIN:
		return 0, nil
	case r.err != 0:
		return 0, r.err
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

func (r *batchReader) receiveAll(fd uintptr) { r.receive(fd, len(r.headers)) }

func (r *batchReader) receiveOrWait(fd uintptr) bool {
	want := len(r.headers)
	if r.background && r.lone {
		want = 1
	}
	r.parked.Store(false)
	r.receive(fd, want)
	if r.err == unix.EAGAIN {
		r.lone, r.since = r.since <= 1, 0
		r.parked.Store(true)
		return false
	}
	r.lone = false
	r.since += r.n
	return true
}

func (r *batchReader) receive(fd uintptr, want int) {
	for {
		// It never waits, so the scheduler need not know.
		n, _, err := unix.RawSyscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&r.headers[0])), uintptr(want), unix.MSG_DONTWAIT, 0, 0)
		if err != unix.EINTR {
			r.n, r.err = int(n), err
			return
		}
	}
}
