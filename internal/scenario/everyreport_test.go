package scenario

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allReports are the numbers of all reports. There are 82.
const allReports = `
	B01 B02 B04 B06 B07 B08 B11 B12 B15 B19 B20 B22 B23 B24 B25
	B26 B27 B28 B29 B31 B33 B34 B35 B36 B37 B38 B39 B40 B41 B44 B46 B47 B48 B49 B51 B52
	B54 B55 B57 B58 B59 B60 B61 B64 B66 B67 B69 B70 B71 B72 B75 B76 B78 B80 B81 B83 B84 B86 B88
	B89 B90 B92 B93 B95 B96 B97 B99 B101
	B102 B104 B105 B107 B108 B109 B112 B114 B115 B116 B118 B119 B122 B124`

func TestEveryReportIsHeld(t *testing.T) {
	want := strings.Fields(allReports)
	require.Len(t, want, 82)
	requireEveryRow(t, reports, want)
}

// requireEveryRow requires that a table has these rows, and that each is held.
func requireEveryRow(t *testing.T, table []report, want []string) {
	t.Helper()
	var got []string
	for _, r := range table {
		got = append(got, r.id)
		require.NotEmpty(t, r.held, "nothing holds %s", r.id)
	}
	require.Equal(t, want, got)
}

func TestEveryTestInTheTableOfReportsExists(t *testing.T) { requireTestsExist(t, reports) }

func requireTestsExist(t *testing.T, table []report) {
	t.Helper()
	found := map[string]map[string]string{}
	for _, r := range table {
		for _, h := range r.held {
			if found[h.folder] == nil {
				found[h.folder] = testsIn(t, h.folder)
			}
			for _, name := range h.tests {
				require.Contains(t, found[h.folder], name, "%s: no such test in %s", r.id, h.folder)
			}
		}
	}
}

// The comment of a test names the reports that it holds, and the table names the test.
func TestCommentsAndTheTableOfReportsAgree(t *testing.T) {
	number := regexp.MustCompile(`\bB\d{2,3}\b`)
	byComment := map[string][]string{}
	for name, comment := range testsIn(t, "internal/scenario") {
		for _, id := range number.FindAllString(comment, -1) {
			byComment[id] = append(byComment[id], name)
		}
	}
	for _, r := range reports {
		for _, h := range r.held {
			if h.folder == "internal/scenario" {
				require.ElementsMatch(t, byComment[r.id], h.tests, r.id)
				delete(byComment, r.id)
			}
		}
	}
	require.Empty(t, byComment, "comments name reports that the table has elsewhere")
}

// testsIn gives the tests of a package, for every system, with their comments.
func testsIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(folder), "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	tests := map[string]string{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range tree.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				tests[f.Name.Name] = f.Doc.Text()
			}
		}
	}
	return tests
}
