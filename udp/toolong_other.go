//go:build !windows

package udp

import "syscall"

// errTooLong is the read error for a datagram that is larger than the buffer. These systems cut it and say nothing, but a
// net.PacketConn may not.
const errTooLong = syscall.EMSGSIZE
