package newcomer

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a page says to do, in the order in which it is read, and to expect.
var (
	// A file to write, by its name and text, or a command to type.
	step   = regexp.MustCompile("(?ms)^`([a-z/_]+\\.go)`\n\n```go\n(.*?)^```$|^    (go .*?)$")
	prints = regexp.MustCompile("prints `(.*?)`")
)

// pages are docs/*.md, and how many lines of each a newcomer may have to type.
var pages = map[string]int{"messages": 80, "calls": 130}

func TestPagesAreTrueFromAnEmptyFolder(t *testing.T) {
	needModules(t)
	for name := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := readPage(t, name)
			folder := t.TempDir()
			sums, err := os.ReadFile("../../go.sum") // who is online looks these up
			require.NoError(t, err)
			write(t, filepath.Join(folder, "go.sum"), string(sums))

			printed := map[string]string{} // by the command
			for _, s := range step.FindAllStringSubmatch(page, -1) {
				if file, text, command := s[1], s[2], s[3]; file != "" {
					formatted, err := format.Source([]byte(text))
					require.NoError(t, err, file)
					require.Equal(t, string(formatted), text, file)
					write(t, filepath.Join(folder, file), text)
				} else {
					printed[command] = run(t, folder, command)
				}
			}
			require.Equal(t, prints.FindStringSubmatch(page)[1]+"\n", printed["go run ."])
			run(t, folder, "go vet ./...")
			if _, tested := printed["go test ./..."]; !tested {
				run(t, folder, "go test -vet=off ./...")
			}
		})
	}
}

func TestPagesAreShort(t *testing.T) {
	for name, limit := range pages {
		lines := 0
		for _, s := range step.FindAllStringSubmatch(readPage(t, name), -1) {
			for line := range strings.Lines(s[2] + s[3] + "\n") {
				if strings.TrimSpace(line) != "" {
					lines++
				}
			}
		}
		require.Less(t, lines, limit, "lines to type of %s", name)
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + name + ".md")
	require.NoError(t, err)
	return strings.ReplaceAll(string(page), "\r\n", "\n")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// needModules lets Go fetch what a module that requires this one needs, where it is not there yet: the tests of this package alone need less, and a whole
// go test ./... leaves out the go.mod files that only others read.
func needModules(t *testing.T) {
	t.Helper()
	for _, what := range []string{"download", "graph"} {
		cmd := exec.Command("go", "mod", what)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("go mod %s has to work once, and downloads what is missing: %v\n%s", what, err, out)
		}
	}
}

// run runs a command of the page. A clone beside the folder is this one, and nothing is downloaded: what it needs, it has from this module.
func run(t *testing.T, folder, command string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	words := strings.Fields(strings.ReplaceAll(command, "../gannet", filepath.ToSlash(root)))
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s: %s%s", command, out, &stderr)
	return string(out)
}
