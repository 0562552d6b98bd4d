// Package testflag registers the flag that asks for longer runs of the tests:
//
//	go test ./reliable -long
//
// Only the test binaries of packages that import it know the flag, so name the package; "go test ./... -long" fails in the
// others. CONTRIBUTING.md lists the long runs. Only test files may import it.
package testflag

import (
	"flag"
	"testing"
)

var long = flag.Bool("long", false, "run the long tests too, and more seeds of the others")

// Long reports whether longer runs were asked for. It is for tests that run always and do more with the flag, such as more seeds.
func Long() bool { return *long }

// NeedLong skips t unless longer runs were asked for.
func NeedLong(t testing.TB) {
	t.Helper()
	if !*long {
		t.Skip("a long run: go test -long asks for it")
	}
}
