package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// afterNorm returns v as the other side has it.
func afterNorm(t *testing.T, v float64, n int, signed bool) float64 {
	t.Helper()
	w := NewBitWriter(make([]byte, 0, 8))
	r := NewBitReader(nil)
	var got float64
	if signed {
		w.Snorm(v, n)
		r = NewBitReader(w.Bytes())
		got = r.Snorm(n)
	} else {
		w.Unorm(v, n)
		r = NewBitReader(w.Bytes())
		got = r.Unorm(n)
	}
	if w.Err() != nil || r.Err() != nil {
		require.FailNow(t, "no value", "%v: %v, %v", v, w.Err(), r.Err())
	}
	return got
}

func TestAShareIsOffByHalfALevelAtMost(t *testing.T) {
	rng := newRandom(3)
	for n := 1; n <= 32; n++ {
		levels := math.Ldexp(1, n) - 1
		for range 500 {
			v := rng.Float64()
			require.LessOrEqual(t, math.Abs(afterNorm(t, v, n, false)-v), 0.5/levels+1e-16)
		}
	}
	for n := 2; n <= 32; n++ {
		levels := math.Ldexp(1, n-1) - 1
		for range 500 {
			v := 2*rng.Float64() - 1
			require.LessOrEqual(t, math.Abs(afterNorm(t, v, n, true)-v), 0.5/levels+1e-16)
		}
	}
}

func TestTheEndsOfTheRangeOfAShareAreExact(t *testing.T) {
	for n := 1; n <= 32; n++ {
		require.Zero(t, math.Float64bits(afterNorm(t, 0, n, false)))
		require.Equal(t, 1.0, afterNorm(t, 1, n, false))
		require.Equal(t, 1.0, afterNorm(t, math.MaxFloat64, n, false))
		require.Zero(t, afterNorm(t, -math.MaxFloat64, n, false))
	}
	for n := 2; n <= 32; n++ {
		require.Equal(t, -1.0, afterNorm(t, -1, n, true))
		require.Equal(t, 1.0, afterNorm(t, 1, n, true))
		require.Equal(t, -1.0, afterNorm(t, -7, n, true))
	}
}

func TestHalvesOfALevelAreRoundedAwayFromZero(t *testing.T) {
	require.Equal(t, 1.0, afterNorm(t, 0.5, 1, false))
	require.Equal(t, 2.0/3, afterNorm(t, 0.5, 2, false))
	require.Equal(t, 1.0, afterNorm(t, 0.5, 2, true))
	require.Equal(t, -1.0, afterNorm(t, -0.5, 2, true))
	require.Zero(t, afterNorm(t, math.Nextafter(0.5, 0), 1, false), "what is below a half is not rounded up")
}

func TestWhatRoundsToZeroHasNoSign(t *testing.T) {
	for _, v := range []float64{math.Copysign(0, -1), -1e-300, -0.001, -0.0019} {
		require.Zero(t, math.Float64bits(afterNorm(t, v, 9, true)), "%v", v)
	}
}

func TestAZeroWithASignIsNotRead(t *testing.T) {
	for n := 2; n <= 32; n++ {
		w := NewBitWriter(nil)
		w.Bits(0, n-1)
		w.Bool(true)
		r := NewBitReader(w.Bytes())
		require.Zero(t, r.Snorm(n))
		require.ErrorIs(t, r.Err(), ErrCanonical)
		require.Zero(t, r.Offset())
	}
}
