package udp

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	nonBlocking = true
	// tryWhileReading says that TryRead may be called while another goroutine waits in Read.
	tryWhileReading = true
)

// tryReader is recvmsg with MSG_DONTWAIT on the descriptor of a udpSocket. It has its own buffers and goes around the read lock of
// package net, so it works while another goroutine waits in Read. It does not allocate.
type tryReader struct {
	call func(fd uintptr) // made once, because making a closure allocates

	header unix.Msghdr
	iov    unix.Iovec
	name   unix.RawSockaddrAny
	oob    [oobSize]byte
	zones  map[uint32]string // names of the interfaces of link-local peers

	n   int
	err unix.Errno
}

func (t *tryReader) init(s *udpSocket) {
	t.call = t.receive
	t.header.Name = (*byte)(unsafe.Pointer(&t.name))
	t.header.Iov = &t.iov
	t.header.SetIovlen(1)
}

func (t *tryReader) read(s *udpSocket, p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	t.iov.Base = unsafe.SliceData(p)
	t.iov.SetLen(len(p))
	err = s.raw.Control(t.call)
	t.iov.Base = nil
	switch {
	case err != nil: // the socket was closed
		return 0, from, at, net.ErrClosed
	case t.err == unix.EAGAIN:
		return 0, from, at, nil
	case t.err != 0:
		return 0, from, at, t.err
	}
	return t.n, t.from(), s.pktinfo.destination(t.oob[:t.header.Controllen]), nil
}

func (t *tryReader) receive(fd uintptr) {
	t.header.Namelen = unix.SizeofSockaddrAny
	t.header.Control = &t.oob[0]
	t.header.SetControllen(len(t.oob))
	for {
		// It never waits, so the scheduler need not know.
		n, _, err := unix.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&t.header)), unix.MSG_DONTWAIT)
		if err != unix.EINTR {
			t.n, t.err = int(n), err
			return
		}
	}
}

// from is the sender's address.
func (t *tryReader) from() netip.AddrPort {
	switch t.name.Addr.Family {
	case unix.AF_INET:
		sa := (*unix.RawSockaddrInet4)(unsafe.Pointer(&t.name))
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), bigEndian(&sa.Port))
	case unix.AF_INET6:
		sa := (*unix.RawSockaddrInet6)(unsafe.Pointer(&t.name))
		addr := netip.AddrFrom16(sa.Addr).Unmap()
		if sa.Scope_id != 0 && !addr.Is4() {
			addr = addr.WithZone(t.zone(sa.Scope_id))
		}
		return netip.AddrPortFrom(addr, bigEndian(&sa.Port))
	}
	return netip.AddrPort{}
}

// bigEndian reads a port as it lies in memory.
func bigEndian(port *uint16) uint16 {
	return binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(port))[:])
}

// zone gives the name that package net has for an interface.
func (t *tryReader) zone(id uint32) string {
	name, known := t.zones[id]
	if known {
		return name
	}
	name = strconv.FormatUint(uint64(id), 10)
	if i, err := net.InterfaceByIndex(int(id)); err == nil {
		name = i.Name
	}
	if t.zones == nil {
		t.zones = make(map[uint32]string)
	}
	t.zones[id] = name
	return name
}

func bufferSizes(fd uintptr) (read, write int) {
	read, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF)
	write, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
	return read, write
}
