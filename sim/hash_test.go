package sim

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashSeesEveryBitAndTheLength(t *testing.T) {
	for n := range 200 {
		b := make([]byte, n)
		whole := hashBytes(b)
		require.NotEqual(t, whole, hashBytes(make([]byte, n+1)))
		for i := range 8 * n {
			b[i/8] ^= 1 << (i % 8)
			changed := bits.OnesCount64(whole ^ hashBytes(b))
			require.InDelta(t, 32, changed, 28, "bit %d of %d bytes", i, n)
			b[i/8] ^= 1 << (i % 8)
		}
	}
}

func TestHashSeesTheOrderOfBlocks(t *testing.T) {
	b := make([]byte, 1200)
	for i := range b {
		b[i] = byte(i / 8)
	}
	seen := map[uint64]bool{}
	for i := 0; i+16 <= len(b); i += 8 {
		swap8(b[i:])
		seen[hashBytes(b)] = true
		swap8(b[i:])
	}
	require.Len(t, seen, 1200/8-1)
}

func swap8(b []byte) {
	for i := range 8 {
		b[i], b[i+8] = b[i+8], b[i]
	}
}
