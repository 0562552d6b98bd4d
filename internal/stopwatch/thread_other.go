//go:build !linux

package stopwatch

import "time"

var start = time.Now()

func threadTime() time.Duration { return time.Since(start) }
