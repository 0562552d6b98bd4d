package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAValueThatAWriterRefusesWritesNothingOfIt(t *testing.T) {
	for name, row := range map[string]struct {
		write func(w *Writer)
		err   error
	}{
		"a float32 that is not a number":    {func(w *Writer) { w.Float32(float32(math.NaN())) }, ErrNotFinite},
		"a float32 that is infinite":        {func(w *Writer) { w.Float32(float32(math.Inf(-1))) }, ErrNotFinite},
		"a float64 that is not a number":    {func(w *Writer) { w.Float64(math.NaN()) }, ErrNotFinite},
		"a float64 that is infinite":        {func(w *Writer) { w.Float64(math.Inf(1)) }, ErrNotFinite},
		"a string above its max":            {func(w *Writer) { w.Text("abc", 2) }, ErrLimit},
		"a string that is not UTF-8":        {func(w *Writer) { w.Text("a\xFF", 9) }, ErrText},
		"a string that no length can say":   {func(w *Writer) { w.Text(strings.Repeat("a", 65536), 1<<20) }, ErrTooLong},
		"bytes above their max":             {func(w *Writer) { w.Blob(make([]byte, 256), 255) }, ErrLimit},
		"bytes that no length can say":      {func(w *Writer) { w.Blob(make([]byte, 65536), 1<<20) }, ErrTooLong},
		"a list above its max":              {func(w *Writer) { w.Count(256, 255) }, ErrLimit},
		"a list of less than nothing":       {func(w *Writer) { w.Count(-1, 255) }, ErrLimit},
		"a list that no count can say":      {func(w *Writer) { w.Count(65536, 1<<20) }, ErrLimit},
		"a value that only the game judges": {func(w *Writer) { w.Fail(ErrRange) }, ErrRange},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewWriter([]byte("before"))
			w.Uint8(1)
			row.write(&w)
			require.ErrorIs(t, w.Err(), row.err)
			require.Equal(t, 1, w.Len())

			w.Fail(errors.New("second"))
			for _, write := range []func(){
				func() { w.Bool(true) }, func() { w.Uint8(1) }, func() { w.Uint16(1) }, func() { w.Uint32(1) }, func() { w.Uint64(1) },
				func() { w.Float64(1) }, func() { w.Text("a", 1) }, func() { w.Blob([]byte{1}, 1) }, func() { w.Count(1, 1) }, func() { w.Raw([]byte{1}) },
			} {
				write()
			}
			require.ErrorIs(t, w.Err(), row.err, "the first error stays")
			require.Equal(t, "before\x01", string(w.Bytes()))

			w.Reset()
			require.NoError(t, w.Err())
			w.Text("ok", 2)
			require.Equal(t, "before\x02\x00ok", string(w.Bytes()))
			require.Equal(t, 4, w.Len())
		})
	}
}

func TestWritersWriteWhatAppendAppends(t *testing.T) {
	w := NewWriter([]byte("id"))
	w.Uint8(1)
	w.Uint16(2)
	w.Uint32(3)
	w.Int32(-4)
	w.Uint64(5)
	w.Text("six", 255)

	b := AppendUint8([]byte("id"), 1)
	b = AppendUint16(b, 2)
	b = AppendUint32(b, 3)
	b = AppendInt32(b, -4)
	b = AppendUint64(b, 5)
	b, err := AppendString(b, "six")
	require.NoError(t, err)
	require.Equal(t, b, w.Bytes())
	require.NoError(t, w.Err())
}

func TestWritingIntoRoomAllocatesNothing(t *testing.T) {
	b := make([]byte, 0, 64)
	text, blob := "text", []byte("blob")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		w := NewWriter(b)
		w.Bool(true)
		w.Float32(1)
		w.Float64(2)
		w.Text(text, 9)
		w.Blob(blob, 9)
		w.Count(2, 300)
		if w.Err() != nil || &w.Bytes()[0] != &b[:1][0] {
			panic("it has to be written into b")
		}
	}))
}

func TestABoolIsReadFromZeroAndOneOnly(t *testing.T) {
	for v := range 256 {
		r := NewReader([]byte{9, byte(v)})
		r.Uint8()
		require.Equal(t, v == 1, r.Bool())
		if v > 1 {
			require.ErrorIs(t, r.Err(), ErrBool)
			require.Equal(t, 1, r.Offset())
			continue
		}
		require.NoError(t, r.Err())
	}
}

func TestAFloatThatIsNotFiniteIsNotRead(t *testing.T) {
	for _, bits := range []uint32{0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, math.MaxUint32} {
		r := NewReader(AppendUint32([]byte{9}, bits))
		r.Uint8()
		require.Zero(t, r.Float32())
		require.ErrorIs(t, r.Err(), ErrNotFinite)
		require.Equal(t, 1, r.Offset())
	}
	for _, bits := range []uint64{0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0x7FF<<52 | 1, math.MaxUint64} {
		r := NewReader(AppendUint64([]byte{9}, bits))
		r.Uint8()
		require.Zero(t, r.Float64())
		require.ErrorIs(t, r.Err(), ErrNotFinite)
		require.Equal(t, 1, r.Offset())
	}
}

func TestEveryFloatThatIsFiniteComesBackBitForBit(t *testing.T) {
	for _, v := range []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, 1.0 / 3, -1e-300} {
		w := NewWriter(nil)
		w.Float64(v)
		w.Float32(float32(v / 1e300))
		r := NewReader(w.Bytes())
		require.Equal(t, math.Float64bits(v), math.Float64bits(r.Float64()))
		require.Equal(t, math.Float32bits(float32(v/1e300)), math.Float32bits(r.Float32()))
		require.NoError(t, r.Err())
	}
}

func TestALengthOrCountAboveItsMaxIsNotRead(t *testing.T) {
	full := bytes.Repeat([]byte{'a'}, 600)
	for name, row := range map[string]struct {
		b    []byte
		read func(r *Reader) int
		err  error
	}{
		"a string":                         {append([]byte{3, 0}, full...), func(r *Reader) int { return len(r.Text(2)) }, ErrLimit},
		"bytes":                            {append([]byte{0, 1}, full...), func(r *Reader) int { return len(r.Blob(255)) }, ErrLimit},
		"a list":                           {append([]byte{3}, full...), func(r *Reader) int { return r.Count(2, 8) }, ErrLimit},
		"a long list":                      {append([]byte{45, 1}, full...), func(r *Reader) int { return r.Count(300, 8) }, ErrLimit},
		"a list, however short the rest":   {[]byte{3}, func(r *Reader) int { return r.Count(2, 8) }, ErrLimit},
		"a string of which bytes are gone": {[]byte{3, 0, 'a', 'b'}, func(r *Reader) int { return len(r.Text(9)) }, ErrShort},
		"a list of which items are gone":   {[]byte{3, 1, 1, 2, 2, 3}, func(r *Reader) int { return r.Count(9, 16) }, ErrShort},
		"a list of nothings":               {[]byte{200, 1, 2}, func(r *Reader) int { return r.Count(255, 0) }, ErrShort},
		"a string that is not UTF-8":       {[]byte{1, 0, 0xFF}, func(r *Reader) int { return len(r.Text(9)) }, ErrText},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(append([]byte{1}, row.b...))
			r.Uint8()
			require.Zero(t, row.read(&r))
			require.ErrorIs(t, r.Err(), row.err)
			require.Equal(t, 1, r.Offset(), "where the value begins")
			require.Zero(t, r.Len())
		})
	}
}

func TestAReaderThatFailedKeepsItsErrorAndItsPlace(t *testing.T) {
	r := NewReader([]byte{1, 2, 3, 0, 'a'})
	r.Uint16()
	first := errors.New("first")
	r.Fail(first)
	r.Fail(errors.New("second"))
	require.Nil(t, r.Raw(0))
	require.Nil(t, r.Raw(-1))
	require.Nil(t, r.Text(9))
	require.Nil(t, r.Blob(9))
	require.Nil(t, r.Rest())
	require.Zero(t, r.Count(9, 8))
	require.False(t, r.Bool())
	require.Zero(t, r.Float32())
	require.Zero(t, r.Float64())
	require.Equal(t, first, r.Err())
	require.Equal(t, 2, r.Offset())
}

func TestReadingAllKindsAllocatesNothing(t *testing.T) {
	w := NewWriter(nil)
	w.Bool(true)
	w.Int8(-1)
	w.Int16(-2)
	w.Int64(-3)
	w.Float32(4)
	w.Float64(5)
	w.Text("text", 9)
	w.Blob([]byte("blob"), 9)
	w.Count(1, 300)
	w.Raw([]byte{1})
	b := w.Bytes()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r := NewReader(b)
		sum := int(r.Int8()) + int(r.Int16()) + int(r.Int64()) + int(r.Float32()) + int(r.Float64()) +
			len(r.Text(9)) + len(r.Blob(9)) + len(r.Raw(r.Count(300, 8)))
		r.Fail(ErrRange)
		if r.Bool() || sum == 0 && r.Err() == nil {
			panic("it failed")
		}
	}))
}

// Names in scripts of several bytes a letter: the limit is in bytes, and the integer behind is never read from the wrong place.
func TestTheFieldBehindAStringIsReadWhateverTheStringIs(t *testing.T) {
	for _, name := range []string{
		"", strings.Repeat("a", 16), strings.Repeat("é", 16), strings.Repeat("汉", 16), strings.Repeat("😀", 16),
		"👨‍👩‍👧‍👦", "éẍ̧", "\u202Eright to left", "a\x00b",
	} {
		for limit := range 70 {
			w, bw := NewWriter(nil), NewBitWriter(nil)
			w.Text(name, limit)
			w.Uint32(0x12345678)
			bw.Bool(true)
			bw.Text(name, limit, 11)
			bw.Uint32(0x12345678)
			if len(name) > limit {
				require.ErrorIs(t, w.Err(), ErrLimit)
				require.ErrorIs(t, bw.Err(), ErrLimit)
				continue
			}
			r, br := NewReader(w.Bytes()), NewBitReader(bw.Bytes())
			require.Equal(t, name, string(r.Text(limit)))
			require.Equal(t, uint32(0x12345678), r.Uint32())
			require.NoError(t, r.Err())
			br.Bool()
			require.Equal(t, name, string(br.Text(limit, 11)))
			require.Equal(t, uint32(0x12345678), br.Uint32())
			require.NoError(t, br.Err())
		}
	}
}

func TestAStringThatAReaderRefusesLeavesNothingToReadInItsPlace(t *testing.T) {
	w, bw := NewWriter(nil), NewBitWriter(nil)
	w.Text("sixteen letters.", 16)
	w.Uint32(0x12345678)
	bw.Text("sixteen letters.", 16, 11)
	bw.Uint32(0x12345678)

	r, br := NewReader(w.Bytes()), NewBitReader(bw.Bytes())
	require.Nil(t, r.Text(15))
	require.Zero(t, r.Uint32())
	require.ErrorIs(t, r.Err(), ErrLimit)
	require.Nil(t, br.Text(15, 11))
	require.Zero(t, br.Uint32())
	require.ErrorIs(t, br.Err(), ErrLimit)
}

func TestStringsGrowASliceOfAnySizeWithTheirLengthBefore(t *testing.T) {
	letters := strings.Repeat("s", 300)
	for room := 0; room <= 300; room += 7 {
		for n := range 301 {
			w, bw := NewWriter(make([]byte, 0, room)), NewBitWriter(make([]byte, 0, room))
			w.Uint8(1)
			w.Text(letters[:n], 300)
			w.Uint8(2)
			bw.Bits(1, 3)
			bw.Text(letters[:n], 300, 9)
			bw.Uint8(2)

			r, br := NewReader(w.Bytes()), NewBitReader(bw.Bytes())
			ok := r.Uint8() == 1 && string(r.Text(300)) == letters[:n] && r.Uint8() == 2 && r.Len() == 0
			okBits := br.Bits(3) == 1 && string(br.Text(300, 9)) == letters[:n] && br.Uint8() == 2 && br.Unread() == 0 && br.Err() == nil
			if !ok || !okBits {
				require.FailNow(t, "not what was written", "%d letters into room for %d", n, room)
			}
		}
	}
}

// broken are strings that are not UTF-8: a byte that is never in it, a zero in two bytes, half a pair of UTF-16, a letter that is cut, one above the last.
var broken = []string{"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xE2\x82", "\xF5\x80\x80\x80", strings.Repeat("\x80", 65535)}

func TestBrokenUTF8IsNeitherWrittenNorRead(t *testing.T) {
	for _, s := range broken {
		w := NewWriter(nil)
		w.Text(s, math.MaxUint16)
		require.ErrorIs(t, w.Err(), ErrText)
		require.Zero(t, w.Len())
		bw := NewBitWriter(nil)
		bw.Text(s, math.MaxUint16, 16)
		require.ErrorIs(t, bw.Err(), ErrText)
		require.Zero(t, bw.Offset())

		w.Reset()
		w.Blob([]byte(s), math.MaxUint16)
		r := NewReader(w.Bytes())
		require.Nil(t, r.Text(math.MaxUint16))
		require.ErrorIs(t, r.Err(), ErrText)

		bw.Reset()
		bw.Bool(false)
		bw.Bits(uint32(len(s)-1), 16)
		bw.Raw([]byte(s))
		br := NewBitReader(bw.Bytes())
		require.Nil(t, br.Text(math.MaxUint16, 16))
		require.ErrorIs(t, br.Err(), ErrText)
	}
}

func TestAStringIsNeverCut(t *testing.T) {
	for lenBits := 1; lenBits <= 16; lenBits++ {
		longest := strings.Repeat("s", 1<<lenBits)
		w := NewBitWriter(nil)
		w.Text(longest, 1<<20, lenBits)
		require.NoError(t, w.Err())
		r := NewBitReader(w.Bytes())
		require.Equal(t, longest, string(r.Text(1<<20, lenBits)))

		w.Reset()
		w.Text(longest+"s", 1<<20, lenBits)
		require.ErrorIs(t, w.Err(), ErrLimit, "%d bits", lenBits)
		require.Zero(t, w.Len())
	}
}

func TestAListOfMoreThanItsCountCanSayIsNeverWrittenInPart(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 255, 256, 300} {
		items := make([]byte, n)
		w := NewWriter(nil)
		w.Count(n, 255)
		w.Raw(items)
		if n > 255 {
			require.ErrorIs(t, w.Err(), ErrLimit, "%d", n)
			require.Zero(t, w.Len())
			continue
		}
		r := NewReader(w.Bytes())
		require.Len(t, r.Raw(r.Count(255, 8)), n)
		require.Zero(t, r.Len())
		require.NoError(t, r.Err())
	}
}

func TestItemsThatAreLeftOverAreSeen(t *testing.T) {
	r := NewReader([]byte{0, 1, 2, 3}) // a count of none, and three
	require.Zero(t, r.Count(255, 8))
	require.NoError(t, r.Err())
	require.Equal(t, 3, r.Len())

	br := NewBitReader([]byte{0, 1, 2, 3})
	require.Zero(t, br.Count(255, 8))
	require.Equal(t, 3, br.Unread())
	require.NoError(t, br.Err())
}

func TestACountOfWhatIsNotThereTakesNoMemory(t *testing.T) {
	for _, limit := range []int{255, 65535, math.MaxInt32} {
		claim := bytes.Repeat([]byte{0xFF}, 4)
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(10, func() {
				r, br := NewReader(claim), NewBitReader(claim)
				items := make([]uint64, r.Count(min(limit, 65535), 64))
				bits := make([]uint64, br.Count(limit, 64))
				if len(items)+len(bits) > 0 || r.Err() == nil || br.Err() == nil {
					panic("nothing is there")
				}
			}))
		})
	}
}

func TestWhatIsBehindAMessageIsLeftAndCounted(t *testing.T) {
	w := NewBitWriter(nil)
	w.Bits(3, 2)
	w.Text("end", 9, 4)
	message := append([]byte(nil), w.Bytes()...)
	for _, extra := range []int{0, 1, 100} {
		r := NewBitReader(append(message[:len(message):len(message)], junkBuffer(extra, extra)...))
		r.Bits(2)
		require.Equal(t, "end", string(r.Text(9, 4)))
		require.Equal(t, extra, r.Unread())
		require.NoError(t, r.Err())
	}
	two := NewBitReader(append(message[:len(message):len(message)], message...))
	two.Bits(2)
	two.Text(9, 4)
	require.Equal(t, len(message), two.Unread(), "two messages in one are seen")
}
