package drivers

import (
	"encoding/binary"
	"net"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxRun is the size of the largest run, and of what a read gives at most: that of a datagram.
const maxRun = 65507

// segmented writes runs of datagrams of equal size to one address as one, and reads such runs.
type segmented struct {
	conn    *net.UDPConn
	in      [1 << 16]byte
	inOOB   [64]byte
	out     []byte
	outOOB  []byte
	to      netip.AddrPort
	size    int // of the datagrams in out; the last may be shorter, and ends the run
	count   int
	shorter bool
}

func openSegmented(conn *net.UDPConn) (rawSocket, error) {
	rc, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var failed error
	err = rc.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, 1) })
	if err == nil {
		err = failed
	}
	return &segmented{conn: conn, out: make([]byte, 0, maxRun), outOOB: make([]byte, unix.CmsgSpace(2))}, err
}

func (s *segmented) read(handle func(netip.AddrPort, []byte), drained func()) {
	for {
		n, oob, _, from, err := s.conn.ReadMsgUDPAddrPort(s.in[:], s.inOOB[:])
		if err != nil {
			return
		}
		run, size := s.in[:n], segmentSize(s.inOOB[:oob])
		if size <= 0 || size > n {
			size = n
		}
		for len(run) > size {
			handle(from, run[:size:size])
			run = run[size:]
		}
		handle(from, run)
		drained()
	}
}

// segmentSize finds the size of the datagrams of a run, 0 if it is none.
func segmentSize(oob []byte) int {
	for len(oob) >= unix.SizeofCmsghdr {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&oob[0]))
		if h.Level == unix.IPPROTO_UDP && h.Type == unix.UDP_GRO && len(oob) >= unix.CmsgLen(4) {
			return int(binary.NativeEndian.Uint32(oob[unix.CmsgLen(0):]))
		}
		next := unix.CmsgSpace(int(h.Len) - unix.CmsgLen(0))
		if next <= 0 || next > len(oob) {
			return 0
		}
		oob = oob[next:]
	}
	return 0
}

func (s *segmented) send(datagram []byte, to netip.AddrPort) {
	n := len(datagram)
	if s.count > 0 && (to != s.to || s.shorter || n > s.size || n == 0 || s.count == batchSize || len(s.out)+n > maxRun) {
		s.flush()
	}
	if s.count == 0 {
		s.to, s.size, s.shorter = to, n, false
	}
	s.out = append(s.out, datagram...)
	s.shorter = n < s.size
	s.count++
}

func (s *segmented) flush() {
	if s.count == 0 {
		return
	}
	var oob []byte
	if s.count > 1 {
		oob = s.outOOB
		h := (*unix.Cmsghdr)(unsafe.Pointer(&oob[0]))
		h.Level, h.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
		h.SetLen(unix.CmsgLen(2))
		binary.NativeEndian.PutUint16(oob[unix.CmsgLen(0):], uint16(s.size))
	}
	_, _, _ = s.conn.WriteMsgUDPAddrPort(s.out, oob, s.to)
	s.out, s.count = s.out[:0], 0
}
