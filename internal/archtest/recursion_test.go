package archtest

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// notRead are pure packages in which a datagram decides about no call: sim looks into none, and layouts nest as deep as the types of a catalogue.
var notRead = []string{"sim", "msgs/layout"}

// A function that calls itself for what a datagram says can be made to overflow the stack, which no recover catches.
func TestNothingThatReadsDatagramsCallsItself(t *testing.T) {
	for _, p := range loadPure(t) {
		if !slices.Contains(notRead, p.folder) {
			requireNone(t, p.recursions())
		}
	}
}

// recursions finds functions that call themselves, directly or through others of the package.
func (p typed) recursions() []string {
	calls := map[types.Object][]types.Object{}
	where := map[types.Object]ast.Node{}
	p.functions(func(_ string, decl ast.Decl) {
		d, ok := decl.(*ast.FuncDecl)
		if !ok {
			return
		}
		caller := p.info.Defs[d.Name]
		where[caller] = d
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if f, ok := p.info.Uses[id].(*types.Func); ok {
					calls[caller] = append(calls[caller], f.Origin())
				}
			}
			return true
		})
	})
	var findings []string
	for f, node := range where {
		if reaches(calls, f, f, map[types.Object]bool{}) {
			findings = append(findings, finding(p.fset, node.Pos(), "%s can call itself", f.Name()))
		}
	}
	slices.Sort(findings)
	return findings
}

func reaches(calls map[types.Object][]types.Object, from, to types.Object, seen map[types.Object]bool) bool {
	for _, next := range calls[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if reaches(calls, next, to, seen) {
				return true
			}
		}
	}
	return false
}

func TestRecursionIsFound(t *testing.T) {
	for src, n := range map[string]int{
		`func f(n int) { f(n-1) }`:                                                    1,
		`func f() { g() }; func g() { h() }; func h() { f() }`:                        3,
		`type x struct{}; func (a x) f() { a.g() }; func (a x) g() { f := a.f; f() }`: 2,
		`type x[T any] struct{}; func (a x[T]) f() { x[int]{}.f() }`:                  1,
	} {
		require.Len(t, plantTyped(t, "package planted; "+src).recursions(), n, src)
	}
	require.Empty(t, plantTyped(t, `package planted; type a struct{}; type b struct{}; func (a) f() { b{}.f() }; func (b) f() { g() }; func g() {}`).recursions())
}
