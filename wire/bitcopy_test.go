package wire

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// bitOp is a kind of value that a script can name.
type bitOp int

const (
	opBits bitOp = iota
	opBool
	opUint8
	opUint16
	opUint32
	opUint64
	opInt8
	opInt16
	opInt32
	opInt64
	opFloat32
	opFloat64
	opUint
	opInt
	opUFixed
	opFixed
	opUnorm
	opSnorm
	opDegrees
	opRadians
	opVec3
	opUnit
	opQuat
	opYawQuat
	opYawUnit
	opYawVec
	opRGB
	opRGBA
	opGUID
	opAlign
	opRaw
	opText
	opBlob
	opList
	opEnum
	bitOps
)

// copyBits reads one value and writes it again. a and b are its widths or limits. With single, floats go through a float32 in between.
func copyBits(op bitOp, a, b int, single bool, r *BitReader, w *BitWriter) {
	if op >= opRGB {
		copyWhole(op, a, b, r, w)
		return
	}
	switch op {
	case opBits:
		w.Bits(r.Bits(a), a)
	case opBool:
		w.Bool(r.Bool())
	case opUint8:
		w.Uint8(r.Uint8())
	case opUint16:
		w.Uint16(r.Uint16())
	case opUint32:
		w.Uint32(r.Uint32())
	case opUint64:
		w.Uint64(r.Uint64())
	case opInt8:
		w.Int8(r.Int8())
	case opInt16:
		w.Int16(r.Int16())
	case opInt32:
		w.Int32(r.Int32())
	case opInt64:
		w.Int64(r.Int64())
	case opFloat32:
		w.Float32(r.Float32())
	case opFloat64:
		w.Float64(r.Float64())
	case opUint:
		w.Uint(r.Uint(a), a)
	case opInt:
		w.Int(r.Int(a), a)
	default:
		copyQuantized(op, a, b, single, r, w)
	}
}

// copyQuantized does what copyBits does, for numbers that are changed on the way.
func copyQuantized(op bitOp, a, b int, single bool, r *BitReader, w *BitWriter) {
	var x, y, z, q float64
	switch op {
	case opUFixed:
		w.UFixed(through(r.UFixed(a, b), single), a, b)
	case opFixed:
		w.Fixed(through(r.Fixed(a, b), single), a, b)
	case opUnorm:
		w.Unorm(through(r.Unorm(a), single), a)
	case opSnorm:
		w.Snorm(through(r.Snorm(a), single), a)
	case opDegrees:
		w.Degrees(through(r.Degrees(a), single), a)
	case opRadians:
		w.Radians(through(r.Radians(a), single), a)
	case opVec3:
		x, y, z = r.Vec3(a, b)
		w.Vec3(through(x, single), through(y, single), through(z, single), a, b)
	case opUnit:
		x, y, z = r.Unit(a)
		w.Unit(through(x, single), through(y, single), through(z, single), a)
	case opQuat:
		x, y, z, q = r.Quat(a)
		w.Quat(through(x, single), through(y, single), through(z, single), through(q, single), a)
	case opYawQuat:
		x, y, z, q = r.YawQuat(b, a)
		w.YawQuat(through(x, single), through(y, single), through(z, single), through(q, single), b, a)
	case opYawUnit:
		x, y, z = r.YawUnit(a)
		w.YawUnit(through(x, single), through(y, single), through(z, single), a)
	case opYawVec:
		x, y, z = r.YawVec(a)
		w.YawVec(through(x, single), through(y, single), through(z, single), a)
	}
}

// copyWhole does what copyBits does, for values of many parts.
func copyWhole(op bitOp, a, b int, r *BitReader, w *BitWriter) {
	switch op {
	case opRGB:
		w.RGB(r.RGB())
	case opRGBA:
		w.RGBA(r.RGBA())
	case opGUID:
		w.GUID(r.GUID())
	case opAlign:
		r.Align()
		w.Align()
	case opRaw:
		w.Raw(r.Raw(a))
	case opText:
		var kept [64]byte
		n := copy(kept[:], r.Text(min(a, len(kept)), b))
		w.Text(string(kept[:n]), len(kept), b)
	case opBlob:
		w.Blob(r.Blob(a), a)
	case opList:
		n := r.Count(a, b)
		w.Count(n, a)
		for range n {
			w.Bits(r.Bits(b), b)
		}
	case opEnum:
		w.Enum(r.Enum(a), a)
	}
}

// through returns v as a float32 holds it, if single.
func through(v float64, single bool) float64 {
	if single {
		return float64(float32(v))
	}
	return v
}

// requireSameBits copies one value of n bits, of b, and reports whether it is one. If it is, the copy is the same bits.
func requireSameBits(t *testing.T, op bitOp, widthA, widthB int, single bool, b []byte, n int) bool {
	t.Helper()
	r, w := NewBitReader(b), NewBitWriter(make([]byte, 0, 64))
	copyBits(op, widthA, widthB, single, &r, &w)
	if r.Err() != nil {
		if r.Offset() != 0 {
			require.FailNow(t, "it did not fail before the value", "kind %d, % X", op, b)
		}
		return false
	}
	if n >= 0 && r.Offset() != n || w.Err() != nil || w.Clamped() != 0 || !sameBits(b, w.Bytes(), r.Offset()) || w.Offset() != r.Offset() {
		require.NoError(t, w.Err(), "% X", b)
		require.FailNow(t, "another encoding", "kind %d, widths %d and %d, float32 %v: % X became % X", op, widthA, widthB, single, b, w.Bytes())
	}
	return true
}

// sameBits reports whether the first n bits of two streams are equal.
func sameBits(a, b []byte, n int) bool {
	whole := n / 8
	if len(a) < (n+7)/8 || len(b) < (n+7)/8 || !bytes.Equal(a[:whole], b[:whole]) {
		return false
	}
	return n%8 == 0 || (a[whole]^b[whole])<<(8-n%8) == 0
}

// everyPattern copies all values of n bits, and returns how many of the patterns are values.
func everyPattern(t *testing.T, op bitOp, widthA, widthB, n int) (values int) {
	t.Helper()
	var b [8]byte
	for pattern := range uint64(1) << n {
		binary.LittleEndian.PutUint64(b[:], pattern)
		double := requireSameBits(t, op, widthA, widthB, false, b[:], n)
		single := requireSameBits(t, op, widthA, widthB, true, b[:], n)
		if double != single {
			require.FailNow(t, "read once of two times", "kind %d, %X", op, pattern)
		}
		if double {
			values++
		}
	}
	return values
}

func TestEveryPatternOfAFixedPointValueIsOneThatIsWrittenAgain(t *testing.T) {
	for n := 1; n <= 14; n++ {
		for i := 0; i <= n; i += max(1, n/4) {
			require.Equal(t, 1<<n, everyPattern(t, opUFixed, i, n-i, n))
			if i > 0 {
				require.Equal(t, 1<<n, everyPattern(t, opFixed, i, n-i, n))
			}
		}
	}
}

func TestEveryPatternOfAShareIsOneThatIsWrittenAgain(t *testing.T) {
	for n := 1; n <= 14; n++ {
		require.Equal(t, 1<<n, everyPattern(t, opUnorm, n, 0, n))
	}
}

func TestEveryPatternOfASignedShareButZeroWithASignIsOneThatIsWrittenAgain(t *testing.T) {
	for n := 2; n <= 14; n++ {
		require.Equal(t, 1<<n-1, everyPattern(t, opSnorm, n, 0, n))
	}
}

func TestEveryPatternOfAnAngleIsOneThatIsWrittenAgain(t *testing.T) {
	for n := 1; n <= 13; n++ {
		for _, op := range []bitOp{opDegrees, opRadians, opYawUnit} {
			require.Equal(t, 1<<n, everyPattern(t, op, n, 0, n))
		}
	}
}

func TestEveryPatternOfAnIntegerIsOneThatIsWrittenAgain(t *testing.T) {
	for n := 1; n <= 12; n++ {
		require.Equal(t, 1<<n, everyPattern(t, opUint, n, 0, n))
		require.Equal(t, 1<<n, everyPattern(t, opInt, n, 0, n))
	}
}

func TestEveryPatternOfASmallRotationIsRefusedOrWrittenAgain(t *testing.T) {
	for n := 2; n <= 5; n++ {
		values := everyPattern(t, opQuat, n, 0, 2+3*n)
		require.GreaterOrEqual(t, values, 1<<(3*n)/4)
		require.Less(t, values, 1<<(2+3*n))

		values = everyPattern(t, opUnit, n, 0, 3+2*n)
		require.GreaterOrEqual(t, values, 1<<(2*n))
		require.Less(t, values, 3<<(1+2*n), "no value has index 3")
	}
}

func TestEveryPatternOfASmallTurnOrRotationIsRefusedOrWrittenAgain(t *testing.T) {
	for _, yaw := range []int{1, 5, 8} {
		var b [8]byte
		var turns, rotations int
		for pattern := range uint64(1) << 15 {
			binary.LittleEndian.PutUint64(b[:], pattern)
			ok := requireSameBits(t, opYawQuat, 4, yaw, true, b[:], -1)
			if ok != requireSameBits(t, opYawQuat, 4, yaw, false, b[:], -1) {
				require.FailNow(t, "read once of two times", "%X", pattern)
			}
			switch {
			case ok && pattern&1 != 0:
				turns++
			case ok:
				rotations++
			}
		}
		require.Equal(t, 1<<14, turns, "each angle is one")
		require.NotZero(t, rotations)
	}
}

// widest are the widest forms of values whose floats may be kept in a float32, and in a float64.
var widest = []struct {
	op             bitOp
	low            int // the least width
	single, double int // the widest
}{
	{opUnorm, 1, 24, 32},
	{opSnorm, 2, 24, 32},
	{opDegrees, 1, 22, 32},
	{opRadians, 1, 22, 32},
	{opYawUnit, 1, 22, 32},
	{opYawVec, 1, 22, 32},
	{opUnit, 2, 20, 32},
	{opQuat, 2, 20, 32},
	{opYawQuat, 2, 20, 32},
}

func TestWhatIsReadIsWrittenAsTheSameBitsAtAllWidths(t *testing.T) {
	rng := newRandom(1)
	for _, k := range widest {
		for n := k.low; n <= k.double; n++ {
			values := 0
			for range 2000 {
				b := randomBits(rng)
				if requireSameBits(t, k.op, n, min(n, k.single, 22), false, b, -1) {
					values++
				}
				if n <= k.single {
					requireSameBits(t, k.op, n, min(n, 22), true, b, -1)
				}
			}
			require.NotZero(t, values, "kind %d of %d bits", k.op, n)
		}
	}
}

func TestFixedPointValuesOfAllWidthsAreWrittenAsTheSameBits(t *testing.T) {
	rng := newRandom(2)
	for i := range 33 {
		for f := range 33 {
			n := i + f
			if n < 1 || n > maxFixed {
				continue
			}
			for range 40 {
				b := randomBits(rng)
				require.True(t, requireSameBits(t, opUFixed, i, f, false, b, n))
				require.True(t, n > 24 || requireSameBits(t, opUFixed, i, f, true, b, n))
				require.True(t, i < 1 || requireSameBits(t, opFixed, i, f, false, b, n))
				require.True(t, i < 1 || n > 24 || requireSameBits(t, opFixed, i, f, true, b, n))
				require.True(t, i < 1 || requireSameBits(t, opVec3, i, f, false, b, 3*n))
			}
		}
	}
}
