package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/bench/peers/workload"
)

func TestNumbersHaveThreeDigitsThatCount(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1.00", 25.31: "25.3", 0.0954: "0.095", 0.5: "0.500", 1234567.8: "1234568", 120: "120", 0.0001: "0.00",
	} {
		require.Equal(t, want, number(x), x)
	}
}

func sample() *Report {
	var rows measure.Rows
	for _, v := range []float64{1, 3, 2} {
		rows.Add("w", "a", "one", []measure.Figure{{Metric: "p50", Unit: "ms", Value: v}, {Metric: "p99", Unit: "ms", Value: 10 * v}})
		rows.Add("w", "b", "one", []measure.Figure{{Metric: "p50", Unit: "ms", Value: 4}})
	}
	rows.Add("w", "a", "two", []measure.Figure{{Metric: "p50", Unit: "ms", Value: 0.5}})
	return &Report{
		Environment: Environment{Command: "go run .", Modules: map[string]string{"m": "v1.2.3"}},
		Drivers: []peer.Driver{
			{Name: "one", Settings: "usual", Version: "m", Reliable: true, Ordered: true},
			{Name: "two", Settings: "odd", Unreliable: true, Limit: true},
			{Name: "three", Settings: "not measured"},
		},
		Workloads: []workload.Workload{{Name: "w", About: "What it is.", Tables: []workload.Table{
			{Title: "Both:", Metrics: []string{"p50", "p99"}},
			{ByCase: true, Prefix: "a", Metrics: []string{"p50"}},
		}}},
		Rows:     rows.All(),
		Failures: []Failure{{"w", "two", 2, "broken"}},
		LeftOut:  []string{"Nobody is at home."},
	}
}

func TestTablesShowMediansAndLeaveOutWhoWasNotMeasured(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample().Tables(&out))
	_, tables, found := strings.Cut(out.String(), "## w\n\n")
	require.True(t, found)
	require.Equal(t, `What it is.

Both:

| peer        | a           | b        |
|-------------|------------:|---------:|
| one         | 2.00 / 20.0 | 4.00 / – |
| two (limit) | 0.500 / –   | – / –    |

a

| peer        | p50, ms |
|-------------|--------:|
| one         | 2.00    |
| two (limit) | 0.500   |

FAILED: w of two, repeat 2: broken
`, tables)
	require.Contains(t, out.String(), "| one | v1.2.3 | ordered | no | usual |\n")
	require.Contains(t, out.String(), "Nobody is at home.\n\n## w")
}

func TestJSONHasEveryFigure(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample().JSON(&out))
	var got struct {
		Settings []struct{ Peer, Version string }
		Figures  []measure.Row
		Failures []Failure
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Equal(t, sample().Rows, got.Figures)
	require.Equal(t, sample().Failures, got.Failures)
	require.Len(t, got.Settings, 3)
	require.Equal(t, "v1.2.3", got.Settings[0].Version)
}

func TestTheEnvironmentNamesTheMachine(t *testing.T) {
	e := Here([]string{"go", "run", "."})
	require.Equal(t, "go run .", e.Command)
	require.NotEmpty(t, e.Processor)
	require.NotEmpty(t, e.Kernel)
	require.Positive(t, e.Cores)
}
