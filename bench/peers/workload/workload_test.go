package workload_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/bench/peers/drivers"
	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/bench/peers/workload"
)

func TestMain(m *testing.M) {
	if workload.IsProcess() {
		if err := workload.Serve(drivers.Find, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m, // but for what kcp-go has once for a process
		goleak.IgnoreAnyFunction("github.com/xtaci/kcp-go/v5.(*TimedSched).run"), goleak.IgnoreAnyFunction("github.com/xtaci/kcp-go/v5.postProcessWorker"))
}

// knownFigures are those of which something is certain.
var knownFigures = map[string]func(*testing.T, []workload.Result){
	"latency": func(t *testing.T, results []workload.Result) {
		require.GreaterOrEqual(t, figure(t, results, "60 Hz 0 % j0", "p50"), 25.0)
		require.GreaterOrEqual(t, figure(t, results, "60 Hz 0 % j0", "up"), 64.0+28)
		require.Zero(t, figure(t, results, "60 Hz 20 % j5", "undelivered"))
		require.Zero(t, figure(t, results, "60 Hz 20 % j5", "out of order"))
	},
	"bottleneck": func(t *testing.T, results []workload.Result) {
		require.Positive(t, figure(t, results, "0 %", "goodput"))
		require.GreaterOrEqual(t, figure(t, results, "0 %", "p50"), 25.0)
	},
}

// short runs a workload for as short as it can be.
func short(t *testing.T, w *workload.Workload, name string) []workload.Result {
	d := drivers.Find(name)
	require.NotNil(t, d)
	require.True(t, w.Fits(d))
	results, err := w.Measure(workload.Run{Seed: 1, Short: true}, d)
	require.NoError(t, err)
	return results
}

func TestEveryWorkloadGivesWhatItsTablesShow(t *testing.T) {
	for _, w := range workload.All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			results := short(t, &w, "gannet")
			if known := knownFigures[w.Name]; known != nil {
				known(t, results)
			}
			for _, table := range w.Tables {
				for _, metric := range table.Metrics {
					if metric == "holds" { // known only where nothing is late
						continue
					}
					require.True(t, has(results, table.Prefix, metric), "%s of %q", metric, table.Prefix)
				}
			}
		})
	}
}

func has(results []workload.Result, prefix, metric string) bool {
	for _, r := range results {
		for _, f := range r.Figures {
			if strings.HasPrefix(r.Case, prefix) && f.Metric == metric && !math.IsNaN(f.Value) {
				return true
			}
		}
	}
	return false
}

func figure(t *testing.T, results []workload.Result, in, metric string) float64 {
	for _, r := range results {
		for _, f := range r.Figures {
			if r.Case == in && f.Metric == metric {
				return f.Value
			}
		}
	}
	t.Fatalf("no %s of %s", metric, in)
	return 0
}

func TestAStackIsLeftOutWhereItCannotTakePart(t *testing.T) {
	for _, w := range workload.All() {
		require.False(t, w.Fits(&peer.Driver{}), "%s: it has no messages at all", w.Name)
		require.True(t, w.Fits(&peer.Driver{Reliable: true, Unreliable: true}), w.Name)
		require.Equal(t, !w.Relay, w.Fits(&peer.Driver{Reliable: true, NoRelay: true}), w.Name)
	}
}

func TestAProcessSaysWhatIsWrongWithItsOrder(t *testing.T) {
	for order, problem := range map[string]string{
		`{"Driver":"nobody","App":"many"}`:             "no driver",
		`{"Driver":"rawudp","App":"nothing"}`:          "no application",
		`{"Driver":"rawudp","App":"many","Plan":"no"}`: "cannot unmarshal",
	} {
		var out bytes.Buffer
		require.NoError(t, workload.Serve(drivers.Find, strings.NewReader(order+"\n"), &out))
		require.Contains(t, out.String(), problem)
	}
	require.Error(t, workload.Serve(drivers.Find, strings.NewReader(""), &bytes.Buffer{}))
}
