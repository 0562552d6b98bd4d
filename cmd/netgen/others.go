package main

import (
	"go/ast"
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkOtherFiles looks at the files that the compiler does not take here or takes for tests alone. A catalogue is the same on every machine, so no directive may be
// in a file that some machines leave out.
func (u *unit) checkOtherFiles() {
	names, _ := filepath.Glob(filepath.Join(u.folder, "*.go"))
	for _, name := range names {
		if slices.Contains(ours, filepath.Base(name)) {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		file, err := parse(u.fset, name, source)
		isTest := strings.HasSuffix(name, "_test.go")
		if err != nil || file.Name.Name != u.pkg.Name && !isTest {
			continue
		}
		if isTest && file.Name.Name == u.pkg.Name {
			u.checkTestNames(file)
		}
		if found := findDirectives(file).left(); len(found) > 0 {
			u.checkPlace(name, file, isTest, found[0])
		}
	}
}

func (u *unit) checkPlace(name string, file *ast.File, isTest bool, first directive) {
	switch {
	case isTest:
		u.errorf(first.pos, "%s is in a test file, which netgen does not read: move it to a file without _test", first.name())
	case isConstrained(name, file):
		u.errorf(first.pos, "%s is in a file that not every machine compiles: move it to a file without a build constraint", first.name())
	}
}

// checkTestNames reports functions of tests that have a name of the generated ones, and finds moreSamples.
func (u *unit) checkTestNames(file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		switch {
		case !ok || f.Recv != nil:
		case f.Name.Name == moreSamples, f.Name.Name == moreCallSamples:
			u.more[f.Name.Name] = true
		case slices.Contains(testNames, f.Name.Name) && u.cat != nil:
			u.errorf(f.Name.Pos(), "%s declares %s itself: give this one another name", testFile, f.Name.Name)
		}
	}
}

// isConstrained reports whether a file is left out on some machines, by a line in it or by its name.
func isConstrained(name string, file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < file.Package && constraint.IsGoBuild(c.Text) {
				return true
			}
		}
	}
	parts := strings.Split(strings.TrimSuffix(filepath.Base(name), ".go"), "_")
	return len(parts) > 1 && platforms[parts[len(parts)-1]]
}

// platforms are the systems and processors that a file name can end in.
var platforms = func() map[string]bool {
	set := map[string]bool{}
	const list = "aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos " +
		"386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm"
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}()
