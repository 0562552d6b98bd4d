//go:build !linux

package udp

func damagesRuns() bool { return false }
