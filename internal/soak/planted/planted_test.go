package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/soak"
)

// requireAll gives the bugs.
func requireAll(t *testing.T) []bug {
	t.Helper()
	bugs, err := all()
	require.NoError(t, err)
	return bugs
}

func TestEveryPatchAppliesToTheTree(t *testing.T) {
	tree := os.DirFS(filepath.Join("..", "..", ".."))
	for _, b := range requireAll(t) {
		files, err := b.apply(tree)
		require.NoError(t, err)
		require.NotEmpty(t, files, b.name)
	}
}

func TestFunctionsThatAreBrokenAreThere(t *testing.T) {
	method := regexp.MustCompile(`^(?:(\w+): )?(.*)$`)
	for _, b := range requireAll(t) {
		pkg := ""
		for name := range strings.SplitSeq(b.function, ", ") {
			m := method.FindStringSubmatch(name)
			if m[1] != "" {
				pkg = m[1]
			}
			require.True(t, declares(t, pkg, m[2]), "%s: %s has no %s", b.name, pkg, m[2])
		}
	}
}

// declares reports whether a file of a package declares a function, written as in (*T).Name.
func declares(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", pkg, "*.go"))
	require.NoError(t, err)
	receiver, of, isMethod := strings.Cut(name, ").")
	pattern := `(?m)^func ` + name + `\(`
	if isMethod {
		pattern = `(?m)^func \(\w+ ` + regexp.QuoteMeta(strings.TrimPrefix(receiver, "(")) + `\) ` + of + `\(`
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if regexp.MustCompile(pattern).Match(text) {
			return true
		}
	}
	return false
}

func TestEighteenBugsArePlantedAndEachIsInTheList(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, list, found := strings.Cut(string(page), "### Planted bugs")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n## ")
	var listed, there []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(list, -1) {
		listed = append(listed, m[1])
	}
	pairs := 0
	for _, b := range requireAll(t) {
		there = append(there, b.name)
		if b.pair != nil {
			pairs++
		}
	}
	require.Len(t, there, 18)
	require.Equal(t, 3, pairs)
	require.ElementsMatch(t, there, listed)
}

func TestPairsNameFaultsThatThereAre(t *testing.T) {
	for _, b := range requireAll(t) {
		for _, side := range b.pair {
			require.NoError(t, soak.CheckKinds(side), b.name)
		}
	}
}

func TestInvariantsThatSeeABugAreThere(t *testing.T) {
	for _, b := range requireAll(t) {
		for name := range strings.SplitSeq(b.seenBy, ", ") {
			require.True(t, isInvariant(name), "%s: %s", b.name, name)
		}
	}
}

func isInvariant(name string) bool {
	for i := soak.OnceInOrder; i <= soak.BooksBalance; i++ {
		if i.String() == name {
			return true
		}
	}
	return false
}

func TestPatchThatNoLongerFitsIsRefused(t *testing.T) {
	b, err := parse("x", "Function: udp: f\nSeen by: I1 once and in order\n\n--- a/f.go\n+++ b/f.go\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n")
	require.NoError(t, err)
	for text, fits := range map[string]bool{"one\ntwo\n": true, "one\nfour\n": false, "one\ntwo\none\ntwo\n": false} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f.go"), []byte(text), 0o600))
		files, err := b.apply(os.DirFS(dir))
		if fits {
			require.NoError(t, err)
			require.Equal(t, "one\nthree\n", files["f.go"])
		} else {
			require.Error(t, err)
		}
	}
}

func TestBugIsCaughtOnlyByWhatHasToSeeIt(t *testing.T) {
	b := bug{seenBy: "I1 once and in order, I11 only silence"}
	for text, caught := range map[string]bool{"": false, "I1 once": true, "I11 only": true, "I10 deadlines fit": false, "I12 silent": false} {
		require.Equal(t, caught, (&catch{bug: b, outcome: outcome{broken: text}}).caught(), text)
	}
	both := catch{bug: b, outcome: outcome{broken: "I1 once"}, alone: []outcome{{}, {broken: "I1 once"}}}
	require.False(t, both.caught(), "one side of the pair shows it alone")
}
