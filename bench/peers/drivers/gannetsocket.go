package drivers

import (
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// gannetSocket is a socket on which a game loop can sleep until something comes in.
type gannetSocket struct {
	conn  *net.UDPConn
	raw   syscall.RawConn
	empty bool // what look found
	look  func(fd uintptr) bool
	stay  func(fd uintptr) bool
}

func newGannetSocket(local netip.Addr) (*gannetSocket, error) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(local, 0)))
	if err != nil {
		return nil, err
	}
	_, _ = conn.SetReadBuffer(socketBuffer), conn.SetWriteBuffer(socketBuffer)
	raw, err := conn.SyscallConn()
	s := &gannetSocket{conn: conn, raw: raw}
	s.look = func(fd uintptr) bool {
		s.empty = nothingWaits(fd)
		return true
	}
	s.stay = func(fd uintptr) bool { return !nothingWaits(fd) }
	return s, err
}

// nothingWaits reports whether a read would find nothing.
func nothingWaits(fd uintptr) bool {
	_, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, fd, 0, 0, unix.MSG_PEEK|unix.MSG_DONTWAIT, 0, 0)
	return errno == unix.EAGAIN
}

// wait returns when something can be read, or after d.
func (s *gannetSocket) wait(d time.Duration) {
	if s.raw.Read(s.look) != nil || !s.empty {
		return
	}
	_ = s.conn.SetReadDeadline(time.Now().Add(d))
	_ = s.raw.Read(s.stay)
	_ = s.conn.SetReadDeadline(time.Time{})
}
