package archtest

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingDependsOnTheOrderOfAMap(t *testing.T) {
	used := map[string]bool{}
	for _, p := range loadPure(t) {
		requireNone(t, p.mapOrders(mapOrderAllowed, used))
	}
	requireUsed(t, "mapOrderAllowed", mapOrderAllowed, used)
}

// mapOrders finds what goes through a map in its own order, outside the allowed functions, and notes in used which of those do.
func (p typed) mapOrders(allowed map[string]string, used map[string]bool) []string {
	var findings []string
	p.functions(func(name string, decl ast.Decl) {
		sorted := map[ast.Node]bool{} // arguments of a function that sorts them
		ast.Inspect(decl, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && p.calls(call, "slices", "Sorted", "SortedFunc", "SortedStableFunc") {
				sorted[call.Args[0]] = true
			}
			if sorted[n] || !p.hasMapOrder(n) {
				return true
			}
			if function := p.folder + "." + name; allowed[function] != "" {
				used[function] = true
				return true
			}
			findings = append(findings, finding(p.fset, n.Pos(), "the order of a map differs from run to run: sort its keys"))
			return true
		})
	})
	return findings
}

// hasMapOrder reports whether n ranges over a map, or makes an iterator that does.
func (p typed) hasMapOrder(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.RangeStmt:
		_, isMap := p.info.Types[n.X].Type.Underlying().(*types.Map)
		return isMap
	case *ast.CallExpr:
		return p.calls(n, "maps", "All", "Keys", "Values")
	}
	return false
}

// calls reports whether the call is to one of the named functions of a package.
func (p typed) calls(call *ast.CallExpr, path string, names ...string) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := p.info.Uses[selector.Sel].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == path && slices.Contains(names, f.Name())
}

func TestMapOrderIsFound(t *testing.T) {
	for _, src := range []string{
		`func f(m map[int]int) { for range m {} }`,
		`type table map[int]int; func f(m table) { for k := range m { _ = k } }`,
		`import "maps"; func f(m map[int]int) { for range maps.Keys(m) {} }`,
		`import ("maps"; "slices"); func f(m map[int]int) []int { return slices.Collect(maps.Values(m)) }`,
	} {
		require.Len(t, plantTyped(t, "package planted; "+src).mapOrders(nil, nil), 1, src)
	}
}

func TestSortedMapsAndSlicesPass(t *testing.T) {
	for _, src := range []string{
		`func f(s []int) { for range s {} }`,
		`import ("maps"; "slices"); func f(m map[int]int) { for range slices.Sorted(maps.Keys(m)) {} }`,
	} {
		require.Empty(t, plantTyped(t, "package planted; "+src).mapOrders(nil, nil), src)
	}
}

func TestAllowedFunctionsMayUseMapOrder(t *testing.T) {
	p := plantTyped(t, `package planted; func count(m map[int]int) (n int) { for range m { n++ }; return n }`)
	used := map[string]bool{}
	require.Empty(t, p.mapOrders(map[string]string{"planted.count": "counting has no order"}, used))
	require.True(t, used["planted.count"])
}
