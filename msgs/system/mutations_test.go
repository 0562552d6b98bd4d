package system_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/testflag"
)

// mutationSeed draws the rows whose behaviour was broken in the code, to see their tests fail.
const mutationSeed = 20260929

const mutated = 20

// drawn are the rows that the seed draws.
func drawn(t *testing.T) (ids []string) {
	list := rowList(t)
	random := rand.NewPCG(mutationSeed, 0)
	for range mutated {
		i := int(random.Uint64() % uint64(len(list)))
		ids = append(ids, list[i].id)
		list = slices.Delete(list, i, i+1)
	}
	slices.Sort(ids)
	return ids
}

// mutation is a block of testdata/mutations.txt: what was changed in which file to break a row, and the first line that its test failed with.
type mutation struct{ row, file, before, after, failed string }

func mutations(t *testing.T) (list []mutation) {
	text, err := os.ReadFile("testdata/mutations.txt")
	require.NoError(t, err)
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		var m mutation
		for line := range strings.Lines(block) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch key {
			case "row":
				m.row = value
			case "file":
				m.file = value
			case "before":
				m.before = value
			case "after":
				m.after = value
			case "failed":
				m.failed = value
			default:
				t.Fatalf("line %q", line)
			}
		}
		list = append(list, m)
	}
	return list
}

func TestTheMutatedRowsAreThoseThatTheSeedDraws(t *testing.T) {
	var rows []string
	for _, m := range mutations(t) {
		rows = append(rows, m.row)
		source, err := os.ReadFile(m.file)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(source), m.before), "%s: %q is to be in %s once", m.row, m.before, m.file)
		require.NotEqual(t, m.before, m.after)
		require.Contains(t, m.failed, "--- FAIL: TestRows/"+m.row, "every mutation was found")
	}
	require.Equal(t, drawn(t), rows)
}

// With -long each mutation is made anew, in an overlay of the package, and its test has to fail.
func TestEachMutationIsFound(t *testing.T) {
	testflag.NeedLong(t)
	folder, err := os.Getwd()
	require.NoError(t, err)
	for _, m := range mutations(t) {
		t.Run(m.row, func(t *testing.T) {
			source, err := os.ReadFile(m.file)
			require.NoError(t, err)
			broken := filepath.Join(t.TempDir(), m.file)
			require.NoError(t, os.WriteFile(broken, []byte(strings.Replace(string(source), m.before, m.after, 1)), 0o600))
			overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(folder, m.file): broken}})
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "overlay.json")
			require.NoError(t, os.WriteFile(file, overlay, 0o600))
			out, err := exec.Command("go", "test", "-overlay", file, "-run", "^TestRows$/^"+m.row+"$", ".").CombinedOutput()
			require.Error(t, err, "nothing failed: %s", out)
			require.Contains(t, string(out), "--- FAIL: TestRows/"+m.row)
		})
	}
}
