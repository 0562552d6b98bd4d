package wire

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// refusal is a value that no writer writes.
type refusal struct {
	write func(w *BitWriter)
	err   error
}

var (
	nan      = math.NaN()
	infinity = math.Inf(1)
)

// refusals have one of all kinds.
var refusals = map[string]refusal{
	"an unsigned integer above its bits":    {func(w *BitWriter) { w.Uint(8, 3) }, ErrRange},
	"a signed integer above its bits":       {func(w *BitWriter) { w.Int(4, 3) }, ErrRange},
	"a signed integer below its bits":       {func(w *BitWriter) { w.Int(-5, 3) }, ErrRange},
	"an enum value after the last":          {func(w *BitWriter) { w.Enum(3, 3) }, ErrEnum},
	"an enum value before the first":        {func(w *BitWriter) { w.Enum(-1, 3) }, ErrEnum},
	"an enum without values":                {func(w *BitWriter) { w.Enum(0, 0) }, ErrEnum},
	"a list above its max":                  {func(w *BitWriter) { w.Count(6, 5) }, ErrLimit},
	"a list above its max, of no more bits": {func(w *BitWriter) { w.Count(7, 5) }, ErrLimit},
	"a list of less than nothing":           {func(w *BitWriter) { w.Count(-1, 5) }, ErrLimit},
	"bytes above their max":                 {func(w *BitWriter) { w.Blob(make([]byte, 256), 255) }, ErrLimit},
	"a string above its max":                {func(w *BitWriter) { w.Text("abc", 2, 11) }, ErrLimit},
	"a string above its length's bits":      {func(w *BitWriter) { w.Text("abcde", 100, 2) }, ErrLimit},
	"a string that is not UTF-8":            {func(w *BitWriter) { w.Text("a\xFF", 100, 11) }, ErrText},
	"a float32 that is not a number":        {func(w *BitWriter) { w.Float32(float32(nan)) }, ErrNotFinite},
	"a float32 that is infinite":            {func(w *BitWriter) { w.Float32(float32(-infinity)) }, ErrNotFinite},
	"a float64 that is not a number":        {func(w *BitWriter) { w.Float64(nan) }, ErrNotFinite},
	"a float64 that is infinite":            {func(w *BitWriter) { w.Float64(infinity) }, ErrNotFinite},
	"ufixed":                                {func(w *BitWriter) { w.UFixed(nan, 8, 8) }, ErrNotFinite},
	"ufixed, infinite":                      {func(w *BitWriter) { w.UFixed(infinity, 8, 8) }, ErrNotFinite},
	"fixed":                                 {func(w *BitWriter) { w.Fixed(nan, 8, 8) }, ErrNotFinite},
	"fixed, infinite":                       {func(w *BitWriter) { w.Fixed(-infinity, 8, 8) }, ErrNotFinite},
	"unorm":                                 {func(w *BitWriter) { w.Unorm(nan, 8) }, ErrNotFinite},
	"snorm":                                 {func(w *BitWriter) { w.Snorm(nan, 8) }, ErrNotFinite},
	"degrees":                               {func(w *BitWriter) { w.Degrees(nan, 8) }, ErrNotFinite},
	"degrees, infinite":                     {func(w *BitWriter) { w.Degrees(infinity, 8) }, ErrNotFinite},
	"radians":                               {func(w *BitWriter) { w.Radians(nan, 8) }, ErrNotFinite},
	"the last part of a vector":             {func(w *BitWriter) { w.Vec3(1, 2, nan, 8, 8) }, ErrNotFinite},
	"the last part of a unit vector":        {func(w *BitWriter) { w.Unit(1, 0, nan, 9) }, ErrNotFinite},
	"the first part of a quaternion":        {func(w *BitWriter) { w.Quat(nan, 0, 0, 1, 9) }, ErrNotFinite},
	"the last part of a quaternion":         {func(w *BitWriter) { w.YawQuat(0, 1, 0, infinity, 9, 9) }, ErrNotFinite},
	"a part out of the plane":               {func(w *BitWriter) { w.YawUnit(1, nan, 0, 9) }, ErrNotFinite},
	"a part in the plane":                   {func(w *BitWriter) { w.YawVec(1, 0, nan, 9) }, ErrNotFinite},
	"no rotation":                           {func(w *BitWriter) { w.Quat(0, 0, 0, 0, 9) }, ErrRotation},

	"33 bits":                  {func(w *BitWriter) { w.Bits(0, 33) }, ErrWidth},
	"less than no bits":        {func(w *BitWriter) { w.Bits(0, -1) }, ErrWidth},
	"an integer of no bits":    {func(w *BitWriter) { w.Uint(0, 0) }, ErrWidth},
	"a sign without a size":    {func(w *BitWriter) { w.Snorm(0, 1) }, ErrWidth},
	"fixed without a whole":    {func(w *BitWriter) { w.Fixed(0, 0, 8) }, ErrWidth},
	"fixed of 54 bits":         {func(w *BitWriter) { w.Fixed(0, 32, 22) }, ErrWidth},
	"fixed with a fraction -1": {func(w *BitWriter) { w.Vec3(0, 0, 0, 8, -1) }, ErrWidth},
	"ufixed of no bits":        {func(w *BitWriter) { w.UFixed(0, 0, 0) }, ErrWidth},
	"unorm of no bits":         {func(w *BitWriter) { w.Unorm(0, 0) }, ErrWidth},
	"an angle of no bits":      {func(w *BitWriter) { w.YawQuat(0, 0, 0, 1, 0, 9) }, ErrWidth},
	"a quaternion of 33 bits":  {func(w *BitWriter) { w.Quat(0, 0, 0, 1, 33) }, ErrWidth},
	"a string's length of 17":  {func(w *BitWriter) { w.Text("", 1, 17) }, ErrWidth},
	"a string's length of 0":   {func(w *BitWriter) { w.Text("", 1, 0) }, ErrWidth},
}

func TestWhatCannotBeWrittenFailsBeforeItsFirstBit(t *testing.T) {
	for name, row := range refusals {
		t.Run(name, func(t *testing.T) {
			w := NewBitWriter(nil)
			w.Bits(0b101, 3)
			row.write(&w)

			require.ErrorIs(t, w.Err(), row.err)
			require.Equal(t, 3, w.Offset())
			require.Equal(t, 1, w.Len())
			require.Equal(t, []byte{0b101}, w.Bytes())
			require.Zero(t, w.Clamped())
		})
	}
}

func TestAFailedBitWriterWritesNothingAnyMore(t *testing.T) {
	for name, row := range refusals {
		w := NewBitWriter(nil)
		w.Bits(0b101, 3)
		first := errors.New("first")
		w.Fail(first)
		w.Fail(errors.New("second"))
		row.write(&w)
		for _, g := range bitGoldens {
			g.write(&w)
		}
		require.Equal(t, first, w.Err(), name)
		require.Equal(t, 3, w.Offset(), name)
	}
}

func TestFailingWithNoErrorIsNotFailing(t *testing.T) {
	w, r := NewBitWriter(nil), NewBitReader([]byte{1})
	bw, br := NewWriter(nil), NewReader([]byte{1})
	w.Fail(nil)
	r.Fail(nil)
	bw.Fail(nil)
	br.Fail(nil)
	require.True(t, w.Err() == nil && r.Err() == nil && bw.Err() == nil && br.Err() == nil)
	require.True(t, r.Bool() && br.Bool())
}

func TestResetStartsAfterWhatWasThereBefore(t *testing.T) {
	w := NewBitWriter([]byte("id"))
	w.Uint32(1)
	w.Bits(1, 3)
	w.Fail(ErrLimit)
	w.Reset()
	require.NoError(t, w.Err())
	require.Zero(t, w.Offset())
	w.Uint8('!')
	require.Equal(t, "id!", string(w.Bytes()))
	require.Equal(t, 1, w.Len())
}

func TestTheFirstWriteTakes256Bytes(t *testing.T) {
	var w BitWriter
	require.Empty(t, w.Bytes())
	w.Bits(1, 32)
	require.Equal(t, 256, cap(w.Bytes()))
	var raw BitWriter
	raw.Raw([]byte("raw"))
	require.Equal(t, 256, cap(raw.Bytes()))

	var bw Writer
	require.Empty(t, bw.Bytes())
	bw.Uint8(1)
	require.Equal(t, 256, cap(bw.Bytes()))
}

func TestWritersGrowWithWhatIsWritten(t *testing.T) {
	var w BitWriter
	var bw Writer
	var want []byte
	for k := range 3000 {
		w.Uint8(byte(k))
		bw.Uint8(byte(k))
		want = append(want, byte(k))
	}
	require.Equal(t, want, w.Bytes())
	require.Equal(t, want, bw.Bytes())
	require.LessOrEqual(t, cap(w.Bytes()), 3*len(want))
	require.LessOrEqual(t, cap(bw.Bytes()), 3*len(want))
}

func TestBytesMayBeLookedAtBetweenWrites(t *testing.T) {
	var w BitWriter
	w.Bits(0b11, 2)
	require.Equal(t, []byte{0b11}, w.Bytes())
	w.Bits(0b101, 3)
	require.Equal(t, []byte{0b10111}, w.Bytes())
	w.Uint32(math.MaxUint32)
	require.Equal(t, []byte{0xF7, 0xFF, 0xFF, 0xFF, 0x1F}, w.Bytes())
}

func TestWritingBitsIntoRoomAllocatesNothing(t *testing.T) {
	b := make([]byte, 0, 300)
	text, blob := strings.Repeat("é", 20), bytes.Repeat([]byte{1}, 50)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		w := NewBitWriter(b)
		w.Bits(5, 3)
		w.Uint64(1)
		w.Vec3(1, 2, 3, 13, 9)
		w.Quat(0.5, 0.5, 0.5, 0.5, 9)
		w.YawQuat(0, 0, 0, 1, 9, 9)
		w.YawVec(1, 0, 1, 16)
		w.Text(text, 100, 11)
		w.Blob(blob, 50)
		w.Snorm(0.5, 9)
		w.GUID([16]byte{})
		if w.Err() != nil || &w.Bytes()[0] != &b[:1][0] {
			panic("it has to be written into b")
		}
	}))
}

func TestCountBitsIsTheNumberOfSignificantBits(t *testing.T) {
	for v, want := range map[uint32]int{0: 0, 1: 1, 2: 2, 3: 2, 7: 3, 8: 4, 126: 7, 127: 7, 128: 8, 150: 8, 255: 8, 256: 9, math.MaxUint32: 32} {
		require.Equal(t, want, CountBits(v), "%d", v)
	}
}

func TestListsOfAnySizeUpToTheirMaxKeepTheirCount(t *testing.T) {
	for _, limit := range []int{0, 1, 127, 128, 254, 255, 256, 300, 65535, 65536, math.MaxInt32} {
		for _, n := range []int{0, 1, 126, 127, 128, 254, 255, 256, 299, 300, 65535} {
			w := NewBitWriter(nil)
			w.Count(n, limit)
			if n > limit {
				require.ErrorIs(t, w.Err(), ErrLimit)
				continue
			}
			require.Equal(t, CountBits(uint32(limit)), w.Offset())
			r := NewBitReader(append(w.Bytes(), make([]byte, n)...))
			require.Equal(t, n, r.Count(limit, 8))
			require.NoError(t, r.Err())
		}
	}
}
