package wire

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bitGolden is what one or more writes give: the stream, first bit first, and its bytes.
type bitGolden struct {
	name   string
	write  func(w *BitWriter)
	read   func(r *BitReader) any
	value  any
	stream string // groups of bits; a bar stands between values
	bytes  []byte
}

// two is a pair of values that a golden reads.
type two struct{ a, b any }

var bitGoldens = []bitGolden{
	{"a call on an object: id 17 of 5 bits, method 3 of 8, object 1 of 32, and the byte 42", func(w *BitWriter) {
		w.Bits(17, 5)
		w.Bits(3, 8)
		w.Uint32(1)
		w.Uint8(42)
	}, func(r *BitReader) any {
		return [4]uint32{r.Bits(5), r.Bits(8), r.Uint32(), uint32(r.Uint8())}
	}, [4]uint32{17, 3, 1, 42},
		"10001 | 11000000 | 10000000 00000000 00000000 00000000 | 01010100",
		[]byte{0x71, 0x20, 0x00, 0x00, 0x00, 0x40, 0x05}},
	{"a call on none: id 6 of 4 bits, method 3 of 8", func(w *BitWriter) {
		w.Bits(6, 4)
		w.Bits(3, 8)
	}, func(r *BitReader) any { return two{r.Bits(4), r.Bits(8)} }, two{uint32(6), uint32(3)},
		"0110 | 11000000",
		[]byte{0x36, 0x00}},
	{"3 bits and a string: not empty, length less 1, padding, letters", func(w *BitWriter) {
		w.Bits(0b101, 3)
		w.Text("Hi", 200, 11)
	}, func(r *BitReader) any { return two{r.Bits(3), string(r.Text(200, 11))} }, two{uint32(0b101), "Hi"},
		"101 | 0 | 10000000000 | 0 | 00010010 | 10010110",
		[]byte{0x15, 0x00, 'H', 'i'}},
	{"the empty string", func(w *BitWriter) { w.Text("", 200, 11) }, func(r *BitReader) any { return string(r.Text(200, 11)) }, "",
		"1",
		[]byte{0x01}},
	{"a 64-bit integer, its high half first", func(w *BitWriter) { w.Uint64(0x1122334455667788) }, func(r *BitReader) any { return r.Uint64() },
		uint64(0x1122334455667788),
		"00100010 11001100 01000100 10001000 | 00010001 11101110 01100110 10101010",
		[]byte{0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55}},
	{"90 degrees in 8 bits", func(w *BitWriter) { w.Degrees(90, 8) }, func(r *BitReader) any { return r.Degrees(8) }, 90.0,
		"00000010",
		[]byte{0x40}},
	{"-7.5 as fixed 5.1: 8 and a half, less 16", func(w *BitWriter) { w.Fixed(-7.5, 5, 1) }, func(r *BitReader) any { return r.Fixed(5, 1) }, -7.5,
		"00010 | 1",
		[]byte{0x28}},

	{"bools", func(w *BitWriter) {
		w.Bool(true)
		w.Bool(false)
		w.Bool(true)
	}, func(r *BitReader) any { return [3]bool{r.Bool(), r.Bool(), r.Bool()} }, [3]bool{true, false, true},
		"1 | 0 | 1",
		[]byte{0x05}},
	{"8, 16 and 32 bits with a sign", func(w *BitWriter) {
		w.Int8(-2)
		w.Int16(-2)
		w.Int32(math.MinInt32)
	}, func(r *BitReader) any { return [3]int32{int32(r.Int8()), int32(r.Int16()), r.Int32()} }, [3]int32{-2, -2, math.MinInt32},
		"01111111 | 01111111 11111111 | 00000000 00000000 00000000 00000001",
		[]byte{0xFE, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x80}},
	{"-2 in 64 bits, its high half first", func(w *BitWriter) { w.Int64(-2) }, func(r *BitReader) any { return r.Int64() }, int64(-2),
		"11111111 11111111 11111111 11111111 | 01111111 11111111 11111111 11111111",
		[]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF}},
	{"the least and the greatest of 4 bits with a sign: plus 8", func(w *BitWriter) {
		w.Int(-8, 4)
		w.Int(7, 4)
	}, func(r *BitReader) any { return two{r.Int(4), r.Int(4)} }, two{int32(-8), int32(7)},
		"0000 | 1111",
		[]byte{0xF0}},
	{"-1 in 32 bits with a bias is not two's complement", func(w *BitWriter) { w.Int(-1, 32) }, func(r *BitReader) any { return r.Int(32) }, int32(-1),
		"11111111 11111111 11111111 11111110",
		[]byte{0xFF, 0xFF, 0xFF, 0x7F}},
	{"5 in 3 bits without a sign", func(w *BitWriter) { w.Uint(5, 3) }, func(r *BitReader) any { return r.Uint(3) }, uint32(5),
		"101",
		[]byte{0x05}},
	{"a float32", func(w *BitWriter) { w.Float32(1) }, func(r *BitReader) any { return r.Float32() }, float32(1),
		"00000000 00000000 00000001 11111100",
		[]byte{0x00, 0x00, 0x80, 0x3F}},
	{"a float64, its sign and exponent in the first half", func(w *BitWriter) { w.Float64(-2.5) }, func(r *BitReader) any { return r.Float64() }, -2.5,
		"00000000 00000000 00100000 00000011 | 00000000 00000000 00000000 00000000",
		[]byte{0x00, 0x00, 0x04, 0xC0, 0x00, 0x00, 0x00, 0x00}},
	{"the second of three values in 2 bits", func(w *BitWriter) { w.Enum(1, 3) }, func(r *BitReader) any { return r.Enum(3) }, 1,
		"10",
		[]byte{0x01}},
	{"the only value in no bits", func(w *BitWriter) { w.Enum(0, 1) }, func(r *BitReader) any { return r.Enum(1) }, 0,
		"",
		nil},
	{"two items of at most 8, in 4 bits, and the items", func(w *BitWriter) {
		w.Count(2, 8)
		w.Bits(1, 2)
		w.Bits(3, 2)
	}, func(r *BitReader) any { return [3]int{r.Count(8, 2), int(r.Bits(2)), int(r.Bits(2))} }, [3]int{2, 1, 3},
		"0100 | 10 | 11",
		[]byte{0xD2}},
	{"two bytes of at most 255", func(w *BitWriter) {
		w.Bool(true)
		w.Blob([]byte{0xAB, 0xCD}, 255)
	}, func(r *BitReader) any { return two{r.Bool(), r.Blob(255)} }, two{true, []byte{0xAB, 0xCD}},
		"1 | 01000000 0000000 | 11010101 10110011",
		[]byte{0x05, 0x00, 0xAB, 0xCD}},
	{"no bytes, which are not padded", func(w *BitWriter) {
		w.Blob(nil, 255)
		w.Bool(true)
	}, func(r *BitReader) any { return two{len(r.Blob(255)), r.Bool()} }, two{0, true},
		"00000000 | 1",
		[]byte{0x00, 0x01}},
	{"an aligned byte", func(w *BitWriter) {
		w.Bool(true)
		w.Align()
		w.Uint8(7)
	}, func(r *BitReader) any {
		a := r.Bool()
		r.Align()
		return two{a, r.Uint8()}
	}, two{true, uint8(7)},
		"1 | 0000000 | 11100000",
		[]byte{0x01, 0x07}},
	{"a colour", func(w *BitWriter) { w.RGB(0xFF, 0x80, 0x01) }, func(r *BitReader) any {
		red, green, blue := r.RGB()
		return [3]uint8{red, green, blue}
	}, [3]uint8{0xFF, 0x80, 0x01},
		"11111111 | 00000001 | 10000000",
		[]byte{0xFF, 0x80, 0x01}},
	{"a colour with alpha", func(w *BitWriter) { w.RGBA(1, 2, 3, 4) }, func(r *BitReader) any {
		red, green, blue, alpha := r.RGBA()
		return [4]uint8{red, green, blue, alpha}
	}, [4]uint8{1, 2, 3, 4},
		"10000000 | 01000000 | 11000000 | 00100000",
		[]byte{0x01, 0x02, 0x03, 0x04}},
	{"16 bytes as two integers, the high half of each first", func(w *BitWriter) {
		w.GUID([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	}, func(r *BitReader) any { return r.GUID() }, [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		"00100000 10100000 01100000 11100000 | 00000000 10000000 01000000 11000000 |" +
			"00110000 10110000 01110000 11110000 | 00010000 10010000 01010000 11010000",
		[]byte{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11}},

	{"2.75 as ufixed 4.2", func(w *BitWriter) { w.UFixed(2.75, 4, 2) }, func(r *BitReader) any { return r.UFixed(4, 2) }, 2.75,
		"0100 | 11",
		[]byte{0x32}},
	{"a fraction of ufixed 0.3", func(w *BitWriter) { w.UFixed(0.625, 0, 3) }, func(r *BitReader) any { return r.UFixed(0, 3) }, 0.625,
		"101",
		[]byte{0x05}},
	{"-0.25 as fixed 4.2: floor -1 and three quarters", func(w *BitWriter) { w.Fixed(-0.25, 4, 2) }, func(r *BitReader) any { return r.Fixed(4, 2) }, -0.25,
		"1110 | 11",
		[]byte{0x37}},
	{"a fixed value of 53 bits", func(w *BitWriter) { w.Fixed(-1.0/(1<<21), 32, 21) }, func(r *BitReader) any { return r.Fixed(32, 21) }, -1.0 / (1 << 21),
		"11111111 11111111 11111111 11111110 | 11111111 11111111 11111",
		[]byte{0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0x1F}},
	{"a vector of fixed 3.1", func(w *BitWriter) { w.Vec3(-4, 0, 3.5, 3, 1) }, func(r *BitReader) any {
		x, y, z := r.Vec3(3, 1)
		return [3]float64{x, y, z}
	}, [3]float64{-4, 0, 3.5},
		"000 0 | 001 0 | 111 1",
		[]byte{0x40, 0x0F}},
	{"0.2 in 4 bits from 0 to 1: 3 of 15", func(w *BitWriter) { w.Unorm(0.2, 4) }, func(r *BitReader) any { return r.Unorm(4) }, 0.2,
		"1100",
		[]byte{0x03}},
	{"ends from 0 to 1", func(w *BitWriter) {
		w.Unorm(0, 4)
		w.Unorm(1, 4)
	}, func(r *BitReader) any { return two{r.Unorm(4), r.Unorm(4)} }, two{0.0, 1.0},
		"0000 | 1111",
		[]byte{0xF0}},
	{"-1, 0 and 1 in 4 bits: 7 levels and a sign above them", func(w *BitWriter) {
		w.Snorm(-1, 4)
		w.Snorm(0, 4)
		w.Snorm(1, 4)
	}, func(r *BitReader) any { return [3]float64{r.Snorm(4), r.Snorm(4), r.Snorm(4)} }, [3]float64{-1, 0, 1},
		"111 1 | 000 0 | 111 0",
		[]byte{0x0F, 0x07}},
	{"half a turn in radians", func(w *BitWriter) { w.Radians(math.Pi, 8) }, func(r *BitReader) any { return r.Radians(8) }, math.Pi,
		"00000001",
		[]byte{0x80}},
	{"no rotation: w is the largest, the others are 0", func(w *BitWriter) { w.Quat(0, 0, 0, 1, 9) }, readQuat(9), [4]float64{0, 0, 0, 1},
		"11 | 00000000 0 | 00000000 0 | 00000000 0",
		[]byte{0x03, 0x00, 0x00, 0x00}},
	{"half a turn about X the other way round is the same", func(w *BitWriter) { w.Quat(-1, 0, 0, 0, 9) }, readQuat(9), [4]float64{1, 0, 0, 0},
		"00 | 00000000 0 | 00000000 0 | 00000000 0",
		[]byte{0x00, 0x00, 0x00, 0x00}},
	{"a quarter turn about Y: y is the first of two that are largest, the other is all 255 levels", func(w *BitWriter) {
		w.Quat(0, math.Sqrt2/2, 0, -math.Sqrt2/2, 9)
	}, readQuat(9), [4]float64{0, math.Sqrt2 / 2, 0, -math.Sqrt2 / 2},
		"10 | 00000000 0 | 00000000 0 | 11111111 1",
		[]byte{0x01, 0x00, 0xF0, 0x1F}},
	{"a unit vector down: index 1, negative", func(w *BitWriter) { w.Unit(0, -1, 0, 9) }, readUnit(9), [3]float64{0, -1, 0},
		"10 1 | 00000000 0 | 00000000 0",
		[]byte{0x05, 0x00, 0x00}},
	{"a unit vector between X and -Z: the first is the largest, the other has its own sign", func(w *BitWriter) {
		w.Unit(math.Sqrt2/2, 0, -math.Sqrt2/2, 4)
	}, readUnit(4), [3]float64{math.Sqrt2 / 2, 0, -math.Sqrt2 / 2},
		"00 0 | 000 0 | 111 1",
		[]byte{0x80, 0x07}},
	{"half a turn about Y alone: angle", func(w *BitWriter) { w.YawQuat(0, 1, 0, 0, 9, 9) }, readYawQuat(9, 9), [4]float64{0, 1, 0, 0},
		"1 | 00000000 1",
		[]byte{0x01, 0x02}},
	{"half a turn about X: quaternion", func(w *BitWriter) { w.YawQuat(1, 0, 0, 0, 9, 9) }, readYawQuat(9, 9), [4]float64{1, 0, 0, 0},
		"0 | 00 | 00000000 0 | 00000000 0 | 00000000 0",
		[]byte{0x00, 0x00, 0x00, 0x00}},
	{"a direction along Z, a quarter turn from X", func(w *BitWriter) { w.YawUnit(0, 0, 1, 16) }, func(r *BitReader) any {
		x, y, z := r.YawUnit(16)
		return [3]float64{x, y, z}
	}, [3]float64{0, 0, 1},
		"00000000 00000010",
		[]byte{0x00, 0x40}},
	{"2 along -X, half a turn from X", func(w *BitWriter) { w.YawVec(-2, 0, 0, 16) }, func(r *BitReader) any {
		x, y, z := r.YawVec(16)
		return [3]float64{x, y, z}
	}, [3]float64{-2, 0, 0},
		"00000000 00000001 | 00000000 00000000 00000000 00000010",
		[]byte{0x00, 0x80, 0x00, 0x00, 0x00, 0x40}},
	{"no length has no angle", func(w *BitWriter) { w.YawVec(-1e-40, 0, 1e-40, 2) }, func(r *BitReader) any {
		x, y, z := r.YawVec(2)
		return [3]float64{x, y, z}
	}, [3]float64{0, 0, 0},
		"00 | 00000000 00000000 00000000 00000000",
		[]byte{0x00, 0x00, 0x00, 0x00, 0x00}},
}

func readQuat(n int) func(r *BitReader) any {
	return func(r *BitReader) any {
		x, y, z, w := r.Quat(n)
		return [4]float64{x, y, z, w}
	}
}

func readUnit(n int) func(r *BitReader) any {
	return func(r *BitReader) any {
		x, y, z := r.Unit(n)
		return [3]float64{x, y, z}
	}
}

func readYawQuat(yawBits, quatBits int) func(r *BitReader) any {
	return func(r *BitReader) any {
		x, y, z, w := r.YawQuat(yawBits, quatBits)
		return [4]float64{x, y, z, w}
	}
}

// packed returns the bytes of a stream that is written as zeros and ones.
func packed(stream string) (b []byte, n int) {
	var m modelWriter
	for _, c := range strings.NewReplacer(" ", "", "|", "").Replace(stream) {
		m.bits(uint64(c-'0'), 1)
	}
	return m.b, m.n
}

// requireClose compares a value that was read with what the table says, floats to within their rounding.
func requireClose(t *testing.T, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case float64:
		require.InDelta(t, want, got, 1e-15)
	case [3]float64:
		got := got.([3]float64)
		require.InDeltaSlice(t, want[:], got[:], 1e-15)
	case [4]float64:
		got := got.([4]float64)
		require.InDeltaSlice(t, want[:], got[:], 1e-15)
	default:
		require.Equal(t, want, got)
	}
}

func TestValuesHaveTheBitsOfTheTable(t *testing.T) {
	for _, g := range bitGoldens {
		t.Run(g.name, func(t *testing.T) {
			stream, n := packed(g.stream)
			require.Equal(t, g.bytes, stream, "the row itself")

			w := NewBitWriter(nil)
			g.write(&w)
			require.NoError(t, w.Err())
			require.Equal(t, n, w.Offset())
			require.Equal(t, len(g.bytes), w.Len())
			require.Zero(t, w.Clamped())
			require.Equal(t, g.bytes, append([]byte(nil), w.Bytes()...))
		})
	}
}

func TestBitsOfTheTableReadAsTheirValues(t *testing.T) {
	for _, g := range bitGoldens {
		t.Run(g.name, func(t *testing.T) {
			r := NewBitReader(g.bytes)
			requireClose(t, g.value, g.read(&r))
			require.NoError(t, r.Err())
			require.Zero(t, r.Unread())
			require.NoError(t, r.Err())
		})
	}
}

func TestBitsOfTheTableReadTheSameBehindOthers(t *testing.T) {
	for _, g := range bitGoldens {
		t.Run(g.name, func(t *testing.T) {
			for before := range 64 {
				w := NewBitWriter(nil)
				w.Bits(0xDEADBEEF, before/2)
				w.Bits(0xDEADBEEF, before-before/2)
				g.write(&w)
				require.NoError(t, w.Err())

				r := NewBitReader(w.Bytes())
				r.Bits(before / 2)
				r.Bits(before - before/2)
				requireClose(t, g.value, g.read(&r))
				require.NoError(t, r.Err())
				require.Equal(t, w.Offset(), r.Offset())
			}
		})
	}
}

func TestBitsOfTheTableAreNotReadWithoutTheLastByte(t *testing.T) {
	for _, g := range bitGoldens {
		t.Run(g.name, func(t *testing.T) {
			for n := range g.bytes {
				// The missing bytes stand behind the prefix, where a reader that looks past the end would find them.
				r := NewBitReader(g.bytes[:n])
				g.read(&r)
				require.ErrorIs(t, r.Err(), ErrShort, "first %d of %d bytes", n, len(g.bytes))
				require.Zero(t, r.Len())
				require.Zero(t, r.Unread())
			}
		})
	}
}

func TestBitsOfTheTableTakeTheRoomThatThereIs(t *testing.T) {
	for _, g := range bitGoldens {
		t.Run(g.name, func(t *testing.T) {
			const before = 3
			for behind := range 9 {
				b := junkBuffer(before, before+len(g.bytes)+behind)
				w := NewBitWriter(b)
				g.write(&w)
				require.Same(t, &b[0], &w.Bytes()[0])
				require.Equal(t, append(junkBuffer(before, before), g.bytes...), b[:before+len(g.bytes)])
				require.Equal(t, junkBuffer(behind, behind), b[before+len(g.bytes):cap(b)], "what stands behind")
			}
		})
	}
}
