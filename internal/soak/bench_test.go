package soak

import (
	"testing"
	"time"
)

// A world with the traffic of a game and all its faults. hours/min is connection-hours in a minute of one processor.
func BenchmarkWorld(b *testing.B) {
	for _, world := range []struct {
		name string
		seed uint64
	}{{"game", 1}, {"base", 6}, {"heavy", 16}} {
		b.Run(world.name, func(b *testing.B) {
			var up time.Duration
			for b.Loop() {
				p := Draw(world.seed, time.Minute)
				up += p.Run().UpTime
			}
			b.ReportMetric(up.Hours()/b.Elapsed().Minutes(), "hours/min")
		})
	}
}
