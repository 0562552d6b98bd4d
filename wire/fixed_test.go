package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// fixedForms are widths of whole and fraction.
var fixedForms = [][2]int{{1, 0}, {1, 32}, {5, 1}, {8, 8}, {13, 7}, {13, 9}, {13, 13}, {13, 14}, {20, 32}, {32, 0}, {32, 21}}

// afterFixed returns v as the other side has it, and how often it was clamped.
func afterFixed(t *testing.T, v float64, i, f int, unsigned bool) (got float64, clamped int) {
	t.Helper()
	w := NewBitWriter(make([]byte, 0, 16))
	if unsigned {
		w.UFixed(v, i, f)
	} else {
		w.Fixed(v, i, f)
	}
	r := NewBitReader(w.Bytes())
	if unsigned {
		got = r.UFixed(i, f)
	} else {
		got = r.Fixed(i, f)
	}
	if w.Err() != nil || r.Err() != nil || w.Offset() != i+f || r.Offset() != i+f {
		require.FailNow(t, "no value", "%v: %v, %v", v, w.Err(), r.Err())
	}
	return got, w.Clamped()
}

// requireWithinAStep sends v, which is in range.
func requireWithinAStep(t *testing.T, v float64, i, f int, unsigned bool) {
	t.Helper()
	got, clamped := afterFixed(t, v, i, f, unsigned)
	if !(math.Abs(got-v) < math.Ldexp(1, -f)) || clamped != 0 {
		require.FailNow(t, "off by a step", "%v of %d.%d, unsigned %v, came as %v, clamped %d", v, i, f, unsigned, got, clamped)
	}
}

// around returns v and the numbers that are next to it, near it and less near.
func around(v float64) []float64 {
	near := []float64{v, math.Nextafter(v, math.Inf(-1)), math.Nextafter(v, math.Inf(1))}
	for _, d := range []float64{1e-12, 1e-9, 1e-7, 0.00005, 0.000099999, 0.0001, 0.00011, 0.000123, 0.0005, 0.003, 0.3} {
		near = append(near, v-d, v+d)
	}
	return near
}

func TestAFixedPointValueIsOffByLessThanAStepInItsWholeRange(t *testing.T) {
	for k, form := range fixedForms {
		i, f := form[0], form[1]
		rng := newRandom(uint64(k))
		for _, unsigned := range []bool{false, true} {
			low, high := -math.Ldexp(1, i-1), math.Ldexp(1, i-1)
			if unsigned {
				low, high = 0, math.Ldexp(1, i)
			}
			try := func(v float64) {
				if v >= low && v < high {
					requireWithinAStep(t, v, i, f, unsigned)
				}
			}
			for range 2000 {
				v := low + rng.Float64()*(high-low)
				for _, v := range []float64{v, float64(float32(v)), math.Ldexp(v, -f), math.Ldexp(v, -2*f)} {
					try(v)
				}
				for _, v := range around(math.Floor(v)) {
					try(v)
				}
			}
			for _, border := range []float64{low, high, 0, 1, -1, high / 2, low / 2} {
				for _, v := range around(border) {
					try(v)
				}
			}
		}
	}
}

func TestValuesNextToZeroAreZeroOrOneStepOff(t *testing.T) {
	for _, form := range fixedForms {
		i, f := form[0], form[1]
		for _, v := range []float64{math.SmallestNonzeroFloat64, 1e-310, 1e-100, 1e-20, 1e-10, math.Copysign(0, -1)} {
			for _, v := range []float64{v, -v} {
				got, clamped := afterFixed(t, v, i, f, false)
				require.Zero(t, math.Float64bits(got), "%v of %d.%d is 0, without a sign", v, i, f)
				require.Zero(t, clamped)
			}
		}
	}
}

func TestAValueJustBelowZeroIsZeroAndNotAStepBelow(t *testing.T) {
	for v, want := range map[float64]float64{
		-0.00001: 0, -0.0000999: 0, 0.00009: 0,
		-0.0001: -1.0 / 128, -0.00012: -1.0 / 128, -0.001: -1.0 / 128,
		-1.0 / 128: -1.0 / 128, -0.0078126: -2.0 / 128,
	} {
		got, _ := afterFixed(t, v, 13, 7, false)
		require.Equal(t, want, got, "%v", v)
	}
}

func TestFineStepsBelowZeroAreNotTakenForZero(t *testing.T) {
	step := math.Ldexp(1, -16)
	for v, want := range map[float64]float64{
		-step: -step, -2 * step: -2 * step, step: step, // all of them below 0.0001
		-step / 2: 0, -1.5 * step: -2 * step,
	} {
		got, _ := afterFixed(t, v, 8, 16, false)
		require.Equal(t, want, got, "%v", v)
	}
}

func TestWhatIsOutsideAFixedPointRangeIsClampedAndCounted(t *testing.T) {
	const last = 1.0 / 512
	for _, row := range []struct {
		v       float64
		signed  float64 // as fixed 13.9
		counted int
	}{
		{-4096, -4096, 0},
		{-4096.0001, -4096, 1},
		{math.Nextafter(-4096, -5000), -4096, 1},
		{-math.MaxFloat64, -4096, 1},
		{math.Nextafter(4096, 0), 4096 - last, 0},
		{4096, 4096 - last, 1},
		{1e300, 4096 - last, 1},
		{math.MaxFloat64, 4096 - last, 1},
	} {
		got, counted := afterFixed(t, row.v, 13, 9, false)
		require.Equal(t, row.signed, got, "%v", row.v)
		require.Equal(t, row.counted, counted, "%v", row.v)
	}
	for _, row := range []struct {
		v        float64
		unsigned float64 // as ufixed 4.9
		counted  int
	}{
		{-0.01, 0, 1},
		{-math.MaxFloat64, 0, 1},
		{math.Nextafter(16, 0), 16 - last, 0},
		{16, 16 - last, 1},
		{math.MaxFloat64, 16 - last, 1},
	} {
		got, counted := afterFixed(t, row.v, 4, 9, true)
		require.Equal(t, row.unsigned, got, "%v", row.v)
		require.Equal(t, row.counted, counted, "%v", row.v)
	}
}

func TestEachPartOfAVectorThatIsClampedCounts(t *testing.T) {
	w := NewBitWriter(nil)
	w.Vec3(100, 0, -100, 4, 4)
	w.Unorm(2, 4)
	w.Unorm(-1, 4)
	w.Snorm(2, 4)
	w.Snorm(1, 4)
	require.NoError(t, w.Err())
	require.Equal(t, 5, w.Clamped())

	w.Reset()
	require.Zero(t, w.Clamped())
}
