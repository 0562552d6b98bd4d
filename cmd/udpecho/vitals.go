package main

import (
	"runtime"
	"runtime/metrics"
)

// vitals are what a process takes of its machine.
type vitals struct {
	ResidentMiB float64 `json:"rss_mib"`     // 0 if the system does not tell
	Descriptors int     `json:"descriptors"` // 0 if the system does not tell
	Goroutines  int     `json:"goroutines"`
	HeapKiB     float64 `json:"heap_kib"` // in use after the latest collection
	CPUSeconds  float64 `json:"cpu_seconds"`
}

// ownVitals looks at this process. Memory of the system is measured before the collection that may be asked for, which would hide what a process of its
// kind takes.
func ownVitals(collect bool) vitals {
	v := vitals{Goroutines: runtime.NumGoroutine()}
	v.ResidentMiB, v.Descriptors, v.CPUSeconds = fromSystem()
	if collect {
		runtime.GC()
		runtime.GC() // what the first one has put aside in pools
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	v.HeapKiB = rounded(float64(live[0].Value.Uint64()) / 1024)
	return v
}
