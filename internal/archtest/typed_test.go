package archtest

import (
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// typed is a package with its types, as the checks of the pure packages see it.
type typed struct {
	folder string
	fset   *token.FileSet
	files  []*ast.File // no tests
	info   *types.Info
}

// typeCheck resolves the types of a package from its files and the export data of what it imports.
func typeCheck(t *testing.T, exports map[string]listed, folder string, fset *token.FileSet, files []*ast.File) typed {
	p := typed{folder, fset, files, &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
		Defs:  map[*ast.Ident]types.Object{},
	}}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path].Export) }
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
	_, err := config.Check(modulePath+"/"+folder, fset, files, p.info)
	require.NoError(t, err)
	return p
}

// loadPure type-checks the pure packages.
func loadPure(t *testing.T) []typed {
	args := []string{"-export", "-deps", "-json=ImportPath,Export"}
	for _, folder := range purePackages {
		args = append(args, "./"+folder)
	}
	exports := goList(t, "", args...)

	fset := token.NewFileSet()
	syntax := map[string][]*ast.File{}
	for _, f := range libraryFiles(t) {
		tree, err := f.parse(fset)
		require.NoError(t, err)
		syntax[f.folder()] = append(syntax[f.folder()], tree)
	}
	var packages []typed
	for _, folder := range purePackages {
		packages = append(packages, typeCheck(t, exports, folder, fset, syntax[folder]))
	}
	return packages
}

// plantTyped type-checks src as the only file of package "planted". It may import the standard packages that the tests plant.
func plantTyped(t *testing.T, src string) typed {
	exports := goList(t, "", "-export", "-deps", "-json=ImportPath,Export", "crypto/cipher", "maps", "math", "math/rand/v2", "net", "slices", "time")
	_, fset, tree := plant(t, "planted/a.go", src)
	return typeCheck(t, exports, "planted", fset, []*ast.File{tree})
}

// functions calls visit for each top-level declaration, with its name: "Func", "Type.Method", or "" for other declarations.
func (p typed) functions(visit func(name string, decl ast.Decl)) {
	for _, f := range p.files {
		for _, decl := range f.Decls {
			visit(functionName(decl), decl)
		}
	}
}

func functionName(decl ast.Decl) string {
	d, ok := decl.(*ast.FuncDecl)
	switch {
	case !ok:
		return ""
	case d.Recv == nil:
		return d.Name.Name
	}
	return receiverName(d) + "." + d.Name.Name
}
