package drivers

import (
	"encoding/binary"
	"net"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// batchSize is how many datagrams a call of the system takes or gives.
const batchSize = 64

// mmsghdr is that of recvmmsg and sendmmsg. The compiler pads it as C does.
type mmsghdr struct {
	unix.Msghdr
	n uint32
}

// batch is headers for a call of the system, each with a buffer and an address.
type batch struct {
	raw     syscall.RawConn
	call    uintptr
	headers [batchSize]mmsghdr
	vectors [batchSize]unix.Iovec
	names   [batchSize]unix.RawSockaddrInet4
	buffers [batchSize][2048]byte
	n       int // datagrams that wait to be sent, or of the last read
	try     func(fd uintptr) bool
	done    int // datagrams that a call has sent
	errno   syscall.Errno
}

func newBatch(raw syscall.RawConn, call uintptr) *batch {
	b := &batch{raw: raw, call: call}
	for i := range b.headers {
		b.vectors[i].Base = &b.buffers[i][0]
		b.headers[i].Iov = &b.vectors[i]
		b.headers[i].SetIovlen(1)
		b.headers[i].Name = (*byte)(unsafe.Pointer(&b.names[i]))
		b.headers[i].Namelen = unix.SizeofSockaddrInet4
	}
	b.try = b.attempt // made once: making a closure allocates
	return b
}

// attempt makes the call for the headers from done to n; false if it would have to wait.
func (b *batch) attempt(fd uintptr) bool {
	for {
		n, _, errno := unix.Syscall6(b.call, fd, uintptr(unsafe.Pointer(&b.headers[b.done])), uintptr(b.n-b.done), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			b.done += int(n)
			b.errno = 0
			return true
		case unix.EINTR:
		case unix.EAGAIN:
			return false
		default:
			b.errno = errno
			return true
		}
	}
}

// fill reads up to a batch, and waits for the first; false if the socket is closed.
func (b *batch) fill() bool {
	for i := range b.vectors {
		b.vectors[i].SetLen(len(b.buffers[i]))
	}
	b.n, b.done = batchSize, 0
	err := b.raw.Read(b.try)
	b.n = b.done
	return err == nil
}

func (b *batch) datagram(i int) (netip.AddrPort, []byte) {
	return addrPortOf(&b.names[i]), b.buffers[i][:b.headers[i].n]
}

// add puts a datagram into the batch, and reports whether that is full.
func (b *batch) add(datagram []byte, to netip.AddrPort) (full bool) {
	b.vectors[b.n].SetLen(copy(b.buffers[b.n][:], datagram))
	setAddrPort(&b.names[b.n], to)
	b.n++
	return b.n == batchSize
}

// empty sends what was added. A datagram that the system refuses is lost.
func (b *batch) empty() {
	for b.done = 0; b.done < b.n; {
		if b.raw.Write(b.try) != nil {
			break
		}
		if b.errno != 0 {
			b.done++
		}
	}
	b.n = 0
}

func addrPortOf(name *unix.RawSockaddrInet4) netip.AddrPort {
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&name.Port))[:])
	return netip.AddrPortFrom(netip.AddrFrom4(name.Addr), port)
}

func setAddrPort(name *unix.RawSockaddrInet4, addr netip.AddrPort) {
	name.Family = unix.AF_INET
	name.Addr = addr.Addr().As4()
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&name.Port))[:], addr.Port())
}

// batched reads and writes batches.
type batched struct{ in, out *batch }

func openBatch(conn *net.UDPConn) (rawSocket, error) {
	rc, err := conn.SyscallConn()
	return &batched{newBatch(rc, unix.SYS_RECVMMSG), newBatch(rc, unix.SYS_SENDMMSG)}, err
}

func (s *batched) read(handle func(netip.AddrPort, []byte), drained func()) {
	for s.in.fill() {
		for i := range s.in.n {
			handle(s.in.datagram(i))
		}
		drained()
	}
}

func (s *batched) send(datagram []byte, to netip.AddrPort) {
	if s.out.add(datagram, to) {
		s.out.empty()
	}
}

func (s *batched) flush() {
	if s.out.n > 0 {
		s.out.empty()
	}
}
