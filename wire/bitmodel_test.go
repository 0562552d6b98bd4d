package wire

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// step is one write of a script, what the model writes for it, and the read that has to give the same again.
type step struct {
	write func(w *BitWriter)
	model func(m *modelWriter)
	read  func(r *BitReader) any
	want  any
}

// randomStep makes up one write.
func randomStep(rng *rand.Rand) step {
	v, n := rng.Uint64()>>(rng.Uint64()%64), int(rng.Uint64()%33)
	low := v & (1<<n - 1)
	letters := bytes.Repeat([]byte{byte('a' + v%26)}, int(rng.Uint64()%9))
	switch rng.Uint64() % 13 {
	case 0:
		return step{func(w *BitWriter) { w.Bits(uint32(v), n) }, func(m *modelWriter) { m.bits(v&math.MaxUint32, n) },
			func(r *BitReader) any { return r.Bits(n) }, uint32(low)}
	case 1:
		n = max(n, 1)
		return step{func(w *BitWriter) { w.Int(int32(int64(low)-1<<(n-1)), n) }, func(m *modelWriter) { m.bits(low, n) },
			func(r *BitReader) any { return r.Int(n) }, int32(int64(low) - 1<<(n-1))}
	case 2:
		return step{func(w *BitWriter) { w.Bool(v&1 != 0) }, func(m *modelWriter) { m.bits(v, 1) },
			func(r *BitReader) any { return r.Bool() }, v&1 != 0}
	case 3:
		return step{func(w *BitWriter) { w.Int8(int8(v)) }, func(m *modelWriter) { m.bits(v, 8) },
			func(r *BitReader) any { return r.Int8() }, int8(v)}
	case 4:
		return step{func(w *BitWriter) { w.Uint16(uint16(v)) }, func(m *modelWriter) { m.bits(v, 16) },
			func(r *BitReader) any { return r.Uint16() }, uint16(v)}
	case 5:
		return step{func(w *BitWriter) { w.Uint32(uint32(v)) }, func(m *modelWriter) { m.bits(v, 32) },
			func(r *BitReader) any { return r.Uint32() }, uint32(v)}
	case 6:
		return step{func(w *BitWriter) { w.Uint64(v) }, func(m *modelWriter) { m.long(v) },
			func(r *BitReader) any { return r.Uint64() }, v}
	case 7:
		f := rng.NormFloat64()
		return step{func(w *BitWriter) { w.Float64(f) }, func(m *modelWriter) { m.long(math.Float64bits(f)) },
			func(r *BitReader) any { return r.Float64() }, f}
	case 8:
		return step{func(w *BitWriter) { w.Align() }, func(m *modelWriter) { m.align() },
			func(r *BitReader) any { r.Align(); return nil }, nil}
	case 9:
		return step{func(w *BitWriter) { w.Raw(letters) }, func(m *modelWriter) { m.raw(letters) },
			func(r *BitReader) any { return string(r.Raw(len(letters))) }, string(letters)}
	case 10:
		return step{func(w *BitWriter) { w.Blob(letters, 100) }, func(m *modelWriter) {
			m.bits(uint64(len(letters)), 7) // 100 is below 128
			m.raw(letters)
		}, func(r *BitReader) any { return string(r.Blob(100)) }, string(letters)}
	case 11:
		return step{func(w *BitWriter) { w.Text(string(letters), 100, 11) }, func(m *modelWriter) {
			if len(letters) == 0 {
				m.bits(1, 1)
				return
			}
			m.bits(0, 1)
			m.bits(uint64(len(letters)-1), 11)
			m.raw(letters)
		}, func(r *BitReader) any { return string(r.Text(100, 11)) }, string(letters)}
	default:
		index := int(v % 150)
		return step{func(w *BitWriter) { w.Enum(index, 150) }, func(m *modelWriter) { m.bits(uint64(index), 8) },
			func(r *BitReader) any { return r.Enum(150) }, index}
	}
}

func TestScriptsOfWritesAreTheBitsOfTheModel(t *testing.T) {
	rng := newRandom(20)
	for range 3000 {
		prefix := junkBuffer(int(rng.Uint64()%4), int(rng.Uint64()%40)+4)
		w, m := NewBitWriter(prefix), modelWriter{}
		script := make([]step, rng.Uint64()%30)
		for i := range script {
			script[i] = randomStep(rng)
			script[i].write(&w)
			script[i].model(&m)
			require.Equal(t, m.n, w.Offset())
			if rng.Uint64()%4 == 0 {
				require.True(t, bytes.Equal(m.b, w.Bytes()[len(prefix):]), "what is written so far")
			}
		}
		require.NoError(t, w.Err())
		require.Equal(t, len(m.b), w.Len())
		require.True(t, bytes.Equal(append(prefix[:len(prefix):len(prefix)], m.b...), w.Bytes()))

		r := NewBitReader(m.b)
		for _, s := range script {
			require.Equal(t, s.want, s.read(&r))
		}
		require.NoError(t, r.Err())
		require.Equal(t, m.n, r.Offset())
		require.Zero(t, r.Unread())
		require.NoError(t, r.Err())
	}
}

func TestAnyBitsReadAsTheModelReadsThem(t *testing.T) {
	rng := newRandom(21)
	for range 1000 {
		b := randomBits(rng)[:rng.Uint64()%25]
		r, m := NewBitReader(b), modelReader{b: b}
		for {
			n := int(rng.Uint64() % 33)
			if m.n+n > 8*len(b) {
				require.Zero(t, r.Bits(n))
				require.ErrorIs(t, r.Err(), ErrShort)
				require.Equal(t, m.n, r.Offset())
				break
			}
			require.Equal(t, uint32(m.bits(n)), r.Bits(n))
		}
	}
}
