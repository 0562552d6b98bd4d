package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// userModule makes a module as a user has it: it requires this repository, replaced by the folder that it lies in, and needs no network.
func userModule(t *testing.T, files ...txtar.File) string {
	t.Helper()
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := module(t, files...)
	put(t, dir, "go.mod", "module example.com/game\n\ngo 1.26.0\n\n"+
		"require github.com/gannet-net/gannet v0.0.0\n\nreplace github.com/gannet-net/gannet => "+filepath.ToSlash(repository)+"\n")
	put(t, dir, "go.sum", read(t, repository, "go.sum"))
	return dir
}

// goCommand runs the go command in dir without network, and gives what it printed.
func goCommand(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func works(t *testing.T, dir string, args ...string) {
	t.Helper()
	out, err := goCommand(t, dir, args...)
	require.NoError(t, err, out)
}

func fails(t *testing.T, dir, want string, args ...string) {
	t.Helper()
	out, err := goCommand(t, dir, args...)
	require.Error(t, err, out)
	require.Contains(t, filepath.ToSlash(out), want)
}

// staleChange is one of a source file, and what the compiler says was changed when the code that netgen wrote is still that of before.
type staleChange struct{ old, new, because string }

// in is the folder of a copy of a package that has the change, so that one build tries all of them.
func (staleChange) in(folder string, i int) string { return fmt.Sprint("changed/", folder, i) }

// TestAModuleOfAUserFromTheFirstMessageToTheSecondProtocol uses netgen as a game does.
func TestAModuleOfAUserFromTheFirstMessageToTheSecondProtocol(t *testing.T) {
	dir := userModule(t, archive(t, "game.txtar").Files...)
	works(t, dir, "get", "-tool", "github.com/gannet-net/gannet/cmd/netgen")
	works(t, dir, "generate", "./...")
	works(t, dir, "vet", "./...")
	works(t, dir, "test", "-vet=off", "-run", "TestMessages$|TestCalls$", "./words", "./doors")
	code, lock := read(t, dir, "words", codeFile), read(t, dir, "words", lockFile)

	t.Log("a second run writes the same, over whatever the first run's file has become")
	put(t, dir, "words/"+codeFile, header+"\n\npackage words\n\nfunc (")
	succeeds(t, dir, "./words")
	require.Equal(t, code, read(t, dir, "words", codeFile))

	t.Log("what changed and was not generated does not build, and the error says what to do")
	changes := map[string][]staleChange{
		"words": {
			{"Loud bool", "Loud uint8", "Say_changed"}, {"Calm Mood = iota", "Calm Mood = iota + 1", "the_constants_of_Mood_changed"},
			{"Card = [4]uint8", "Card = [5]uint8", "Say_changed"}, {"max=200", "max=100", "Say_changed"},
		},
		"doors": {
			{"item Item) (", "item uint16) (", "DoorServer_changed"}, {"(uint32, error)", "(uint16, error)", "DoorServer_changed"},
			{"c rpc.ServerCall, want", "want", "DoorServer_changed"}, {"Price(", "Cost(", "DoorServer_changed"},
			{"by []string", "by []Latch", "DoorServer_changed"}, {"Kind uint8", "Kind uint16", "Item_changed"},
		},
	}
	build := []string{"build"}
	for folder, list := range changes {
		for i, c := range list {
			changed := c.in(folder, i)
			require.NoError(t, os.CopyFS(filepath.Join(dir, changed), os.DirFS(filepath.Join(dir, folder))))
			edit(t, dir, changed+"/"+folder+".go", c.old, c.new)
			build = append(build, "./"+changed)
		}
	}
	out, err := goCommand(t, dir, build...)
	require.Error(t, err, out)
	for folder, list := range changes {
		for i, c := range list {
			require.Regexp(t, regexp.QuoteMeta(c.in(folder, i)+"/z")+`.*run_go_generate_because_`+c.because, filepath.ToSlash(out))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, c.in(folder, i))))
		}
	}
	edit(t, dir, "words/words.go", "max=200", "max=100")
	fails(t, dir, "run_go_generate_because_Say_changed", "build", "./...")

	t.Log("nor is it generated under the same protocol")
	fails(t, dir, "words.go:20:2: Say.Text differs from protocol WORDS-1 (now: text max=100; there: text max=200): change it back, or write protocol=WORDS-2", "generate", "./words")
	require.Equal(t, lock, read(t, dir, "words", lockFile))
	edit(t, dir, "words/words.go", "WORDS-1", "WORDS-2")
	succeeds(t, dir, "./...")
	works(t, dir, "build", "./...")

	t.Log("code for another form of the library names what to do")
	edit(t, dir, "words/znet.go", formName, "IfUndefinedRunGoGenerate0")
	edit(t, dir, "doors/zrpc.go", callFormName, "IfUndefinedRunGoGenerate0")
	fails(t, dir, "undefined: msgs.IfUndefinedRunGoGenerate0", "build", "./...")
	fails(t, dir, "undefined: rpc.IfUndefinedRunGoGenerate0", "build", "./...")
}
