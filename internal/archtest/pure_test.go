package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPurePackagesSeeNothingButTheirArguments(t *testing.T) {
	for _, p := range loadPure(t) {
		requireNone(t, p.impurities())
	}
}

// impurities finds imports of packages, and uses of functions, that look outside, and everything that runs concurrently.
func (p typed) impurities() []string {
	var findings []string
	for _, f := range p.files {
		for _, spec := range f.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			if why := impureImport(target); why != "" {
				findings = append(findings, finding(p.fset, spec.Pos(), "%s may not import %s: %s", p.folder, target, why))
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if what := p.impurity(n); what != "" {
				findings = append(findings, finding(p.fset, n.Pos(), "%s may not use %s", p.folder, what))
			}
			return true
		})
	}
	return findings
}

// impureImport says why a pure package may not import the target, "" if it may.
func impureImport(target string) string {
	if pureImports[target] != "" {
		return ""
	}
	for banned, why := range impureImports {
		if target == banned || strings.HasPrefix(target, banned+"/") {
			return why
		}
	}
	return ""
}

// impurity names what is forbidden about the node itself, "" if nothing is.
func (p typed) impurity(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
		return "a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "a channel"
		}
	case *ast.Ident:
		if o := p.info.Uses[n]; o != nil && isImpure(o) {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}

// isImpure reports whether o is declared in another package and reads a clock, waits, or is otherwise out of bounds.
func isImpure(o types.Object) bool {
	if o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		return false // a method, a field, or nothing of a package
	}
	path := o.Pkg().Path()
	allowed, limited := pureParts[path]
	return limited && !slices.Contains(allowed, o.Name()) || slices.Contains(impureParts[path], o.Name())
}

func TestImpuritiesAreFound(t *testing.T) {
	for _, src := range []string{
		`func f() { go func() {}() }`,
		`func f(c chan int) {}`,
		`var c = make(chan int)`,
		`func f() { select {} }`,
		`import "time"; var x = time.Now`,
		`import "time"; func f(t time.Time) time.Duration { return time.Since(t) }`,
		`import . "time"; func f() { Sleep(1) }`,
		`import clock "time"; func f() { clock.AfterFunc(1, nil) }`,
		`import "math/rand/v2"; var x = rand.IntN(6)`,
		`import "math/rand/v2"; var x = rand.Uint64`,
		`import "crypto/cipher"; var x = cipher.NewGCMWithRandomNonce`,
		`import "net"; var x = net.Dial`,
		`import "net"; var x net.Conn`,
	} {
		require.Len(t, plantTyped(t, "package planted; "+src).impurities(), 1, src)
	}
}

func TestImpureImportsAreFound(t *testing.T) {
	for _, target := range []string{"net/http", "os", "os/exec", "sync", "sync/atomic", "math/rand", "runtime/debug", "unsafe", "crypto", "crypto/rand", "crypto/ecdh", "crypto/tls"} {
		require.NotEmpty(t, impureImport(target), target)
	}
	for _, target := range []string{"net", "net/netip", "math/rand/v2", "math", "time", "io", "encoding/binary", "crypto/sha256"} {
		require.Empty(t, impureImport(target), target)
	}
}

func TestPureCodePasses(t *testing.T) {
	for _, src := range []string{
		`import "net"; var x = net.ErrClosed`,
		`import "time"; const x = 3 * time.Second; func f(t time.Time) bool { return t.After(t) }`,
		`import "math/rand/v2"; var r = rand.New(rand.NewChaCha8([32]byte{})); var x = r.IntN(6)`,
	} {
		require.Empty(t, plantTyped(t, "package planted; "+src).impurities(), src)
	}
}
