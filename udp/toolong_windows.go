package udp

import "golang.org/x/sys/windows"

// errTooLong is the read error for a datagram that is larger than the buffer. Other systems cut it and say nothing.
const errTooLong = windows.WSAEMSGSIZE
