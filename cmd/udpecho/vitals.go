package main

import "runtime"

// vitals are what a process takes of its machine.
type vitals struct {
	ResidentMiB float64 `json:"rss_mib"`     // 0 if the system does not tell
	Descriptors int     `json:"descriptors"` // 0 if the system does not tell
	Goroutines  int     `json:"goroutines"`
	HeapKiB     float64 `json:"heap_kib"` // after a collection if collect was asked for
	CPUSeconds  float64 `json:"cpu_seconds"`
}

// ownVitals looks at this process. Memory is measured before the collection, which would hide what a process of its kind takes.
func ownVitals(collect bool) vitals {
	v := vitals{Goroutines: runtime.NumGoroutine()}
	v.ResidentMiB, v.Descriptors, v.CPUSeconds = fromSystem()
	if collect {
		runtime.GC()
		runtime.GC() // what the first one has put aside in pools
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	v.HeapKiB = rounded(float64(m.HeapAlloc) / 1024)
	return v
}
