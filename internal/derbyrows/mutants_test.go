package derbyrows

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutantSeed draws the rows whose code was broken to see their tests fail. It was chosen before any of them was.
const mutantSeed = 3

// drawn are the ids of so many rows, in order.
func drawn(t *testing.T, n int) []string {
	list := rows(t)
	random := rand.New(rand.NewPCG(mutantSeed, 0))
	for i := range n {
		j := i + int(random.Uint64N(uint64(len(list)-i)))
		list[i], list[j] = list[j], list[i]
	}
	var ids []string
	for _, r := range list[:n] {
		ids = append(ids, r.id)
	}
	slices.Sort(ids)
	return ids
}

// testdata/mutants.txt has, for each row that the seed draws, a line with its id, the place that was changed, what stood there and what was put in its place, and what then failed.
func TestTheMutantsAreThoseThatTheSeedDraws(t *testing.T) {
	text, err := os.ReadFile("testdata/mutants.txt")
	require.NoError(t, err)
	var ids []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSpace(line), " | ")
		require.Len(t, columns, 5, line)
		require.Contains(t, columns[4], "TestRows/"+columns[0]+" fails", "by its own test")
		ids = append(ids, columns[0])
	}
	require.Equal(t, drawn(t, 20), ids)
}
