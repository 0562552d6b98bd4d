package archtest

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecisionsAreMadeInIntegers(t *testing.T) {
	used := map[string]bool{}
	for _, p := range loadPure(t) {
		if slices.Contains(floatFree, p.folder) {
			requireNone(t, p.floats(floatsAllowed, used))
		}
	}
	requireUsed(t, "floatsAllowed", floatsAllowed, used)
}

// floats finds every line with a float type or value outside the allowed functions, and notes in used which of those have one.
func (p typed) floats(allowed map[string]string, used map[string]bool) []string {
	var findings []string
	p.functions(func(name string, decl ast.Decl) {
		ast.Inspect(decl, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok || !isFloat(p.info.Types[x]) {
				return true
			}
			if function := p.folder + "." + name; allowed[function] != "" {
				used[function] = true
				return true
			}
			findings = append(findings, finding(p.fset, n.Pos(), "%s may not handle floats", p.folder))
			return true
		})
	})
	return slices.Compact(findings)
}

// isFloat reports whether an expression is a float type, or gives a float. A constant that is a whole number is exact, however
// it is written, until it gets a float type.
func isFloat(x types.TypeAndValue) bool {
	if x.Type == nil {
		return false
	}
	if results, ok := x.Type.(*types.Tuple); ok {
		return slices.ContainsFunc(slices.Collect(results.Variables()), func(v *types.Var) bool { return isFloatType(v.Type()) })
	}
	if x.Value != nil && types.Identical(x.Type, types.Typ[types.UntypedFloat]) {
		return constant.ToInt(x.Value).Kind() != constant.Int
	}
	return isFloatType(x.Type)
}

func isFloatType(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

// requireUsed fails t for rows of an allow-list that nothing needs.
func requireUsed(t *testing.T, table string, allowed map[string]string, used map[string]bool) {
	t.Helper()
	for _, function := range slices.Sorted(maps.Keys(allowed)) {
		require.True(t, used[function], "%s allows %s for nothing: remove the row", table, function)
	}
}

func TestFloatsAreFound(t *testing.T) {
	for _, src := range []string{
		`type t struct { x float64 }`,
		`type t struct { x []float32 }`,
		`const x = 0.5`,
		`const x int64 = 0.5 * 10`,
		`var x = int64(1.5 * 2)`,
		`func f(n int64) int64 { return int64(float64(n)) }`,
		`import "time"; func f(d time.Duration) bool { return d.Seconds() > 1 }`,
		`import "math"; func f(n int) int { return int(math.Sqrt(4)) }`,
		`func f() complex64 { return 0 }`,
		`type m interface { ~float64 }`,
		`import "math"; func f() { _, _ = math.Modf(3) }`,
	} {
		require.NotEmpty(t, plantTyped(t, "package planted; "+src).floats(nil, nil), src)
	}
}

func TestIntegersPass(t *testing.T) {
	for _, src := range []string{
		`const x int64 = 1e9`,
		`var x = int64(5 * 1e9)`,
		`import "time"; func f(d time.Duration) int64 { return d.Milliseconds() * 3 / 2 }`,
	} {
		require.Empty(t, plantTyped(t, "package planted; "+src).floats(nil, nil), src)
	}
}

func TestAllowedFunctionsMayHandleFloats(t *testing.T) {
	p := plantTyped(t, `package planted; type T int; func (t *T) Set(x float64) { *t = T(x * 100) }`)
	used := map[string]bool{}
	require.Empty(t, p.floats(map[string]string{"planted.T.Set": "converts at once"}, used))
	require.True(t, used["planted.T.Set"])
	require.NotEmpty(t, p.floats(map[string]string{"planted.T.Get": "is another function"}, used))
}
