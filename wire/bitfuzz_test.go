package wire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// widths returns two widths for an operation, most of them ones that it has. Those above what a float32 holds come only where floats do not go through one.
func widths(op bitOp, v byte) (a, b int, single bool) {
	single = v&1 != 0
	switch op {
	case opUFixed, opFixed, opVec3:
		a, b = int(v>>1)%18, int(v>>3)%24
		single = single && a+b <= 24
	case opUnorm, opSnorm:
		a = int(v>>1) % 34
		single = single && a <= 24
	case opText:
		a, b = int(v>>1)%40, int(v>>4)
	case opList, opYawQuat:
		a, b = int(v>>1)%34, int(v>>2)%24
		single = single && a <= 20 && b <= 22
	default:
		a = int(v>>1) % 34
		single = single && a <= 20
	}
	return a, b, single
}

// runBits copies values from b to out as script says, two bytes for each, until one is not there. kept is how many bits of the copy are of whole values.
func runBits(b, script, out []byte) (r BitReader, w BitWriter, kept int) {
	r, w = NewBitReader(b), NewBitWriter(out)
	for len(script) >= 2 && r.Err() == nil {
		kept = r.Offset()
		op := bitOp(script[0]) % bitOps
		a, width, single := widths(op, script[1])
		copyBits(op, a, width, single, &r, &w)
		script = script[2:]
	}
	if r.Err() == nil {
		kept = r.Offset()
	}
	return r, w, kept
}

// addBitScripts adds the seeds that are about bits.
func addBitScripts(f *testing.F) {
	for op := range bitOps {
		for _, v := range []byte{18, 19, 40, 255} {
			f.Add([]byte{0x00, 0x11, 0x02, 0x00, 0x07, 0x10, 0x00, 0x20, 0x40, 0x00, 0x00, 0x03}, []byte{byte(opBits), 6, byte(op), v, byte(op), v})
		}
	}
	for _, g := range bitGoldens {
		f.Add(g.bytes, []byte{byte(opQuat), 18, byte(opText), 180, byte(opFixed), 73})
	}
}

// requireBitsBack reads data bit by bit as script says. zeros and junks are data with other bytes behind it.
func requireBitsBack(t *testing.T, data, zeros, junks, script []byte) {
	r, w, kept := runBits(zeros, script, nil)
	require.LessOrEqual(t, kept, 8*len(data))
	require.Equal(t, kept, r.Offset(), "the offset is that of the value that failed, or of what is left")
	require.True(t, sameBits(data, w.Bytes(), kept), "% X became % X", data, w.Bytes())
	if r.Err() == nil {
		require.NoError(t, w.Err(), "what is read can be written")
		require.Equal(t, kept, w.Offset())
		require.Zero(t, w.Clamped())
	}

	again, other, _ := runBits(junks, script, nil)
	require.Equal(t, r.Err(), again.Err())
	require.Equal(t, r.Offset(), again.Offset())
	require.True(t, bytes.Equal(w.Bytes(), other.Bytes()), "reads what stands behind the end")

	out := make([]byte, 0, len(data)+64)
	require.Zero(t, testing.AllocsPerRun(5, func() { runBits(zeros, script, out) }))
}
