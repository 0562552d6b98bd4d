package udp_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is what the calling thread has used of a processor. It does not count what others use meanwhile.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
