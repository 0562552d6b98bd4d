package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImportsFollowTheArrows(t *testing.T) {
	var findings []string
	parsed(t, goFiles(t), func(f file, fset *token.FileSet, tree *ast.File) {
		findings = append(findings, forbiddenImports(f, fset, tree)...)
	})
	requireNone(t, slices.Compact(findings))
}

func TestTheTableOfArrowsNamesOnlyWhatExists(t *testing.T) {
	for _, folder := range slices.Sorted(maps.Keys(arrows)) {
		require.DirExists(t, filepath.Join(root, filepath.FromSlash(folder)), "a package in the table of arrows is gone: remove its row")
	}
}

func TestThePagesNameEveryPackage(t *testing.T) {
	for _, page := range []string{"ARCHITECTURE.md", "README.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		for _, folder := range slices.Sorted(maps.Keys(arrows)) {
			if strings.HasPrefix(folder, "internal/") || strings.HasPrefix(folder, "examples/") {
				continue // named together
			}
			require.Regexp(t, `\b`+path.Base(folder)+`\b`, string(text), "%s does not name %s", page, folder)
		}
	}
}

// forbiddenImports finds the imports of one file that no arrow allows.
func forbiddenImports(f file, fset *token.FileSet, tree *ast.File) []string {
	row, known := arrows[f.folder()]
	if !known {
		return []string{f.folder() + ": a package without a row: add it to arrows in internal/archtest/rules_test.go"}
	}
	var findings []string
	for _, spec := range tree.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		if !mayImport(f, row, target) {
			findings = append(findings, finding(fset, spec.Pos(), "%s may not import %s: see arrows in internal/archtest/rules_test.go", f.folder(), target))
		}
	}
	return findings
}

// mayImport reports whether f, in a package with the given row, may import the target.
func mayImport(f file, row map[string]string, target string) bool {
	if target == "C" {
		return false // pure Go, so that games cross-compile
	}
	ours, own := strings.CutPrefix(target, modulePath+"/")
	if !own && isStandard(target) {
		return true
	}
	if f.isTest() && (ours == f.folder() || allows(testArrows, target)) {
		return true
	}
	return allows(row, target) || own && row[anything] != ""
}

// allows reports whether the row has the target: a package of ours by its folder, or one of a module by the module's path.
func allows(row map[string]string, target string) bool {
	if ours, own := strings.CutPrefix(target, modulePath+"/"); own {
		return row[ours] != ""
	}
	for module := range row {
		if target == module || strings.HasPrefix(target, module+"/") {
			return true
		}
	}
	return false
}

// isStandard reports whether the path is one of the standard library: no other has a first element without a dot.
func isStandard(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	return !strings.Contains(first, ".")
}

func TestForbiddenImportsAreFound(t *testing.T) {
	for _, c := range []struct{ path, imports string }{
		{"reliable/a.go", modulePath + "/udp"},
		{"reliable/a.go", modulePath + "/sim"},
		{"reliable/a.go", modulePath + "/reliablex"},
		{"framing/a.go", "github.com/stretchr/testify/require"},
		{"udp/a.go", modulePath + "/internal/golden"},
		{"udp/a.go", "golang.org/x/network"},
		{"udp/a_test.go", modulePath + "/loopback"},
		{"udp/a.go", "C"},
		{"somewhere/a.go", "fmt"},
		{"cmd/udpecho/a.go", "example.com/colours"},
	} {
		require.Len(t, forbiddenImports(plant(t, c.path, "package a\nimport _ \""+c.imports+"\"\n")), 1, "%s importing %s", c.path, c.imports)
	}
}

func TestAllowedImportsPass(t *testing.T) {
	for _, c := range []struct{ path, imports string }{
		{"reliable/a.go", modulePath + "/framing"},
		{"reliable/a.go", "encoding/binary"},
		{"reliable/a_test.go", modulePath + "/reliable"},
		{"reliable/a_test.go", modulePath + "/sim"},
		{"udp/a_test.go", "github.com/stretchr/testify/require"},
		{"udp/a.go", "golang.org/x/net/ipv4"},
		{"cmd/udpecho/a.go", modulePath + "/sim/proxy"},
	} {
		require.Empty(t, forbiddenImports(plant(t, c.path, "package a\nimport _ \""+c.imports+"\"\n")), "%s importing %s", c.path, c.imports)
	}
}
