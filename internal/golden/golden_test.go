package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// verdict stands in for the test that calls Equal, so that a failure can be seen without failing.
type verdict struct {
	testing.TB
	failed bool
}

func (v *verdict) Helper()               {}
func (v *verdict) Errorf(string, ...any) { v.failed = true }
func (v *verdict) FailNow()              { panic(v) }

// fails reports whether Equal fails its test.
func fails(t *testing.T, name, got string) bool {
	v := &verdict{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(v) {
				panic(r)
			}
		}()
		Equal(v, name, got)
	}()
	return v.failed
}

func setUpdate(t *testing.T, on bool) {
	before := *update
	*update = on
	t.Cleanup(func() { *update = before })
}

func TestEqualAcceptsTheSameBytesOnly(t *testing.T) {
	t.Chdir(t.TempDir())
	setUpdate(t, false)
	require.NoError(t, os.Mkdir("testdata", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("testdata", "a.golden"), []byte("one\n"), 0o644))

	require.False(t, fails(t, "a.golden", "one\n"))
	require.True(t, fails(t, "a.golden", "one"), "a missing newline is a difference")
	require.True(t, fails(t, "b.golden", "one\n"), "a missing file is a failure")
}

func TestUpdateRewritesTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	setUpdate(t, true)
	require.False(t, fails(t, "deep/a.golden", "two\n"))

	setUpdate(t, false)
	require.False(t, fails(t, "deep/a.golden", "two\n"))
}
