package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/gannet-net/gannet/internal/golden"
)

// module writes files into a new folder that is a module without dependencies.
func module(t *testing.T, files ...txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/game\n\ngo 1.26\n")
	for _, f := range files {
		put(t, dir, f.Name, string(f.Data))
	}
	return dir
}

// written remembers what netgen wrote for the files of a module.
var written = map[string][]txtar.File{}

// generated is a module of the files and of what netgen writes for them. It runs once for the same files, since many tests begin with those.
func generated(t *testing.T, files ...txtar.File) string {
	t.Helper()
	dir := module(t, files...)
	key := string(txtar.Format(&txtar.Archive{Files: files}))
	if written[key] == nil {
		succeeds(t, dir, "./...")
		written[key] = outputOf(t, dir)
	}
	for _, f := range written[key] {
		put(t, dir, f.Name, string(f.Data))
	}
	return dir
}

// outputOf gives the files that netgen wrote in dir and below.
func outputOf(t *testing.T, dir string) (files []txtar.File) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); name == lockFile || slices.Contains(ours, name) {
			files = append(files, txtar.File{Name: path, Data: []byte(read(t, dir, path))})
		}
		return err
	}))
	return files
}

// outputIn is all that netgen wrote in a folder of dir, as one text.
func outputIn(t *testing.T, dir, folder string) string {
	t.Helper()
	return string(txtar.Format(&txtar.Archive{Files: outputOf(t, filepath.Join(dir, folder))}))
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// netgen runs the program in dir, and gives its exit status and what it printed.
func netgen(dir string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(dir, args, &out, &errs)
	return status, out.String(), filepath.ToSlash(errs.String())
}

func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return a
}

// said gives the lines that are about the files in a folder.
func said(stderr, folder string) string {
	var lines strings.Builder
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, folder+"/") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// mistakes compares what netgen says about the packages of an archive with what the archive has it say.
func mistakes(t *testing.T, name string, more ...txtar.File) {
	t.Helper()
	a := archive(t, name)
	inputs := slices.DeleteFunc(slices.Clone(a.Files), func(f txtar.File) bool { return strings.HasSuffix(f.Name, "/want") })
	dir := module(t, append(more, inputs...)...)
	status, stdout, stderr := netgen(dir, "./...")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)

	want := &txtar.Archive{Comment: a.Comment}
	lines := 0
	for i, f := range inputs {
		want.Files = append(want.Files, f)
		folder := filepath.ToSlash(filepath.Dir(f.Name))
		if i+1 == len(inputs) || filepath.ToSlash(filepath.Dir(inputs[i+1].Name)) != folder {
			told := said(stderr, folder)
			lines += strings.Count(told, "\n")
			want.Files = append(want.Files, txtar.File{Name: folder + "/want", Data: []byte(told)})
		}
	}
	require.Equal(t, strings.Count(stderr, "\n"), lines, "all that was said is about one of the folders:\n%s", stderr)
	golden.Equal(t, name, string(txtar.Format(want)))
}

func TestEveryMistakeIsToldWithItsPlaceAndWhatToWriteInstead(t *testing.T) {
	mistakes(t, "errors.txtar")
}

// library makes a module stand in for this one, with what of package rpc a contract names.
var library = []txtar.File{
	{Name: "go.mod", Data: []byte("module github.com/gannet-net/gannet\n\ngo 1.26\n")},
	{Name: "rpc/rpc.go", Data: []byte("package rpc\n\ntype (\n\tServerCall struct{}\n\tClientCall struct{}\n\tAudience struct{}\n\tNetID uint32\n)\n")},
}

func TestEveryMistakeInAContractIsToldWithItsPlaceAndWhatToWriteInstead(t *testing.T) {
	mistakes(t, "callerrors.txtar", library...)
}
