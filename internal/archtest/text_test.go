package archtest

import (
	"bytes"
	"fmt"
	"go/format"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoFilesAreFormatted(t *testing.T) {
	var findings []string
	for _, f := range textFiles(t) {
		if f.isGo() && !isFormatted(f) {
			findings = append(findings, f.path+": not formatted: run gofmt -w")
		}
	}
	requireNone(t, findings)
}

func isFormatted(f file) bool {
	formatted, err := format.Source(f.data)
	return err == nil && bytes.Equal(formatted, f.data)
}

func TestUnformattedFilesAreFound(t *testing.T) {
	require.True(t, isFormatted(file{"a.go", []byte("package a\n\nvar x = 1\n")}))
	require.False(t, isFormatted(file{"a.go", []byte("package a\n\nvar x  = 1\n")}))
	require.False(t, isFormatted(file{"a.go", []byte("package\n")}))
}

func TestNoWordMarksUnfinishedWork(t *testing.T) {
	var findings []string
	for _, f := range textFiles(t) {
		findings = append(findings, unfinishedWork(f)...)
	}
	requireNone(t, findings)
}

// unfinishedWork finds the lines of f that put something off.
func unfinishedWork(f file) []string {
	word := regexp.MustCompile(`\b(` + strings.Join(unfinished, "|") + `)\b`)
	var findings []string
	for i, line := range strings.Split(string(f.data), "\n") {
		if word.MatchString(line) {
			findings = append(findings, fmt.Sprintf("%s:%d: %s", f.path, i+1, strings.TrimSpace(line)))
		}
	}
	return findings
}

func TestUnfinishedWorkIsFound(t *testing.T) {
	for _, word := range unfinished {
		require.Len(t, unfinishedWork(file{"a.md", []byte("first\n" + word + ": the rest\n")}), 1)
	}
	require.Empty(t, unfinishedWork(file{"a.go", []byte("var TO" + "DOS int\n")}))
}
