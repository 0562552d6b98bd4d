package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository, seen from the folder in which the tests of this package run.
const root = "../.."

// file is a file of the repository.
type file struct {
	path string // slash-separated, relative to root
	data []byte
}

// folder is the package that f belongs to, as the tables name it.
func (f file) folder() string { return path.Dir(f.path) }

func (f file) isGo() bool   { return path.Ext(f.path) == ".go" }
func (f file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// textFiles returns the text files of the repository, nested modules and hidden folders included, testdata excluded.
func textFiles(t *testing.T) []file {
	var files []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if bytes.IndexByte(data, 0) < 0 {
			files = append(files, file{filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator))), data})
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// goFiles returns the Go files of the module: files for every platform, without nested modules.
func goFiles(t *testing.T) []file {
	all := textFiles(t)
	var nested []string
	for _, f := range all {
		if path.Base(f.path) == "go.mod" && f.folder() != "." {
			nested = append(nested, f.folder()+"/")
		}
	}
	return slices.DeleteFunc(all, func(f file) bool {
		return !f.isGo() || slices.ContainsFunc(nested, func(n string) bool { return strings.HasPrefix(f.path, n) })
	})
}

// parse returns the syntax of f, comments included.
func (f file) parse(fset *token.FileSet) (*ast.File, error) {
	return parser.ParseFile(fset, f.path, f.data, parser.ParseComments|parser.SkipObjectResolution)
}

// parsed calls visit with the syntax of each file.
func parsed(t *testing.T, files []file, visit func(file, *token.FileSet, *ast.File)) {
	fset := token.NewFileSet()
	for _, f := range files {
		tree, err := f.parse(fset)
		require.NoError(t, err)
		visit(f, fset, tree)
	}
}

// finding is a violation of a rule, with its place.
func finding(fset *token.FileSet, at token.Pos, format string, args ...any) string {
	p := fset.Position(at)
	return fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...))
}

// requireNone fails t with one finding a line.
func requireNone(t *testing.T, findings []string) {
	t.Helper()
	require.Empty(t, findings, "%s", strings.Join(findings, "\n"))
}

// plant parses src as if it were the file at p.
func plant(t *testing.T, p, src string) (file, *token.FileSet, *ast.File) {
	f := file{p, []byte(src)}
	fset := token.NewFileSet()
	tree, err := f.parse(fset)
	require.NoError(t, err)
	return f, fset, tree
}
