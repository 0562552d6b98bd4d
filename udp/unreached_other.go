//go:build !windows

package udp

import "syscall"

// unreached are read errors that tell what became of a datagram sent before, as ICMP messages do. They name its destination and say nothing
// about the socket.
var unreached = []error{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.EHOSTDOWN, syscall.ENETUNREACH}
