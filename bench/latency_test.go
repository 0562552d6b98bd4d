package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gannet-net/gannet/internal/golden"
)

// latencyCells are what testdata/latency.txt has a row for: enough of the ways in which a link can be bad that no change of
// latency or bytes goes unseen. docs/latency.md has the long runs.
var latencyCells = []string{
	"-wire base -loss 5",
	"-wire base -loss 20",
	"-wire secure -loss 0.5",
	"-wire secure -loss 2 -rate 60",
	"-wire secure -loss 5",
	"-wire secure -loss 5 -jitter 5ms",
	"-wire secure -loss 5 -budget 2.0",
	"-wire secure -loss 5 -budget 2.0 -rate 60",
	"-wire secure -loss 20 -budget 2.0",
	"-wire secure -loss 5 -budget 2.0 -urgent",
	"-wire secure -loss 5 -burst 3",
	"-wire secure -loss 5 -burst-time 100ms",
	"-wire secure -loss 5 -reverse-tick",
	"-wire secure -loss 5 -mode sequenced",
}

// One seed is one run, so these numbers are exact: a difference is a change of what the machine does, and its diff shows which cells it
// is good and bad for.
func TestLatencyByLossIsAsCommitted(t *testing.T) {
	var commands []string
	for _, cell := range latencyCells {
		commands = append(commands, "sim -n 20000 -json "+cell)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "udpecho sim -n 20000, delivery in ms\n\n%-44s%9s%9s%9s%9s%8s%9s%9s\n",
		"", "p50", "p99", "p99.9", "max", "bytes", "repairs", "needless")
	for i, o := range buildUDPEcho(t).runAll(t, commands) {
		fmt.Fprintf(&b, "%-44s%9.3f%9.3f%9.3f%9.3f%8.4f%9.0f%9.0f\n", latencyCells[i],
			o["p50_ms"], o["p99_ms"], o["p999_ms"], o["max_ms"], o["bytes_ratio"], o["repairs"], o["spurious"])
	}
	golden.Equal(t, "latency.txt", b.String())
}
