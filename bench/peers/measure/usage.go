package measure

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Usage is what this process has used since it started.
type Usage struct {
	User, System time.Duration // of the processor
	Allocs       uint64        // of Go; those of C libraries are not seen
	AllocBytes   uint64
}

// Used reads the usage. It stops the world for a moment.
func Used() Usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic("BUG: getrusage of this process: " + err.Error())
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Usage{User: duration(r.Utime), System: duration(r.Stime), Allocs: m.Mallocs, AllocBytes: m.TotalAlloc}
}

func duration(t syscall.Timeval) time.Duration { return time.Duration(t.Nano()) }

// Since gives what was used from an earlier reading to this one.
func (u Usage) Since(before Usage) Usage {
	return Usage{u.User - before.User, u.System - before.System, u.Allocs - before.Allocs, u.AllocBytes - before.AllocBytes}
}

// CPU is the time of the processor.
func (u Usage) CPU() time.Duration { return u.User + u.System }

// Memory is what a process holds, in bytes.
type Memory struct {
	Resident int64 // memory of the process that is not swapped; what the kernel keeps for its sockets is not in it
	Heap     int64 // live objects of Go
	Stacks   int64 // of goroutines
}

// Held collects garbage, gives what is free back to the system, and reads the memory.
func Held() Memory {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Memory{Resident: resident(), Heap: int64(m.HeapAlloc), Stacks: int64(m.StackInuse)}
}

// resident reads the second field of statm, in pages.
func resident() int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
