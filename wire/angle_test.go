package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// afterAngle returns an angle as the other side has it.
func afterAngle(t *testing.T, v float64, n int, degrees bool) (got float64) {
	t.Helper()
	w := NewBitWriter(make([]byte, 0, 8))
	r := NewBitReader(nil)
	if degrees {
		w.Degrees(v, n)
		r = NewBitReader(w.Bytes())
		got = r.Degrees(n)
	} else {
		w.Radians(v, n)
		r = NewBitReader(w.Bytes())
		got = r.Radians(n)
	}
	if w.Err() != nil || r.Err() != nil {
		require.FailNow(t, "no value", "%v: %v, %v", v, w.Err(), r.Err())
	}
	return got
}

// apart returns how far two angles are from each other.
func apart(a, b, turn float64) float64 { return math.Abs(math.Remainder(a-b, turn)) }

func TestAnAngleIsOffByLessThanAStep(t *testing.T) {
	rng := newRandom(4)
	for n := 1; n <= 32; n++ {
		for range 1000 {
			v := (rng.Float64() - 0.5) * 5
			require.Less(t, apart(afterAngle(t, v*360, n, true), v*360, 360), math.Ldexp(360, -n)+1e-12)
			require.Less(t, apart(afterAngle(t, v*2*math.Pi, n, false), v*2*math.Pi, 2*math.Pi), math.Ldexp(2*math.Pi, -n)+1e-14)
		}
	}
}

func TestAnglesAreCutAndWrapped(t *testing.T) {
	for v, want := range map[float64]float64{
		0: 0, 1: 0, 45: 45, 89.99: 45, 90: 90, 134.99: 90, 359.99: 315, 360: 0, 405: 45, 3600: 0, 360e9 + 90: 90,
		-1: 315, -45: 315, -46: 270, -360: 0, -359: 0, -405: 315, -1e-9: 0, math.Copysign(0, -1): 0, -1e-300: 0,
	} {
		require.Equal(t, want, afterAngle(t, v, 3, true), "%v", v)
	}
	require.NotPanics(t, func() { afterAngle(t, math.MaxFloat64, 32, false) })
}

func TestAStepThatWentThroughAFloat32IsNotCutToTheOneBefore(t *testing.T) {
	for k := range 256 {
		step := math.Ldexp(2*math.Pi*float64(k), -8)
		got := afterAngle(t, float64(float32(step)), 8, false)
		require.InDelta(t, step, got, 1e-12, "step %d", k)
	}
}

func TestADirectionInThePlaneIsOffByLessThanAStep(t *testing.T) {
	rng := newRandom(5)
	for n := 1; n <= 32; n++ {
		for range 500 {
			angle := rng.Float64() * 2 * math.Pi
			length := math.Exp(rng.Float64()*20 - 10)
			w := NewBitWriter(nil)
			w.YawUnit(math.Cos(angle), 0.00009, math.Sin(angle), n)
			w.YawVec(length*math.Cos(angle), -0.00009, length*math.Sin(angle), n)
			require.NoError(t, w.Err())

			r := NewBitReader(w.Bytes())
			x, y, z := r.YawUnit(n)
			require.Less(t, apart(math.Atan2(z, x), angle, 2*math.Pi), math.Ldexp(2*math.Pi, -n)+1e-14)
			require.InDelta(t, 1, math.Hypot(x, z), 1e-15)
			require.Zero(t, y)

			x, y, z = r.YawVec(n)
			require.Less(t, apart(math.Atan2(z, x), angle, 2*math.Pi), math.Ldexp(2*math.Pi, -n)+1e-14)
			require.InEpsilon(t, length, math.Hypot(x, z), math.Ldexp(1, -20))
			require.Zero(t, y)
			require.NoError(t, r.Err())
		}
	}
}

func TestALengthThatNoWriterWritesIsNotRead(t *testing.T) {
	for name, row := range map[string]struct {
		angle, length uint32
		err           error
	}{
		"an angle without a length":         {1, 0, ErrCanonical},
		"no length, with a sign":            {0, 0x80000000, ErrCanonical},
		"-2":                                {0, 0xC0000000, ErrCanonical},
		"more precise than two sides agree": {0, 0x40000001, ErrCanonical},
		"below 2^-126":                      {0, 0x00400000, ErrCanonical},
		"an infinity":                       {0, 0x7F800000, ErrNotFinite},
		"not a number":                      {0, 0x7FC00000, ErrNotFinite},
		"not a number, with a sign":         {0, 0xFFC00000, ErrNotFinite},
	} {
		w := NewBitWriter(nil)
		w.Bool(true)
		w.Bits(row.angle, 16)
		w.Bits(row.length, 32)
		r := NewBitReader(w.Bytes())
		r.Bool()
		x, y, z := r.YawVec(16)
		require.Equal(t, [3]float64{}, [3]float64{x, y, z}, name)
		require.ErrorIs(t, r.Err(), row.err, name)
		require.Equal(t, 1, r.Offset(), name)
	}
}

func TestALengthThatNoFloat32HoldsIsNotWritten(t *testing.T) {
	for _, v := range []float64{1e39, 1e300, math.MaxFloat64, math.MaxFloat32} {
		w := NewBitWriter(nil)
		w.YawVec(v, 0, v, 16)
		require.ErrorIs(t, w.Err(), ErrNotFinite, "%v", v)
		require.Zero(t, w.Offset())
	}
}

func TestAVectorOutOfThePlaneIsNotWritten(t *testing.T) {
	w := NewBitWriter(nil)
	w.YawVec(1, 0.0001, 0, 16)
	require.ErrorIs(t, w.Err(), ErrRotation)

	for _, v := range [][3]float64{{0, 0, 0}, {0.9, 0, 0}, {1.1, 0, 0}, {1, 0.001, 0}, {0, 1, 0}, {1e200, 0, 0}} {
		w.Reset()
		w.YawUnit(v[0], v[1], v[2], 16)
		require.ErrorIs(t, w.Err(), ErrRotation, "%v", v)
		require.Zero(t, w.Offset())
	}
}
