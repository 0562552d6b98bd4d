package reliable

import (
	"runtime"
)

// heapBytes is what was allocated so far.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}
