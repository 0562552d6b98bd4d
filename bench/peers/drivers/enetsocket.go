//go:build enet

package drivers

import (
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// enetSocket is a second descriptor of a socket of ENet, on which Go can wait: a call of C that blocks would keep a thread from Go, and handing it over
// costs more than the message.
type enetSocket struct {
	conn   *net.UDPConn
	raw    syscall.RawConn
	some   func(fd uintptr) bool
	closed atomic.Bool
}

func newENetSocket(fd int) (*enetSocket, error) {
	second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(second), "enet")
	defer file.Close()
	packets, err := net.FilePacketConn(file)
	if err != nil {
		return nil, err
	}
	conn := packets.(*net.UDPConn)
	raw, err := conn.SyscallConn()
	return &enetSocket{conn: conn, raw: raw, some: func(fd uintptr) bool { return !nothingWaits(fd) }}, err
}

// wait returns when something can be read, or after d.
func (s *enetSocket) wait(d time.Duration) {
	_ = s.conn.SetReadDeadline(time.Now().Add(d))
	_ = s.raw.Read(s.some)
}

// close ends a wait.
func (s *enetSocket) close() {
	s.closed.Store(true)
	_ = s.conn.Close()
}

// nothingWaits reports whether a read would find nothing.
func nothingWaits(fd uintptr) bool {
	_, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, fd, 0, 0, unix.MSG_PEEK|unix.MSG_DONTWAIT, 0, 0)
	return errno == unix.EAGAIN
}
