package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func relative(t *testing.T, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, run(strings.NewReader(strings.Join(lines, "\n")), &out))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestTimesAreDividedByTheYardstickOfTheirPass(t *testing.T) {
	require.Equal(t, []string{
		"cpu: fast", "BenchmarkPacketTick\t100\t2 x/op\t0.5 send-x/packet",
		"cpu: slow", "BenchmarkPacketTick\t30\t2 x/op\t0.75 send-x/packet",
	}, relative(t,
		"cpu: fast", "BenchmarkYardstickCode-2 100 200 ns/op", "BenchmarkPacketTick-2 100 400 ns/op 100 send-ns/packet",
		"cpu: slow", "BenchmarkPacketTick-2 30 800 ns/op 300 send-ns/packet", "BenchmarkYardstickCode-2 50 400 ns/op",
	))
}

func TestCountsStayAndRatesGo(t *testing.T) {
	require.Equal(t, []string{"BenchmarkA\t1\t1 x/op\t5000 B/session\t3 allocs/op\t1.1 x-bare"}, relative(t,
		"BenchmarkYardstickCode 1 10 ns/op", "BenchmarkA 1 10 ns/op 5000 B/session 3 allocs/op 20 Mbit/s 1.1 x-bare", "BenchmarkB 1 20 Mbit/s",
	))
}

func TestEachKindOfWorkHasItsYardstick(t *testing.T) {
	for name, want := range map[string]string{
		"BenchmarkSealAndOpen/64":         "BenchmarkYardstickCipher/64",
		"BenchmarkSealAndOpen/1172":       "BenchmarkYardstickCipher/1172",
		"BenchmarkSocketFanOut/64":        "BenchmarkYardstickDatagram",
		"BenchmarkDirect":                 "BenchmarkInterfaceCall",
		"BenchmarkDirectRequest":          "BenchmarkYardstickCode",
		"BenchmarkPacketTick":             "BenchmarkYardstickCode",
		"BenchmarkYardstickCipher/64":     "",
		"BenchmarkInterfaceCall":          "",
		"BenchmarkEngineManyPeers/base/9": "BenchmarkYardstickCode",
	} {
		require.Equal(t, want, yardstickOf(name), name)
	}
}

func TestAResultWithoutItsYardstickIsAnError(t *testing.T) {
	for _, lines := range []string{
		"BenchmarkA 1 10 ns/op",
		"BenchmarkYardstickCode 1 10 ns/op\nBenchmarkA 1 10 ns/op\nBenchmarkA 1 10 ns/op", // the second pass has none
		"BenchmarkYardstickCode 1 10 B/op\nBenchmarkA 1 10 ns/op",
		"BenchmarkYardstickCode 1 ten ns/op",
	} {
		require.Error(t, run(strings.NewReader(lines), &strings.Builder{}), lines)
	}
}

func TestTheBaselineHasAllYardsticks(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "testdata", "baseline.txt"))
	require.NoError(t, err)
	defer f.Close()
	var out strings.Builder
	require.NoError(t, run(f, &out))
	for _, want := range []string{"goos: ", "cpu: ", "BenchmarkSealAndOpen/64\t", "BenchmarkDispatch\t", "BenchmarkEngineManyPeers/secure/1000\t"} {
		require.GreaterOrEqual(t, strings.Count(out.String(), want), 4, "fewer show no difference: %s", want)
	}
}
