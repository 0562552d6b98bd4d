package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgressIsSilentWithoutATerminal(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, "working", 10)
	p.add(5)
	p.end()
	require.Empty(t, b.String())

	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer file.Close()
	require.False(t, isTerminal(file))
}

func TestProgressDrawsABarAndRemovesIt(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b, label: "working", total: 4}
	p.add(1)
	require.Equal(t, "\rworking [==========                              ]  25%", b.String())
	p.add(1)
	require.NotContains(t, b.String(), "50%", "not drawn again so soon")
	b.Reset()
	p.add(100)
	p.draw()
	require.Contains(t, b.String(), "[========================================] 100%")
	b.Reset()
	p.end()
	require.Regexp(t, "^\r +\r$", b.String())
}
