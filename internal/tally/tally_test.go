package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// run tallies the lines and returns what it printed.
func run(t *testing.T, lines ...string) (*tally, string) {
	var out strings.Builder
	ta := newTally(&out)
	require.NoError(t, ta.read(strings.NewReader(strings.Join(lines, "\n"))))
	return ta, out.String()
}

func TestPassingTestsAreCountedAndStaySilent(t *testing.T) {
	ta, out := run(t,
		`{"Action":"start","Package":"p"}`,
		`{"Action":"run","Package":"p","Test":"A"}`,
		`{"Action":"output","Package":"p","Test":"A","Output":"=== RUN   A\n"}`,
		`{"Action":"pass","Package":"p","Test":"A/sub"}`,
		`{"Action":"pass","Package":"p","Test":"A"}`,
		`{"Action":"skip","Package":"p","Test":"B"}`,
		`{"Action":"output","Package":"p","Output":"PASS\n"}`,
		`{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}`,
		`{"Action":"pass","Package":"p"}`)
	require.True(t, ta.good())
	require.Equal(t, "ok  \tp\t0.1s\n2 passed, 0 failed, 1 skipped\n", out)
}

func TestFailingTestsShowWhatTheyPrinted(t *testing.T) {
	ta, out := run(t,
		`{"Action":"run","Package":"p","Test":"A"}`,
		`{"Action":"output","Package":"p","Test":"A","Output":"one is not two\n"}`,
		`{"Action":"fail","Package":"p","Test":"A"}`,
		`{"Action":"pass","Package":"p","Test":"B"}`,
		`{"Action":"fail","Package":"p"}`)
	require.False(t, ta.good())
	require.Equal(t, "one is not two\n1 passed, 1 failed, 0 skipped\n", out)
}

func TestPackageThatDoesNotBuildFails(t *testing.T) {
	ta, out := run(t,
		`{"ImportPath":"p","Action":"build-output","Output":"p.go:1: no\n"}`,
		`{"ImportPath":"p","Action":"build-fail"}`,
		`{"Action":"fail","Package":"p","FailedBuild":"p"}`,
		`{"Action":"pass","Package":"q","Test":"B"}`,
		`{"Action":"pass","Package":"q"}`)
	require.False(t, ta.good())
	require.Equal(t, "p.go:1: no\n1 passed, 1 failed, 0 skipped\n", out)
}

func TestTestWithoutAnEndFails(t *testing.T) {
	ta, out := run(t,
		`{"Action":"run","Package":"p","Test":"A"}`,
		`{"Action":"output","Package":"p","Test":"A","Output":"so far\n"}`,
		`{"Action":"fail","Package":"p"}`)
	require.False(t, ta.good())
	require.Equal(t, "p: A did not end\nso far\n0 passed, 1 failed, 0 skipped\n", out)
}

func TestRunThatWasCutShortFails(t *testing.T) {
	ta, out := run(t,
		`{"Action":"pass","Package":"p","Test":"A"}`,
		`{"Action":"run","Package":"p","Test":"B"}`)
	require.False(t, ta.good())
	require.Equal(t, "p: B did not end\n1 passed, 1 failed, 0 skipped\n", out)
}

func TestRunWithoutTestsFails(t *testing.T) {
	ta, _ := run(t, `{"Action":"skip","Package":"p"}`)
	require.False(t, ta.good())
}

func TestLinesThatAreNoEventsAreShown(t *testing.T) {
	_, out := run(t, "go: downloading something\n")
	require.Equal(t, "go: downloading something\n0 passed, 0 failed, 0 skipped\n", out)
}
