package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// fromSystem reads what /proc tells of this process.
func fromSystem() (residentMiB float64, descriptors int, cpuSeconds float64) {
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := bytes.Fields(statm); len(fields) > 1 {
			pages, _ := strconv.Atoi(string(fields[1]))
			residentMiB = rounded(float64(pages*os.Getpagesize()) / (1 << 20))
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		descriptors = len(open) - 1 // the folder itself was open
	}
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) == nil {
		cpuSeconds = rounded(float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9)
	}
	return residentMiB, descriptors, cpuSeconds
}
