package drivers

import (
	"context"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

var background = context.Background()

// tcpOffers reports whether a socket may use that congestion control.
func tcpOffers(control string) bool {
	l, err := tcpListenConfig(control).Listen(background, "tcp4", "127.0.0.1:0")
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func tcpControl(control string) func(string, string, syscall.RawConn) error {
	return func(_, _ string, raw syscall.RawConn) (err error) {
		failed := raw.Control(func(fd uintptr) {
			err = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, control)
		})
		if failed != nil {
			return failed
		}
		return err
	}
}

func tcpListenConfig(control string) *net.ListenConfig {
	return &net.ListenConfig{Control: tcpControl(control)}
}

func tcpDialer(control string) *net.Dialer { return &net.Dialer{Control: tcpControl(control)} }
