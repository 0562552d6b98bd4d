//go:build !linux

package udp

import (
	"errors"
	"syscall"
)

// spreadsPort says that the system spreads the datagrams of one port over several sockets. Where it is the last one that gets all, or the first, shards
// are of no use.
const spreadsPort = false

func sharePort(string, string, syscall.RawConn) error { return errors.ErrUnsupported }
