package udp

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// spreadsPort says that the system spreads the datagrams of one port over several sockets, by the address they come from.
const spreadsPort = true

func sharePort(_, _ string, raw syscall.RawConn) error {
	var err error
	if failed := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	}); failed != nil {
		return failed
	}
	return err
}
