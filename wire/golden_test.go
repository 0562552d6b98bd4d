package wire

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden is one value, both ways of coding it, and its bytes.
type golden struct {
	name   string
	value  any
	append func(b []byte) []byte
	read   func(r *Reader) any
	bytes  []byte
}

func goldenUint8(name string, v uint8, bytes ...byte) golden {
	return golden{name, v,
		func(b []byte) []byte { return AppendUint8(b, v) },
		func(r *Reader) any { return r.Uint8() }, bytes}
}

func goldenUint16(name string, v uint16, bytes ...byte) golden {
	return golden{name, v,
		func(b []byte) []byte { return AppendUint16(b, v) },
		func(r *Reader) any { return r.Uint16() }, bytes}
}

func goldenUint32(name string, v uint32, bytes ...byte) golden {
	return golden{name, v,
		func(b []byte) []byte { return AppendUint32(b, v) },
		func(r *Reader) any { return r.Uint32() }, bytes}
}

func goldenInt32(name string, v int32, bytes ...byte) golden {
	return golden{name, v,
		func(b []byte) []byte { return AppendInt32(b, v) },
		func(r *Reader) any { return r.Int32() }, bytes}
}

func goldenUint64(name string, v uint64, bytes ...byte) golden {
	return golden{name, v,
		func(b []byte) []byte { return AppendUint64(b, v) },
		func(r *Reader) any { return r.Uint64() }, bytes}
}

func goldenString(name, v string, bytes ...byte) golden {
	return golden{name, v, func(b []byte) []byte {
		b, err := AppendString(b, v)
		if err != nil {
			panic(err)
		}
		return b
	}, func(r *Reader) any { return string(r.String()) }, bytes}
}

// goldenWritten is a value that only a Writer writes.
func goldenWritten(name string, v any, write func(w *Writer), read func(r *Reader) any, bytes ...byte) golden {
	return golden{name, v, func(b []byte) []byte {
		w := NewWriter(b)
		write(&w)
		if w.Err() != nil {
			panic(w.Err())
		}
		return w.Bytes()
	}, read, bytes}
}

var goldens = []golden{
	goldenUint8("uint8 zero", 0,
		0x00, // value
	),
	goldenUint8("uint8 one", 1,
		0x01, // value
	),
	goldenUint8("uint8 max", 255,
		0xFF, // value
	),

	goldenUint16("uint16 zero", 0,
		0x00, // low byte
		0x00, // high byte
	),
	goldenUint16("uint16 with two different bytes", 0x0102,
		0x02, // low byte
		0x01, // high byte
	),
	goldenUint16("uint16 max", 65535,
		0xFF, // low byte
		0xFF, // high byte
	),

	goldenUint32("uint32 zero", 0,
		0x00, // bits 0..7
		0x00, // bits 8..15
		0x00, // bits 16..23
		0x00, // bits 24..31
	),
	goldenUint32("uint32 with four different bytes", 0x01020304,
		0x04, // bits 0..7
		0x03, // bits 8..15
		0x02, // bits 16..23
		0x01, // bits 24..31
	),
	goldenUint32("uint32 max", 4294967295,
		0xFF, // bits 0..7
		0xFF, // bits 8..15
		0xFF, // bits 16..23
		0xFF, // bits 24..31
	),

	goldenInt32("int32 zero", 0,
		0x00, // bits 0..7
		0x00, // bits 8..15
		0x00, // bits 16..23
		0x00, // bits 24..31
	),
	goldenInt32("int32 max", 2147483647,
		0xFF, // bits 0..7
		0xFF, // bits 8..15
		0xFF, // bits 16..23
		0x7F, // bits 24..30, sign clear
	),
	goldenInt32("int32 min, one after max", -2147483648,
		0x00, // bits 0..7
		0x00, // bits 8..15
		0x00, // bits 16..23
		0x80, // bits 24..30, sign set
	),
	goldenInt32("int32 minus two", -2,
		0xFE, // bits 0..7
		0xFF, // bits 8..15
		0xFF, // bits 16..23
		0xFF, // bits 24..30, sign set
	),

	goldenUint64("uint64 zero", 0,
		0x00, // bits 0..7
		0x00, // bits 8..15
		0x00, // bits 16..23
		0x00, // bits 24..31
		0x00, // bits 32..39
		0x00, // bits 40..47
		0x00, // bits 48..55
		0x00, // bits 56..63
	),
	goldenUint64("uint64 with eight different bytes", 0x0102030405060708,
		0x08, // bits 0..7
		0x07, // bits 8..15
		0x06, // bits 16..23
		0x05, // bits 24..31
		0x04, // bits 32..39
		0x03, // bits 40..47
		0x02, // bits 48..55
		0x01, // bits 56..63
	),
	goldenUint64("uint64 max", 18446744073709551615,
		0xFF, // bits 0..7
		0xFF, // bits 8..15
		0xFF, // bits 16..23
		0xFF, // bits 24..31
		0xFF, // bits 32..39
		0xFF, // bits 40..47
		0xFF, // bits 48..55
		0xFF, // bits 56..63
	),

	goldenString("string empty", "",
		0x00, // length, low byte
		0x00, // length, high byte
	),
	goldenString("string of one letter", "a",
		0x01, // length, low byte
		0x00, // length, high byte
		0x61, // 'a'
	),
	goldenString("string counted in bytes, not in runes", "é€",
		0x05, // length, low byte
		0x00, // length, high byte
		0xC3, // 'é', first of 2
		0xA9, // 'é', last
		0xE2, // '€', first of 3
		0x82, // '€', second
		0xAC, // '€', last
	),
	goldenString("string that is not UTF-8", "\x00\xFF",
		0x02, // length, low byte
		0x00, // length, high byte
		0x00, // first byte
		0xFF, // second byte
	),
	goldenString("string whose length needs the high byte", strings.Repeat("x", 258), append([]byte{
		0x02, // length, low byte
		0x01, // length, high byte
	}, strings.Repeat("x", 258)...)...),

	goldenWritten("bool false", false, func(w *Writer) { w.Bool(false) }, func(r *Reader) any { return r.Bool() },
		0x00, // value
	),
	goldenWritten("bool true", true, func(w *Writer) { w.Bool(true) }, func(r *Reader) any { return r.Bool() },
		0x01, // value
	),
	goldenWritten("int8 min", int8(-128), func(w *Writer) { w.Int8(-128) }, func(r *Reader) any { return r.Int8() },
		0x80, // value
	),
	goldenWritten("int16 minus two", int16(-2), func(w *Writer) { w.Int16(-2) }, func(r *Reader) any { return r.Int16() },
		0xFE, // low byte
		0xFF, // high byte
	),
	goldenWritten("int64 with eight different bytes", int64(-0x0102030405060708), func(w *Writer) { w.Int64(-0x0102030405060708) },
		func(r *Reader) any { return r.Int64() },
		0xF8, // bits 0..7
		0xF8, // bits 8..15
		0xF9, // bits 16..23
		0xFA, // bits 24..31
		0xFB, // bits 32..39
		0xFC, // bits 40..47
		0xFD, // bits 48..55
		0xFE, // bits 56..63
	),
	goldenWritten("float32 one", float32(1), func(w *Writer) { w.Float32(1) }, func(r *Reader) any { return r.Float32() },
		0x00, // fraction, bits 0..7
		0x00, // fraction, bits 8..15
		0x80, // exponent, its lowest bit: 127
		0x3F, // exponent and sign
	),
	goldenWritten("float32 max", float32(math.MaxFloat32), func(w *Writer) { w.Float32(math.MaxFloat32) },
		func(r *Reader) any { return r.Float32() },
		0xFF, // fraction, bits 0..7
		0xFF, // fraction, bits 8..15
		0x7F, // exponent, its lowest bit: 254
		0x7F, // exponent and sign
	),
	goldenWritten("float64 minus two and a half", -2.5, func(w *Writer) { w.Float64(-2.5) }, func(r *Reader) any { return r.Float64() },
		0x00, // fraction
		0x00, // fraction
		0x00, // fraction
		0x00, // fraction
		0x00, // fraction
		0x00, // fraction
		0x04, // fraction 0.25, exponent, its lowest bits: 1024
		0xC0, // exponent and sign
	),
	goldenWritten("text counted in bytes", "é", func(w *Writer) { w.Text("é", 2) }, func(r *Reader) any { return string(r.Text(2)) },
		0x02, // length, low byte
		0x00, // length, high byte
		0xC3, // 'é', first of 2
		0xA9, // 'é', last
	),
	goldenWritten("blob", []byte{0xFF, 0x00}, func(w *Writer) { w.Blob([]byte{0xFF, 0x00}, 9) }, func(r *Reader) any { return r.Blob(9) },
		0x02, // length, low byte
		0x00, // length, high byte
		0xFF, // first
		0x00, // second
	),
	goldenWritten("list of at most 255", []byte{7, 8}, func(w *Writer) {
		w.Count(2, 255)
		w.Raw([]byte{7, 8})
	}, func(r *Reader) any { return r.Raw(r.Count(255, 8)) },
		0x02, // count
		0x07, // first item
		0x08, // second
	),
	goldenWritten("list of at most 256", []byte{7, 8}, func(w *Writer) {
		w.Count(2, 256)
		w.Raw([]byte{7, 8})
	}, func(r *Reader) any { return r.Raw(r.Count(256, 8)) },
		0x02, // count, low byte
		0x00, // count, high byte
		0x07, // first item
		0x08, // second
	),
	goldenWritten("vector of three floats", [3]float32{1, -2, 0}, func(w *Writer) {
		w.Float32(1)
		w.Float32(-2)
		w.Float32(0)
	}, func(r *Reader) any { return [3]float32{r.Float32(), r.Float32(), r.Float32()} },
		0x00, 0x00, 0x80, 0x3F, // x
		0x00, 0x00, 0x00, 0xC0, // y
		0x00, 0x00, 0x00, 0x00, // z
	),
}

func TestValuesHaveTheBytesOfTheTable(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			require.Equal(t, g.bytes, g.append(nil))
		})
	}
}

func TestBytesOfTheTableReadAsTheirValues(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			r := NewReader(g.bytes)
			require.Equal(t, g.value, g.read(&r))
			require.NoError(t, r.Err())
			require.Zero(t, r.Len())
		})
	}
}

func TestReadingLeavesWhatFollowsAValue(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			r := NewReader(append(g.bytes[:len(g.bytes):len(g.bytes)], 0xA5, 0x5A))
			require.Equal(t, g.value, g.read(&r))
			require.Equal(t, []byte{0xA5, 0x5A}, r.Rest())
			require.NoError(t, r.Err())
		})
	}
}

func TestEveryProperPrefixOfAValueFails(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			for n := range g.bytes {
				// The missing bytes stand behind the prefix, where a reader that looks past the end would find them.
				r := NewReader(g.bytes[:n])
				g.read(&r)
				require.ErrorIs(t, r.Err(), ErrShort, "first %d of %d bytes", n, len(g.bytes))
				require.Zero(t, r.Len())
			}
		})
	}
}
