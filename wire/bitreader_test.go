package wire

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBitsThatAreNoValueAreRefused(t *testing.T) {
	for name, row := range map[string]struct {
		write func(w *BitWriter)
		read  func(r *BitReader) any
		err   error
	}{
		"an enum value after the last":             {func(w *BitWriter) { w.Bits(3, 2) }, func(r *BitReader) any { return r.Enum(3) }, ErrEnum},
		"an enum without values":                   {func(w *BitWriter) {}, func(r *BitReader) any { return r.Enum(0) }, ErrEnum},
		"a list above its max":                     {func(w *BitWriter) { w.Bits(6, 3) }, func(r *BitReader) any { return r.Count(5, 1) }, ErrLimit},
		"a list of which the items are missing":    {func(w *BitWriter) { w.Bits(5, 3) }, func(r *BitReader) any { return r.Count(5, 6) }, ErrShort},
		"a list of nothings":                       {func(w *BitWriter) { w.Bits(200, 8) }, func(r *BitReader) any { return r.Count(255, 0) }, ErrShort},
		"a huge list":                              {func(w *BitWriter) { w.Bits(math.MaxInt32, 31) }, func(r *BitReader) any { return r.Count(math.MaxInt32, math.MaxInt) }, ErrShort},
		"a max below nothing":                      {func(w *BitWriter) {}, func(r *BitReader) any { return r.Count(-1, 1) }, ErrLimit},
		"bytes above their max":                    {func(w *BitWriter) { w.Bits(6, 3) }, func(r *BitReader) any { return len(r.Blob(5)) }, ErrLimit},
		"bytes that are missing":                   {func(w *BitWriter) { w.Bits(5, 3) }, func(r *BitReader) any { return len(r.Blob(5)) }, ErrShort},
		"bytes behind padding that is not zero":    {func(w *BitWriter) { w.Bits(0b1001, 8); w.Uint8(1) }, func(r *BitReader) any { return len(r.Blob(5)) }, ErrPadding},
		"a string above its max":                   {func(w *BitWriter) { w.Text("abc", 3, 8) }, func(r *BitReader) any { return len(r.Text(2, 8)) }, ErrLimit},
		"a string that is missing":                 {func(w *BitWriter) { w.Bits(2<<1, 9) }, func(r *BitReader) any { return len(r.Text(200, 8)) }, ErrShort},
		"a string that is not UTF-8":               {func(w *BitWriter) { w.Bits(0, 9); w.Raw([]byte{0x80}) }, func(r *BitReader) any { return len(r.Text(200, 8)) }, ErrText},
		"a string behind padding that is not zero": {func(w *BitWriter) { w.Bits(1<<9, 16); w.Uint8('a') }, func(r *BitReader) any { return len(r.Text(200, 8)) }, ErrPadding},
		"a float32 that is infinite":               {func(w *BitWriter) { w.Uint32(0xFF800000) }, func(r *BitReader) any { return r.Float32() }, ErrNotFinite},
		"a float32 that is not a number":           {func(w *BitWriter) { w.Uint32(0x7F800001) }, func(r *BitReader) any { return r.Float32() }, ErrNotFinite},
		"a float64 that is infinite":               {func(w *BitWriter) { w.Uint64(0x7FF << 52) }, func(r *BitReader) any { return r.Float64() }, ErrNotFinite},
		"a float64 that is not a number":           {func(w *BitWriter) { w.Uint64(math.MaxUint64) }, func(r *BitReader) any { return r.Float64() }, ErrNotFinite},
		"33 bits":                                  {func(w *BitWriter) {}, func(r *BitReader) any { return r.Bits(33) }, ErrWidth},
		"less than no bits":                        {func(w *BitWriter) {}, func(r *BitReader) any { return r.Bits(-5) }, ErrWidth},
		"an integer of no bits":                    {func(w *BitWriter) {}, func(r *BitReader) any { return r.Int(0) }, ErrWidth},
		"a sign without a size":                    {func(w *BitWriter) {}, func(r *BitReader) any { return r.Snorm(1) }, ErrWidth},
		"fixed with less than no fraction":         {func(w *BitWriter) {}, func(r *BitReader) any { return r.Fixed(2, -1000) }, ErrWidth},
		"a vector of fixed 33.0":                   {func(w *BitWriter) {}, func(r *BitReader) any { x, _, _ := r.Vec3(33, 0); return x }, ErrWidth},
		"an angle of -9 bits":                      {func(w *BitWriter) {}, func(r *BitReader) any { return r.Degrees(-9) }, ErrWidth},
		"a quaternion of 1 bit":                    {func(w *BitWriter) {}, func(r *BitReader) any { x, _, _, _ := r.Quat(1); return x }, ErrWidth},
		"a string's length of -3 bits":             {func(w *BitWriter) {}, func(r *BitReader) any { return len(r.Text(1, -3)) }, ErrWidth},
		"less than no bytes":                       {func(w *BitWriter) {}, func(r *BitReader) any { return len(r.Raw(-1)) }, ErrShort},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewBitWriter(nil)
			w.Bits(1, 8)
			row.write(&w)
			require.NoError(t, w.Err())

			r := NewBitReader(w.Bytes())
			require.Equal(t, uint8(1), r.Uint8())
			require.Zero(t, row.read(&r))
			require.ErrorIs(t, r.Err(), row.err)
			require.Equal(t, 8, r.Offset(), "where the value begins")
			require.Zero(t, r.Len())
		})
	}
}

func TestItemsOfOneBitMayTakeAllThatIsLeft(t *testing.T) {
	r := NewBitReader([]byte{12, 0xFF}) // 4 bits of 12, and the 12
	require.Equal(t, 12, r.Count(15, 1))
	r = NewBitReader([]byte{13, 0xFF})
	require.Zero(t, r.Count(15, 1))
	require.ErrorIs(t, r.Err(), ErrShort)
}

func TestAFailedBitReaderGivesNothingAnyMore(t *testing.T) {
	first := errors.New("first")
	r := NewBitReader(junkBuffer(64, 64))
	r.Uint8()
	r.Fail(first)
	r.Fail(errors.New("second"))

	require.Zero(t, [...]uint32{r.Bits(5), r.Uint(5), r.Uint32(), uint32(r.Uint16()), uint32(r.Uint8())})
	require.Zero(t, [...]int32{r.Int(5), r.Int32(), int32(r.Int16()), int32(r.Int8())})
	require.Zero(t, [...]int{r.Count(255, 1), r.Enum(200), r.Len(), r.Unread(), int(r.Int64())})
	require.Zero(t, [...]float64{float64(r.Float32()), r.Float64(), r.UFixed(8, 8), r.Fixed(8, 8), r.Unorm(9), r.Snorm(9), r.Degrees(9), r.Radians(9)})
	x, y, z := r.Vec3(8, 8)
	require.Zero(t, [...]float64{x, y, z})
	x, y, z = r.Unit(9)
	require.Zero(t, [...]float64{x, y, z})
	x, y, z = r.YawUnit(9)
	require.Zero(t, [...]float64{x, y, z})
	x, y, z = r.YawVec(9)
	require.Zero(t, [...]float64{x, y, z})
	x, y, z, w := r.Quat(9)
	require.Zero(t, [...]float64{x, y, z, w})
	x, y, z, w = r.YawQuat(9, 9)
	require.Zero(t, [...]float64{x, y, z, w})
	red, green, blue, alpha := r.RGBA()
	require.Zero(t, [...]uint8{red, green, blue, alpha})
	require.Zero(t, r.GUID())
	require.False(t, r.Bool())
	require.Nil(t, r.Text(9, 9))
	require.Nil(t, r.Blob(9))
	require.Nil(t, r.Raw(0))
	require.Nil(t, r.Rest())
	r.Align()

	require.Equal(t, first, r.Err())
	require.Equal(t, 8, r.Offset())
}

func TestPaddingHasToBeZero(t *testing.T) {
	for n := 1; n < 8; n++ {
		for set := n; set < 8; set++ {
			r := NewBitReader([]byte{1 << set, 0xFF})
			r.Bits(n)
			r.Align()
			require.ErrorIs(t, r.Err(), ErrPadding)
			require.Equal(t, n, r.Offset())
		}
		r := NewBitReader([]byte{1<<n - 1, 0xFF})
		r.Bits(n)
		r.Align()
		r.Align()
		require.NoError(t, r.Err())
		require.Equal(t, uint8(0xFF), r.Uint8())
	}
}

func TestEveryBitThatIsLeftUnreadIsSeen(t *testing.T) {
	const size = 7
	for read := range 8*size + 1 {
		for set := range 8 * size {
			b := make([]byte, size)
			b[set/8] = 1 << (set % 8)
			r := NewBitReader(b)
			r.Bits(read / 2)
			r.Bits(read - read/2)
			unread := r.Unread()

			border := (read + 7) / 8
			if set >= read && set < 8*border {
				require.ErrorIs(t, r.Err(), ErrPadding)
				require.Zero(t, unread)
				continue
			}
			require.NoError(t, r.Err())
			require.Equal(t, size-border, unread)
			require.Equal(t, read, r.Offset(), "it only looks")
		}
	}
}

func TestBytesBehindBitsHaveAReaderOfTheirOwn(t *testing.T) {
	w := NewBitWriter(nil)
	w.Bits(5, 3)
	w.Align()
	old := AppendUint16(w.Bytes(), 0x0102)
	old = AppendInt32(old, -5)

	r := NewBitReader(old)
	require.Equal(t, uint32(5), r.Bits(3))
	rest := NewReader(r.Rest())
	require.Equal(t, uint16(0x0102), rest.Uint16())
	require.Equal(t, int32(-5), rest.Int32())
	require.NoError(t, rest.Err())
	require.Zero(t, r.Len())
	require.NoError(t, r.Err())

	r = NewBitReader(old)
	r.Bits(3)
	r.Align()
	offset := NewReader(r.Source()[r.Offset()/8:])
	require.Equal(t, uint16(0x0102), offset.Uint16())
}

func TestTheRestOfBitsIsRefusedBehindPaddingThatIsNotZero(t *testing.T) {
	r := NewBitReader([]byte{0xFF, 1, 2})
	r.Bits(3)
	require.Nil(t, r.Rest())
	require.ErrorIs(t, r.Err(), ErrPadding)
}

func TestTheSourceStaysWholeForARelay(t *testing.T) {
	b := []byte{1, 2, 3, 4}
	bits, whole := NewBitReader(b), NewReader(b)
	bits.Bits(13)
	whole.Uint16()
	require.Same(t, &b[0], &bits.Source()[0])
	require.Same(t, &b[0], &whole.Source()[0])
	bits.Uint32()
	whole.Uint32()
	require.Error(t, bits.Err())
	require.Error(t, whole.Err())
	require.Equal(t, b, bits.Source())
	require.Equal(t, b, whole.Source())
	require.Equal(t, 13, bits.Offset(), "in bits")
	require.Equal(t, 2, whole.Offset())
}

func TestViewsOfBitsHaveNoRoomBehind(t *testing.T) {
	w := NewBitWriter(nil)
	w.Text("ok", 9, 4)
	w.Blob([]byte("ab"), 9)
	w.Raw([]byte("raw"))
	b := append([]byte(nil), w.Bytes()...)
	r := NewBitReader(b)
	text, blob, raw := r.Text(9, 4), r.Blob(9), r.Raw(3)
	require.Equal(t, []string{"ok", "ab", "raw"}, []string{string(text), string(blob), string(raw)})
	_ = append(text, '!')
	_ = append(blob, '!')
	_ = append(raw, '!')
	require.Equal(t, w.Bytes(), b)
	require.Same(t, &b[1], &text[0])
}

func TestTheZeroBitReaderReadsNoBits(t *testing.T) {
	var r BitReader
	require.Zero(t, r.Bits(0))
	require.Zero(t, r.Unread())
	require.NoError(t, r.Err())
	require.False(t, r.Bool())
	require.ErrorIs(t, r.Err(), ErrShort)
}

func TestReadingBitsAllocatesNothing(t *testing.T) {
	w := NewBitWriter(nil)
	for _, g := range bitGoldens[:20] {
		g.write(&w)
	}
	w.Align()
	w.Text("text", 9, 4)
	w.Vec3(1, 2, 3, 13, 9)
	w.Quat(0.5, 0.5, 0.5, 0.5, 9)
	w.YawVec(1, 0, 1, 16)
	require.NoError(t, w.Err())
	b := w.Bytes()
	start := w.Offset() - (16 + 32) - 29 - 66 - 8*len("text") - 8

	require.Zero(t, testing.AllocsPerRun(100, func() {
		r := NewBitReader(b)
		for r.Offset() < start {
			r.Bits(8)
		}
		if string(r.Text(9, 4)) != "text" {
			panic("it has to be there")
		}
		r.Vec3(13, 9)
		r.Quat(9)
		r.YawVec(16)
		if r.Unread() != 0 || r.Err() != nil {
			panic(r.Err())
		}
	}))
}
