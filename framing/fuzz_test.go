package framing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFraming gives any bytes to both receivers: a datagram is either accepted, and then it is what its frame encodes to, or
// dropped for a reason that framing can judge. Neither allocates, panics or depends on what stands behind the datagram. The same bytes, as
// the text of a refusal, are cut to a reason.
func FuzzFraming(f *testing.F) {
	for _, d := range seeds() {
		f.Add(d)
	}
	for _, row := range readMalformed(f) {
		f.Add(row.datagram)
	}
	f.Add([]byte("né€😀"))
	f.Add([]byte("full \xff house"))

	f.Fuzz(func(t *testing.T, d []byte) {
		requireSound(t, d)
		for limit := range MaxRefuseReason + 1 {
			requireCut(t, string(d), limit)
		}

		zeros := append(d[:len(d):len(d)], make([]byte, 64)...)[:len(d)]
		junks := append(d[:len(d):len(d)], repeat(64, junk)...)[:len(d)]
		for _, at := range roles {
			a, drop := Parse(zeros, at)
			b, again := Parse(junks, at)
			require.Equal(t, drop, again)
			require.Equal(t, a, b)
		}
		require.Zero(t, testing.AllocsPerRun(10, func() {
			Parse(d, Client)
			Parse(d, Host)
		}))
	})
}
