package derbyrows

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tests has what shows each row, by its id.
var tests = merge(encodingRows, idRows, routingRows, messageRows, handlingRows, framingRows, numberRows)

func merge(tables ...map[string]func(*testing.T)) map[string]func(*testing.T) {
	all := map[string]func(*testing.T){}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// row is one line of testdata/rows.txt.
type row struct{ id, title string }

func rows(t *testing.T) (list []row) {
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		id, title, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, row{id, title})
	}
	return list
}

func TestRows(t *testing.T) {
	for _, r := range rows(t) {
		if test := tests[r.id]; test != nil {
			t.Run(r.id+" "+r.title, test)
		}
	}
}

func TestEachRowHasATestAndEachTestARow(t *testing.T) {
	var ids []string
	for _, r := range rows(t) {
		require.NotEmpty(t, r.title, r.id)
		ids = append(ids, r.id)
	}
	require.Len(t, ids, 69)
	require.True(t, slices.IsSorted(ids))
	require.Equal(t, ids, slices.Sorted(maps.Keys(tests)))
}
