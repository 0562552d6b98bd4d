package wire

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomRotation returns a unit quaternion, some of whose parts are equal in size, or nearly.
func randomRotation(rng *rand.Rand) [4]float64 {
	var q [4]float64
	for i := range q {
		q[i] = rng.NormFloat64()
	}
	for i := range q {
		switch rng.Uint64() % 6 {
		case 0:
			q[i] = q[(i+1)%4]
		case 1:
			q[i] = -q[(i+2)%4]
		case 2:
			q[i] = q[(i+3)%4] * (1 + rng.NormFloat64()*1e-3)
		case 3:
			q[i] *= 1e-3
		}
	}
	length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	if length == 0 {
		return [4]float64{0, 0, 0, 1}
	}
	for i := range q {
		q[i] /= length
	}
	return q
}

// levelsOff returns how far the parts of two quaternions of nearly one rotation are from each other, in levels of n bits.
func levelsOff(a, b [4]float64, n int) (off float64) {
	dot := a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3]
	for i := range a {
		off = max(off, math.Abs(a[i]-math.Copysign(b[i], b[i]*dot))*levelOfOne(n))
	}
	return off
}

func TestARotationIsOffByOneAndAHalfLevelsAtMost(t *testing.T) {
	rng := newRandom(9)
	for n := 2; n <= 32; n++ {
		for range 2000 {
			q := randomRotation(rng)
			w := NewBitWriter(make([]byte, 0, 16))
			w.Quat(q[0], q[1], q[2], q[3], n)
			require.NoError(t, w.Err())
			require.Equal(t, 2+3*n, w.Offset())

			r := NewBitReader(w.Bytes())
			x, y, z, v := r.Quat(n)
			require.NoError(t, r.Err(), "%v of %d bits: what is written is read", q, n)
			require.InDelta(t, 1, x*x+y*y+z*z+v*v, 1e-15)
			require.Less(t, levelsOff(q, [4]float64{x, y, z, v}, n), 1.5001, "%v of %d bits", q, n)
		}
	}
}

func TestAUnitVectorIsOffByOneAndAHalfLevelsAtMost(t *testing.T) {
	rng := newRandom(10)
	for n := 2; n <= 32; n++ {
		for range 2000 {
			q := randomRotation(rng)
			length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2])
			if length == 0 {
				continue
			}
			v := [4]float64{q[0] / length, q[1] / length, q[2] / length}
			w := NewBitWriter(make([]byte, 0, 16))
			w.Unit(v[0], v[1], v[2], n)
			require.NoError(t, w.Err())
			require.Equal(t, 3+2*n, w.Offset())

			r := NewBitReader(w.Bytes())
			x, y, z := r.Unit(n)
			require.NoError(t, r.Err(), "%v of %d bits: what is written is read", v, n)
			for i, got := range [...]float64{x, y, z} {
				require.LessOrEqual(t, math.Abs(got-v[i])*levelOfOne(n), 1.5001, "%v of %d bits, a vector is not its opposite", v, n)
			}
		}
	}
}

func TestATurnAboutYTakesAnAngle(t *testing.T) {
	rng := newRandom(11)
	for range 5000 {
		half := rng.Float64() * 2 * math.Pi
		w := NewBitWriter(make([]byte, 0, 16))
		w.YawQuat(1e-4, math.Sin(half), -1e-4, math.Cos(half), 12, 9)
		require.NoError(t, w.Err())
		require.Equal(t, 1+12, w.Offset())

		r := NewBitReader(w.Bytes())
		x, y, z, v := r.YawQuat(12, 9)
		require.Zero(t, x)
		require.Zero(t, z)
		require.Less(t, apart(2*math.Atan2(y, v), 2*half, 2*math.Pi), math.Ldexp(2*math.Pi, -12)+1e-14)
	}
}

func TestBothQuaternionsOfARotationAreTheSameBits(t *testing.T) {
	rng := newRandom(12)
	for range 2000 {
		q := randomRotation(rng)
		a, b := NewBitWriter(nil), NewBitWriter(nil)
		a.Quat(q[0], q[1], q[2], q[3], 9)
		a.YawQuat(q[0], q[1], q[2], q[3], 8, 9)
		b.Quat(-q[0], -q[1], -q[2], -q[3], 9)
		b.YawQuat(-q[0], -q[1], -q[2], -q[3], 8, 9)
		require.Equal(t, a.Bytes(), b.Bytes(), "%v", q)
	}
}

func TestOfEqualPartsTheFirstIsTheLargest(t *testing.T) {
	for _, row := range []struct {
		q     [4]float64
		index uint32
	}{
		{[4]float64{0.5, 0.5, 0.5, 0.5}, 0},
		{[4]float64{-0.5, 0.5, -0.5, 0.5}, 0},
		{[4]float64{0, math.Sqrt2 / 2, math.Sqrt2 / 2, 0}, 1},
		{[4]float64{0, 0, math.Sqrt2 / 2, -math.Sqrt2 / 2}, 2},
		{[4]float64{float64(math.Nextafter32(0.5, 0)), 0.5, 0.5, 0.5}, 0}, // as float32 has it
		{[4]float64{0.3, 0.5, 0.6, 0.55}, 2},
	} {
		w := NewBitWriter(nil)
		w.Quat(row.q[0], row.q[1], row.q[2], row.q[3], 9)
		require.NoError(t, w.Err())
		r := NewBitReader(w.Bytes())
		require.Equal(t, row.index, r.Bits(2), "%v", row.q)
	}
}

func TestALengthThatDriftedALittleIsScaled(t *testing.T) {
	want := NewBitWriter(nil)
	want.Quat(0.1, 0.7, -0.1, 0.7, 12)
	for _, scale := range []float64{0.991, 0.9999, 1.0001, 1.009} {
		w := NewBitWriter(nil)
		w.Quat(0.1*scale, 0.7*scale, -0.1*scale, 0.7*scale, 12)
		require.NoError(t, w.Err())
		require.Equal(t, want.Bytes(), w.Bytes(), "%v", scale)
	}
}

func TestWhatIsNoRotationIsNotWritten(t *testing.T) {
	for _, q := range [][4]float64{{}, {0, 0, 0, 0.98}, {0, 0, 0, 1.02}, {1, 1, 1, 1}, {1e-200, 0, 0, 0}, {1e200, 0, 0, 0}, {math.MaxFloat64, 0, 0, 0}} {
		for name, write := range map[string]func(w *BitWriter){
			"quat":     func(w *BitWriter) { w.Quat(q[3], q[2], q[1], q[0], 9) },
			"yaw quat": func(w *BitWriter) { w.YawQuat(q[0], q[1], q[2], q[3], 9, 9) },
			"unit":     func(w *BitWriter) { w.Unit(q[0], q[1], q[3], 9) },
		} {
			w := NewBitWriter(nil)
			w.Bool(true)
			write(&w)
			require.ErrorIs(t, w.Err(), ErrRotation, "%s %v", name, q)
			require.Equal(t, 1, w.Offset(), "nothing of it is written")
		}
	}
}

// rotationBits returns an index and levels as a Quat of n bits has them, or, with a negative n, a Unit of -n bits.
func rotationBits(index uint32, n int, levels ...int64) []byte {
	w := NewBitWriter(nil)
	w.Bits(index, 2)
	if n < 0 {
		w.Bool(false)
		n = -n
	}
	for _, level := range levels {
		w.Bits(uint32(signed(level, n)), n)
	}
	return w.Bytes()
}

func TestACraftedRotationNeverBecomesAValue(t *testing.T) {
	for name, row := range map[string]struct {
		b   []byte
		err error
	}{
		"squares that add up to 1.5":                     {rotationBits(0, 9, 255, 255, 255), ErrRotation},
		"squares that add up to 1.5, of 32 bits":         {rotationBits(3, 32, math.MaxInt32, math.MaxInt32, -math.MaxInt32), ErrRotation},
		"nothing left for the largest":                   {rotationBits(0, 9, 255, 255, 0), ErrRotation},
		"a little above 1":                               {rotationBits(0, 9, 255, 254, 24), ErrRotation},
		"the largest smaller by a hair than one behind":  {rotationBits(0, 9, 255, 1, 0), ErrRotation},
		"the largest not larger than one before":         {rotationBits(1, 9, 255, 0, 0), ErrRotation},
		"the largest not clearly larger than one before": {rotationBits(3, 9, 0, 0, 255), ErrRotation},
		"a zero with a sign":                             {func() []byte { b := rotationBits(0, 9, 0, 0, 0); b[1] |= 4; return b }(), ErrCanonical},
	} {
		n := 9
		if len(row.b) > 4 {
			n = 32
		}
		r := NewBitReader(row.b)
		x, y, z, w := r.Quat(n)
		require.ErrorIs(t, r.Err(), row.err, name)
		require.Equal(t, [4]float64{}, [4]float64{x, y, z, w}, name)
		require.Zero(t, r.Offset(), name)
	}
}

func TestIndexThreeOfAUnitVectorIsNoPart(t *testing.T) {
	r := NewBitReader(rotationBits(3, -9, 0, 0))
	x, y, z := r.Unit(9)
	require.ErrorIs(t, r.Err(), ErrRotation)
	require.Equal(t, [3]float64{}, [3]float64{x, y, z})
}

func TestATurnAboutYAloneIsNotReadAsAQuaternion(t *testing.T) {
	for _, index := range []uint32{1, 3} {
		w := NewBitWriter(nil)
		w.Bool(false)
		w.Bits(index, 2)
		w.Bits(0, 9)
		w.Bits(100, 9)
		w.Bits(0, 9)
		if index == 1 { // x, z, w: the angle is in w
			w.Reset()
			w.Bool(false)
			w.Bits(index, 2)
			w.Bits(0, 18)
			w.Bits(100, 9)
		}
		r := NewBitReader(w.Bytes())
		x, y, z, v := r.YawQuat(9, 9)
		require.ErrorIs(t, r.Err(), ErrCanonical)
		require.Equal(t, [4]float64{}, [4]float64{x, y, z, v})
		require.Zero(t, r.Offset())
	}
}

func TestNoBitsReadAsANumberThatIsNotFinite(t *testing.T) {
	rng := newRandom(13)
	for op := opFloat32; op <= opYawVec; op++ {
		for range 3000 {
			b := randomBits(rng)
			b[0], b[1], b[2], b[3] = 0xFF, 0xFF, 0xFF, 0xFF
			if rng.Uint64()%2 == 0 {
				b = randomBits(rng)
			}
			n := 2 + int(rng.Uint64()%20)
			requireSameBits(t, op, n, 1+n/2, false, b, -1) // a writer refuses what is not finite
		}
	}
}
