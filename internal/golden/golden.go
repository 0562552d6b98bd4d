// Package golden compares what a test made with a file under testdata, and rewrites the file when the test is run with
// -update. Importing it registers that flag, so only test files may import it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package instead of comparing with them")

// Equal fails t unless got is what testdata/name holds, byte for byte. With -update it writes got there instead. Read the diff
// before you commit it: a golden file is a promise, not a recording.
func Equal(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, write(path, got))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to make the golden file")
	require.Equal(t, string(want), got, "differs from %s; if the change is meant, run the test with -update", path)
}

func write(path, got string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(got), 0o644)
}
