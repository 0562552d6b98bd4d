//go:build !linux

package udp_test

import "time"

var testsBegan = time.Now()

// threadTime is that of the wall where the system does not tell what a thread has used.
func threadTime() time.Duration { return time.Since(testsBegan) }
