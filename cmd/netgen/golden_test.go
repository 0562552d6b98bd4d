package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/gannet-net/gannet/internal/golden"
)

func TestGoldenOutputOfSmallCatalogues(t *testing.T) {
	dir := module(t, archive(t, "small.txtar").Files...)
	status, stdout, stderr := netgen(dir, "./...")
	require.Equal(t, 0, status, stderr)
	require.Empty(t, stdout+stderr)
	for _, folder := range []string{"arena", "chat"} {
		for _, name := range []string{codeFile, testFile, lockFile} {
			golden.Equal(t, folder+"."+name, read(t, dir, folder, name))
		}
		status, stdout, stderr = netgen(filepath.Join(dir, folder), "-schema")
		require.Equal(t, 0, status, stderr)
		golden.Equal(t, folder+".json", stdout)
	}
}

func TestGoldenOutputOfAContract(t *testing.T) {
	dir := module(t, append(slices.Clone(library), archive(t, "gate.txtar").Files...)...)
	status, stdout, stderr := netgen(dir, "./gate")
	require.Equal(t, 0, status, stderr)
	require.Empty(t, stdout+stderr)
	for _, name := range []string{codeFile, callFile, testFile, lockFile} {
		golden.Equal(t, "gate."+name, read(t, dir, "gate", name))
	}
	status, stdout, stderr = netgen(dir, "-schema", "./gate")
	require.Equal(t, 0, status, stderr)
	golden.Equal(t, "gate.json", stdout)
}

// TestTwentyRunsWriteTheSameBytes writes twenty packages of the same files, from the start and then over what is there, since maps have another order each time.
func TestTwentyRunsWriteTheSameBytes(t *testing.T) {
	files := slices.Clone(library)
	for i := range 20 {
		for _, f := range archive(t, "gate.txtar").Files {
			files = append(files, txtar.File{Name: fmt.Sprintf("%d/%s", i, f.Name), Data: f.Data})
		}
	}
	dir := module(t, files...)
	for range 2 {
		succeeds(t, dir, "./...")
		for i := range 20 {
			for _, name := range []string{codeFile, callFile, testFile, lockFile} {
				require.Equal(t, read(t, "testdata", "gate."+name), read(t, dir, fmt.Sprint(i), "gate", name))
			}
		}
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(elements...))
	require.NoError(t, err)
	return string(source)
}
