package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

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

func read(t *testing.T, elements ...string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(elements...))
	require.NoError(t, err)
	return string(source)
}
