package udp

import "golang.org/x/sys/windows"

// unreached are read errors that tell what became of a datagram sent before, as ICMP messages do. They name its destination and say nothing
// about the socket.
var unreached = []error{
	windows.WSAECONNREFUSED, windows.WSAECONNRESET, windows.WSAENETRESET, windows.WSAEHOSTUNREACH, windows.WSAENETUNREACH,
}
