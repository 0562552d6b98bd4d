package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

const chatSource = `//net:catalogue protocol=CHAT-1
package chat

//net:message id=10 from=both
type Say struct {
	Text  string
	Parts []Part
}

type Part struct {
	Size uint8
}

//net:message id=11 from=host
type Wave struct{}
`

// chat is a module with the package chat, generated.
func chat(t *testing.T) string {
	t.Helper()
	return generated(t, txtar.File{Name: "chat.go", Data: []byte(chatSource)})
}

func succeeds(t *testing.T, dir string, args ...string) {
	t.Helper()
	status, _, stderr := netgen(dir, args...)
	require.Equal(t, 0, status, stderr)
}

// says runs netgen, which is to fail, and to say exactly this.
func says(t *testing.T, dir, want string, args ...string) {
	t.Helper()
	status, _, stderr := netgen(dir, args...)
	require.Equal(t, 1, status)
	require.Equal(t, want, stderr)
}

// edit replaces text in a file.
func edit(t *testing.T, dir, name, old, new string) {
	t.Helper()
	text := read(t, dir, name)
	require.Contains(t, text, old)
	put(t, dir, name, strings.ReplaceAll(text, old, new))
}

func TestASecondRunWritesTheSameBytes(t *testing.T) {
	dir := chat(t)
	before := read(t, dir, codeFile) + read(t, dir, testFile) + read(t, dir, lockFile)
	require.NotContains(t, before, filepath.ToSlash(dir))
	succeeds(t, dir)
	require.Equal(t, before, read(t, dir, codeFile)+read(t, dir, testFile)+read(t, dir, lockFile))
	put(t, dir, "below/note.txt", "")
	succeeds(t, filepath.Join(dir, "below"), "..")
	require.Equal(t, before, read(t, dir, codeFile)+read(t, dir, testFile)+read(t, dir, lockFile))
}

func TestFilesThatAreAsTheyShouldBeAreNotWritten(t *testing.T) {
	dir := chat(t)
	for _, name := range []string{codeFile, testFile, lockFile} {
		require.NoError(t, os.Chmod(filepath.Join(dir, name), 0o444))
	}
	before, err := os.Stat(filepath.Join(dir, codeFile))
	require.NoError(t, err)
	succeeds(t, dir)
	after, err := os.Stat(filepath.Join(dir, codeFile))
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime())
}

func TestTheOrderOfFilesAndDeclarationsChangesNothing(t *testing.T) {
	dir := chat(t)
	before := read(t, dir, codeFile) + read(t, dir, testFile)
	parts := strings.SplitAfter(chatSource, "}\n")
	put(t, dir, "chat.go", parts[2]+"\n")
	edit(t, dir, "chat.go", "\n//net:message id=11", "package chat\n\n//net:message id=11")
	put(t, dir, "a.go", "package chat\n"+parts[1])
	put(t, dir, "z.go", parts[0])
	succeeds(t, dir)
	require.Equal(t, before, read(t, dir, codeFile)+read(t, dir, testFile))
}

func TestBrokenOutputIsNeverInTheWayOfWritingItAnew(t *testing.T) {
	table := map[string]string{
		"cut off":        header + "\n\npackage chat\n\nfunc (",
		"conflict":       header + "\n<<<<<<< HEAD\npackage chat\n=======\npackage chat\n>>>>>>> other\n",
		"markers on top": "<<<<<<< HEAD\n" + header + "\n\npackage chat\n=======\n>>>>>>> other\n",
		"empty":          "",
		"other package":  header + "\n\npackage talk\n",
		"uses what went": header + "\n\npackage chat\n\nvar _ = Gone{}.Text\n",
	}
	dir := generated(t, copies(table, "chat.go", chatSource)...)
	want := map[string]string{}
	for name, broken := range table {
		want[name] = outputIn(t, dir, folderOf(name))
		put(t, dir, folderOf(name)+"/"+codeFile, broken)
		put(t, dir, folderOf(name)+"/"+testFile, broken)
	}
	succeeds(t, dir, "./...")
	for name := range table {
		require.Equal(t, want[name], outputIn(t, dir, folderOf(name)), name)
	}
}

func TestAFileOfTheUserIsNeverOverwritten(t *testing.T) {
	dir := module(t, txtar.File{Name: "chat.go", Data: []byte(chatSource)}, txtar.File{Name: codeFile, Data: []byte("package chat\n\nvar mine int\n")})
	says(t, dir, "netgen: example.com/game: znet.go is not netgen's, which would overwrite it: give it another name\n")
	require.Equal(t, "package chat\n\nvar mine int\n", read(t, dir, codeFile))
}

func TestOutputOfMessagesThatAreGoneIsRemovedAndTheLockStays(t *testing.T) {
	dir := chat(t)
	put(t, dir, "chat.go", "package chat\n")
	says(t, dir, "netgen: example.com/game: znet.go is left of messages that are gone: run go generate\n"+
		"netgen: example.com/game: znet_test.go is left of messages that are gone: run go generate\n", "-check")
	succeeds(t, dir)
	require.NoFileExists(t, filepath.Join(dir, codeFile))
	require.NoFileExists(t, filepath.Join(dir, testFile))
	require.FileExists(t, filepath.Join(dir, lockFile))
}

func TestAPackageWithoutDirectivesIsAnErrorWhereItIsNamed(t *testing.T) {
	dir := module(t, txtar.File{Name: "chat.go", Data: []byte("package chat\n")})
	says(t, dir, "netgen: example.com/game: there is no net: directive: write //net:catalogue protocol=NAME-1 above a package clause\n")
	succeeds(t, dir, "./...")
}

func TestAFolderWithoutGoFilesIsAnError(t *testing.T) {
	status, _, stderr := netgen(module(t), ".")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "no Go files")
}

func TestCheckWritesNothingAndTellsTheFirstLineThatIsStale(t *testing.T) {
	dir := chat(t)
	succeeds(t, dir, "-check")
	before := read(t, dir, codeFile)
	edit(t, dir, "chat.go", "id=11 from=host", "id=11 from=host urgent")
	edit(t, dir, "chat.go", "CHAT-1", "CHAT-2")
	status, _, stderr := netgen(dir, "-check")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "netgen: example.com/game: znet.go is stale: run go generate\n"+
		"\tline 17 is    // Catalogue is the messages of this package, protocol CHAT-1.\n"+
		"\tbut is to be // Catalogue is the messages of this package, protocol CHAT-2.\n")
	require.Contains(t, stderr, "netgen.lock is stale")
	require.Equal(t, before, read(t, dir, codeFile))
	require.NotContains(t, read(t, dir, lockFile), "CHAT-2")
}

func TestCheckTellsWhatIsMissing(t *testing.T) {
	dir := chat(t)
	require.NoError(t, os.Remove(filepath.Join(dir, testFile)))
	says(t, dir, "netgen: example.com/game: znet_test.go is missing: run go generate\n", "-check")
}

func TestLineEndsOfGitOnWindowsAreNotStale(t *testing.T) {
	dir := chat(t)
	for _, name := range []string{codeFile, testFile, lockFile} {
		edit(t, dir, name, "\n", "\r\n")
	}
	succeeds(t, dir, "-check")
}

func TestUnknownFlagsAreRefused(t *testing.T) {
	status, _, stderr := netgen(t.TempDir(), "-chek")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "usage: go tool netgen")
	status, _, stderr = netgen(t.TempDir(), "-check", "-schema")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "do not go together")
}

func TestSamplesOfTheUserAreTried(t *testing.T) {
	dir := chat(t)
	put(t, dir, "chat_test.go", "package chat\n\nfunc moreSamples() []any { return nil }\n")
	succeeds(t, dir)
	require.Contains(t, read(t, dir, testFile), "moreSamples()...)")
}

func TestAModuleMayFuzzItsCataloguesInATargetOfItsOwn(t *testing.T) {
	dir := chat(t)
	require.Contains(t, read(t, dir, testFile), "func FuzzMessages(")
	source := read(t, dir, "chat.go")
	require.Contains(t, source, "//net:catalogue protocol=CHAT-1")
	put(t, dir, "chat.go", strings.Replace(source, "//net:catalogue protocol=CHAT-1", "//net:catalogue protocol=CHAT-1 nofuzz", 1))
	succeeds(t, dir)
	require.NotContains(t, read(t, dir, testFile), "FuzzMessages")
	require.Contains(t, read(t, dir, testFile), "func TestMessages(")
}

func TestAnImportPathIsAPatternToo(t *testing.T) {
	dir := chat(t)
	want := read(t, dir, codeFile)
	put(t, dir, codeFile, header+"\n\npackage talk\n\nfunc (")
	succeeds(t, dir, "example.com/game")
	require.Equal(t, want, read(t, dir, codeFile))
}

func TestAPatternThatMatchesNothingIsAnError(t *testing.T) {
	status, _, stderr := netgen(module(t), "./...")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "no package matches ./...: name folders with Go files, in a module, which go mod init makes")
}

// A file alone would be a catalogue without the messages of the others.
func TestAFileIsNoPattern(t *testing.T) {
	dir := chat(t)
	for _, file := range []string{"chat.go", "./chat.go"} {
		says(t, dir, "netgen: "+file+" is a file, and a catalogue is all files of its package: write its folder, or nothing in go:generate\n", file)
	}
}

func TestSourceWithLineEndsOfWindowsGivesTheSame(t *testing.T) {
	dir := chat(t)
	want := read(t, dir, codeFile)
	edit(t, dir, "chat.go", "\n", "\r\n")
	succeeds(t, dir, "-check")
	succeeds(t, dir)
	require.Equal(t, want, read(t, dir, codeFile))
}

func TestWhatIsImportedNeedNotCompile(t *testing.T) {
	dir := module(t,
		txtar.File{Name: "a/a.go", Data: []byte("//net:catalogue protocol=A-1\npackage a\n\nimport (\n\t\"example.com/game/b\"\n\t\"example.com/nowhere\"\n)\n\n" +
			"//net:message id=1 from=both\ntype Say struct{ Text string }\n\nfunc f() error { nowhere.Go(); return b.Say{}.Send(nil) }\n")},
		txtar.File{Name: "b/b.go", Data: []byte("//net:catalogue protocol=B-1\npackage b\n\n//net:message id=1 from=both\ntype Say struct{ Text string }\n\n" +
			"func f() error { return Say{}.Send(nil) }\n")})
	succeeds(t, dir, "./a")
	succeeds(t, dir, "./...")
	require.FileExists(t, filepath.Join(dir, "b", codeFile))
}

func TestAConstantOfAnotherPackageCanBeTheLengthOfAnArray(t *testing.T) {
	dir := module(t, txtar.File{Name: "a.go", Data: []byte("//net:catalogue protocol=A-1\npackage a\n\nimport \"crypto/sha256\"\n\n" +
		"//net:message id=1 from=both\ntype Say struct{ Hash [sha256.Size]byte }\n")})
	succeeds(t, dir)
	require.Contains(t, read(t, dir, codeFile), "Hash [32]byte")
}

// What is tested of generated code is tested of these, so they have to be what netgen writes now.
func TestTheCataloguesOfThisRepositoryAreFresh(t *testing.T) {
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	status, _, stderr := netgen(repository, "-check", "./internal/testcatalogue/...", "./internal/testcontract", "./internal/testplugin", "./examples/derby/park")
	require.Equal(t, 0, status, stderr)
}
