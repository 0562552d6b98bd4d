//go:build !windows

package scenario

import "syscall"

// errTooLong is what this system reports for a datagram above the size of the read buffer.
const errTooLong = syscall.EMSGSIZE
