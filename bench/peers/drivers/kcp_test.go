package drivers

import "go.uber.org/goleak"

// keptByKCP are the goroutines that kcp-go has once for a process, and never ends.
func keptByKCP() []goleak.Option {
	return []goleak.Option{
		goleak.IgnoreAnyFunction("github.com/xtaci/kcp-go/v5.(*TimedSched).run"),
		goleak.IgnoreAnyFunction("github.com/xtaci/kcp-go/v5.postProcessWorker"),
	}
}
