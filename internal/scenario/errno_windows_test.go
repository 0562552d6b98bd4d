package scenario

import "syscall"

// errTooLong is WSAEMSGSIZE, what this system reports for a datagram above the size of the read buffer.
const errTooLong = syscall.Errno(10040)
