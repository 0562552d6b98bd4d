// Package measure is what the workloads measure with: a clock, quantiles, what a process used, and the figures that come out.
package measure

import "time"

var (
	began     = time.Now()
	beganUnix = began.UnixNano()
)

// Now gives nanoseconds that two processes of one machine can compare. Within one process it never goes back.
func Now() int64 { return beganUnix + int64(time.Since(began)) }
