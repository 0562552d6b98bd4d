package stopwatch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAWatchMeasuresWorkOfItsParts(t *testing.T) {
	var w Watch
	runs, sum := 0, 0
	work := func() {
		runs++
		for i := range 1_000_000 {
			sum += i * i % 7
		}
	}
	work()
	require.Zero(t, w.Total())
	w.Time(10, work)
	once := w.Total()
	require.Equal(t, 11, runs)
	require.NotZero(t, sum)
	require.Positive(t, once)
	w.Time(10, work)
	require.Greater(t, w.Total(), once, "parts are summed up")
	require.InDelta(t, float64(w.Total().Nanoseconds()), 20*w.Per(20), 1)
}

func TestOpReportsTheTimeOfTheLoop(t *testing.T) {
	sum := 0
	r := testing.Benchmark(func(b *testing.B) {
		defer Op(b)()
		for range b.N {
			sum++
		}
	})
	require.Positive(t, r.Extra["ns/op"])
}
