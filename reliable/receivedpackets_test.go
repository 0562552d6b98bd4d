package reliable

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBitmapBelowTheHighestTellsWhatCame(t *testing.T) {
	for _, start := range []int64{0, 1, 63, 64, 65, 1000, 1023, 1024, 1 << 40} {
		var r receivedPackets
		r.init()
		came := map[int64]bool{}
		state := uint32(start) + 7
		for n := start; n < start+200; n++ {
			state = state*1664525 + 1013904223
			if state>>28 < 5 {
				continue
			}
			r.add(int64(n), n)
			came[n] = true
			for i := range int64(64) {
				require.Equal(t, came[n-1-i], r.below()>>i&1 == 1, "highest %d, bit %d", n, i)
			}
		}
	}
}
