package soak

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gannet-net/gannet/internal/golden"
)

// A world is the same on every processor, with the race detector and beside others. The hashes change with whatever is drawn, sent or decided: run the test with
// -update then, and say in the commit why they changed.
func TestWorldsAreTheSameEverywhere(t *testing.T) {
	var b strings.Builder
	for _, seed := range []uint64{1, 2, 3, 6, 16} {
		p := Draw(seed, 8*time.Second)
		r := p.Run()
		fmt.Fprintf(&b, "seed %2d  %016x  %2d faults  %v\n", seed, r.Hash, len(p.Faults), r.Broken == nil)
	}
	golden.Equal(t, "hashes.txt", b.String())
}
