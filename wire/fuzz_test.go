package wire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// ops is how many operations a script can name.
const ops = 7 + 10

// copyValue reads one value and appends it to out again.
func copyValue(op int, r *Reader, out []byte) []byte {
	switch op {
	case 0:
		return AppendUint8(out, r.Uint8())
	case 1:
		return AppendUint16(out, r.Uint16())
	case 2:
		return AppendUint32(out, r.Uint32())
	case 3:
		return AppendInt32(out, r.Int32())
	case 4:
		return AppendUint64(out, r.Uint64())
	case 5:
		s := r.String()
		return append(AppendUint16(out, uint16(len(s))), s...)
	case 6:
		return append(out, r.Rest()...)
	default:
		w := NewWriter(out)
		writeValue(op-7, r, &w)
		return w.Bytes()
	}
}

// writeValue reads one value and writes it again. Limits are small, so that data can be above them.
func writeValue(op int, r *Reader, w *Writer) {
	switch op {
	case 0:
		w.Bool(r.Bool())
	case 1:
		w.Int8(r.Int8())
	case 2:
		w.Int16(r.Int16())
	case 3:
		w.Int64(r.Int64())
	case 4:
		w.Float32(r.Float32())
	case 5:
		w.Float64(r.Float64())
	case 6:
		var kept [20]byte // as it is kept by who decodes a string
		n := copy(kept[:], r.Text(len(kept)))
		w.Blob(kept[:n], n)
	case 7:
		w.Blob(r.Blob(20), 20)
	case 8:
		writeList(r, w, 20)
	default:
		writeList(r, w, 300)
	}
	if w.Err() != nil {
		panic(w.Err())
	}
}

// writeList reads a list of at most max bytes and writes it again.
func writeList(r *Reader, w *Writer, max int) {
	items := r.Raw(r.Count(max, 8))
	w.Count(len(items), max)
	w.Raw(items)
}

// run copies values from b to out in the order of script, until one is not there in full.
func run(b, script, out []byte) (Reader, []byte) {
	r := NewReader(b)
	for _, op := range script {
		next := copyValue(int(op)%ops, &r, out)
		if r.Err() != nil {
			break
		}
		out = next
	}
	return r, out
}

// FuzzWire reads data by a script of operations, once by the byte and once by the bit. Whatever is read and written again is the data itself, up to what
// is left; and no operation looks past the end, or allocates.
func FuzzWire(f *testing.F) {
	f.Add([]byte{}, []byte{0})
	f.Add([]byte{0, 0}, []byte{5, 6, 0})
	f.Add([]byte{0xFF, 0xFF, 'a', 'b', 'c', 'd', 'e'}, []byte{5})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, []byte{0, 1, 2, 3, 4})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7}, []byte{0, 6, 6, 4})
	f.Add([]byte{2, 21, 0, 0xFF}, []byte{7})
	f.Add([]byte{0x00, 0x00, 0x80, 0x7F, 0x00, 0x00, 0xC0, 0xFF}, []byte{11, 11})
	f.Add([]byte{2, 0, 0xC3, 0x28}, []byte{13})
	f.Add([]byte{2, 0, 'o', 'k', 21, 1}, []byte{13, 15})
	for _, g := range goldens {
		for op := range ops {
			f.Add(g.bytes, []byte{byte(op), 6})
		}
	}
	addBitScripts(f)

	f.Fuzz(func(t *testing.T, data, script []byte) {
		// The same bytes before two different kinds of junk must read the same: nobody looked at the junk.
		zeros := append(bytes.Clone(data), make([]byte, 16)...)[:len(data)]
		junks := append(bytes.Clone(data), junkBuffer(16, 16)...)[:len(data)]

		requireBytesBack(t, data, zeros, junks, script)
		requireBitsBack(t, data, zeros, junks, script)
	})
}

// requireBytesBack reads data as script says. zeros and junks are data with other bytes behind it.
func requireBytesBack(t *testing.T, data, zeros, junks, script []byte) {
	r, got := run(zeros, script, nil)
	if r.Err() == nil {
		require.Equal(t, len(data), len(got)+r.Len(), "read and left make up the whole")
	} else {
		require.Zero(t, r.Len())
	}
	require.Equal(t, len(got), r.Offset(), "the offset is that of the value that failed, or of what is left")
	require.True(t, bytes.Equal(data, r.Source()), "the source stays whole")
	require.LessOrEqual(t, len(got), len(data))
	require.True(t, bytes.Equal(data[:len(got)], got), "what was read appends as % X, but was % X", got, data)

	again, other := run(junks, script, nil)
	require.Equal(t, r.Err(), again.Err())
	require.True(t, bytes.Equal(got, other), "reads what stands behind the end")

	out := make([]byte, 0, len(data)+8)
	require.Zero(t, testing.AllocsPerRun(10, func() { run(zeros, script, out) }))
}
