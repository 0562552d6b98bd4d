package main

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// problem is a mistake in the user's source: where it is, what is wrong, and what to write instead.
type problem struct {
	at      token.Position
	text    string
	warning bool // it does not stop the run
}

// problems collects the mistakes of one package, so that one run tells all of them.
type problems struct {
	fset *token.FileSet
	dir  string // file names are told relative to it where they are below it
	list []problem
}

func (p *problems) errorf(pos token.Pos, format string, args ...any) {
	p.add(p.fset.Position(pos), false, fmt.Sprintf(format, args...))
}

func (p *problems) warnf(pos token.Pos, format string, args ...any) {
	p.add(p.fset.Position(pos), true, fmt.Sprintf(format, args...))
}

// errorAt is errorf for a place in a file that is not Go.
func (p *problems) errorAt(file string, line int, format string, args ...any) {
	p.add(token.Position{Filename: file, Line: line, Column: 1}, false, fmt.Sprintf(format, args...))
}

func (p *problems) add(at token.Position, warning bool, text string) {
	at.Filename = relative(p.dir, at.Filename)
	p.list = append(p.list, problem{at, text, warning})
}

// failed reports whether something stops the run.
func (p *problems) failed() bool {
	return slices.ContainsFunc(p.list, func(q problem) bool { return !q.warning })
}

// print writes the problems in the order of the source, each one once.
func (p *problems) print(w io.Writer) {
	slices.SortStableFunc(p.list, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.at.Filename, b.at.Filename), cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Column, b.at.Column),
			cmp.Compare(a.text, b.text))
	})
	for _, q := range slices.Compact(p.list) {
		if q.warning {
			q.text = "warning: " + q.text
		}
		if q.at.IsValid() {
			q.text = q.at.String() + ": " + q.text
		}
		fmt.Fprintln(w, q.text)
	}
}

// relative gives the name of a file as the user would type it in dir.
func relative(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return file
	}
	return rel
}
