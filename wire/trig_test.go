package wire

import (
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurnsAreTheArcTangent(t *testing.T) {
	rng := newRandom(6)
	for range 20000 {
		y, x := rng.NormFloat64(), rng.NormFloat64()
		require.InDelta(t, math.Atan2(y, x)/(2*math.Pi), turns(y, x), 2e-16)
	}
	for _, row := range []struct{ y, x, want float64 }{
		{0, 0, 0}, {0, 1, 0}, {1, 1, 0.125}, {1, 0, 0.25}, {1, -1, 0.375}, {0, -1, 0.5}, {-1, 0, -0.25}, {-1, 1, -0.125},
		{5e-324, 1, 0}, {5e-324, 5e-324, 0.125}, {1e308, 1e308, 0.125}, {1, 1e308, 0},
	} {
		require.InDelta(t, row.want, turns(row.y, row.x), 1e-16, "%v, %v", row.y, row.x)
	}
}

func TestADirectionIsTheCosineAndTheSine(t *testing.T) {
	rng := newRandom(7)
	for n := 1; n <= 33; n++ {
		for range 1000 {
			k := rng.Uint64() & mask(n)
			sin, cos := math.Sincos(2 * math.Pi * math.Ldexp(float64(k), -n))
			gotCos, gotSin := direction(k, n)
			require.InDelta(t, cos, gotCos, 1e-15)
			require.InDelta(t, sin, gotSin, 1e-15)
		}
	}
	for k, want := range [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		cos, sin := direction(uint64(k), 2)
		require.Equal(t, want, [2]float64{cos, sin}, "quarter turns are exact")
	}
}

// A processor that multiplies and adds in one instruction, or has a sine of its own, writes these bits too.
func TestAllProcessorsWriteTheSameBits(t *testing.T) {
	rng := newRandom(8)
	float := func() float64 { return math.Ldexp(float64(rng.Uint64()>>11), -52) - 1 } // the same everywhere: all its steps are exact
	sum := fnv.New64a()
	var w BitWriter
	for k := range 20000 {
		n := 2 + k%31
		x, y, z, q := float(), float(), float(), float()
		length := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z) + float64(q*q))
		flat := math.Sqrt(float64(x*x) + float64(z*z))
		w.Reset()
		w.Fixed(x*5000, 13, n)
		w.UFixed(y*5000, 13, n)
		w.Unorm(x, n)
		w.Snorm(y, n)
		w.Degrees(z*1000, n)
		w.Radians(q*100, n)
		w.Quat(x/length, y/length, z/length, q/length, n)
		w.YawQuat(0, y/length, 0, q/length, n, 2)
		if w.Err() != nil { // of length 1 only by chance
			w.Reset()
		}
		w.YawUnit(x/flat, 0, z/flat, n)
		w.YawVec(x*1000, 0, z*1000, n)
		require.NoError(t, w.Err())
		sum.Write(w.Bytes())

		w.Reset()
		w.YawVec(x*1000, 0, z*1000, n)
		r := NewBitReader(w.Bytes())
		x, _, z = r.YawVec(n)
		w.Reset()
		w.Float64(x)
		w.Float64(z)
		require.NoError(t, w.Err())
		sum.Write(w.Bytes())
	}
	require.Equal(t, uint64(0x29EEE98D033A9428), sum.Sum64())
}
