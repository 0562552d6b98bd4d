package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExportedNamesAreDocumented(t *testing.T) {
	var findings []string
	parsed(t, libraryFiles(t), func(_ file, fset *token.FileSet, tree *ast.File) {
		findings = append(findings, undocumented(fset, tree)...)
	})
	requireNone(t, findings)
}

func TestPackagesHaveAComment(t *testing.T) {
	commented := map[string]bool{}
	parsed(t, libraryFiles(t), func(f file, _ *token.FileSet, tree *ast.File) {
		commented[f.folder()] = commented[f.folder()] || tree.Doc != nil
	})
	for _, folder := range slices.Sorted(maps.Keys(commented)) {
		require.True(t, commented[folder], "package %s has no package comment", folder)
	}
}

// libraryFiles returns the Go files that are no tests.
func libraryFiles(t *testing.T) []file {
	return slices.DeleteFunc(goFiles(t), file.isTest)
}

// undocumented finds exported functions, methods, types, variables and constants without a comment. A comment on a group covers its
// members.
func undocumented(fset *token.FileSet, tree *ast.File) []string {
	var findings []string
	for _, decl := range tree.Decls {
		for _, name := range bareNames(decl) {
			findings = append(findings, finding(fset, name.Pos(), "%s is exported and has no comment", name.Name))
		}
	}
	return findings
}

// bareNames returns the exported names of one declaration that have no comment.
func bareNames(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && receiverIsExported(d) && !explainsItself(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Doc == nil {
			return bareSpecs(d)
		}
	}
	return nil
}

func bareSpecs(d *ast.GenDecl) []*ast.Ident {
	var bare []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Doc == nil && s.Name.IsExported() {
				bare = append(bare, s.Name)
			}
		case *ast.ValueSpec:
			if s.Doc == nil && s.Comment == nil {
				bare = append(bare, slices.DeleteFunc(slices.Clone(s.Names), func(n *ast.Ident) bool { return !n.IsExported() })...)
			}
		}
	}
	return bare
}

// receiverIsExported reports whether d is a function, or a method of an exported type.
func receiverIsExported(d *ast.FuncDecl) bool {
	return d.Recv == nil || ast.IsExported(receiverName(d))
}

// receiverName is the name of the type that d is a method of.
func receiverName(d *ast.FuncDecl) string {
	for x := d.Recv.List[0].Type; ; {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e.Name
		default:
			panic(fmt.Sprintf("receiver of %s is a %T", d.Name.Name, x))
		}
	}
}

// explainsItself reports whether d is the Error method of an error: the interface says what it is for.
func explainsItself(d *ast.FuncDecl) bool { return d.Recv != nil && d.Name.Name == "Error" }

func TestUndocumentedNamesAreFound(t *testing.T) {
	for _, src := range []string{
		"func Run() {}",
		"type T struct{}",
		"var V = 1",
		"const (\n\tfirst = iota\n\tSecond\n)",
		"// T is documented.\ntype T struct{}\n\nfunc (t *T) Run() {}",
		"// T is documented.\ntype T[A, B any] struct{}\n\nfunc (t *T[A, B]) Run() {}",
		"type (\n\tT struct{}\n)",
	} {
		_, fset, tree := plant(t, "a/a.go", "package a\n\n"+src+"\n")
		require.Len(t, undocumented(fset, tree), 1, src)
	}
}

func TestDocumentedAndUnexportedNamesPass(t *testing.T) {
	for _, src := range []string{
		"func run() {}",
		"type t struct{}\n\nfunc (t) Run() {}",
		"// Kinds.\nconst (\n\tFirst = iota\n\tSecond\n)",
		"const First = 1 // the first",
		"// E is documented.\ntype E struct{}\n\nfunc (e *E) Error() string { return \"\" }",
	} {
		_, fset, tree := plant(t, "a/a.go", "package a\n\n"+src+"\n")
		require.Empty(t, undocumented(fset, tree), src)
	}
}
