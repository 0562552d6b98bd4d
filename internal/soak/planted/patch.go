package main

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.patch
var patches embed.FS

// bug is one way in which the code is broken.
type bug struct {
	name     string
	function string     // where
	seenBy   string     // the invariant that has to see it
	pair     [][]string // what both have to happen, as kinds of faults; nil if one fault is enough
	changes  []change
}

// change replaces some lines of a file.
type change struct {
	file     string // from the root of the module
	old, new string
}

// all gives the bugs in the order of their names.
func all() ([]bug, error) {
	names, err := fs.Glob(patches, "*.patch")
	if err != nil {
		return nil, err
	}
	var bugs []bug
	for _, name := range names {
		text, err := patches.ReadFile(name)
		if err != nil {
			return nil, err
		}
		b, err := parse(strings.TrimSuffix(name, ".patch"), string(text))
		if err != nil {
			return nil, err
		}
		bugs = append(bugs, b)
	}
	return bugs, nil
}

// choose gives the bugs of the names, all if there are none.
func choose(names []string) ([]bug, error) {
	bugs, err := all()
	if err != nil || len(names) == 0 {
		return bugs, err
	}
	for _, n := range names {
		if !slices.ContainsFunc(bugs, func(b bug) bool { return b.name == n }) {
			return nil, fmt.Errorf("no patch is called %q", n)
		}
	}
	return slices.DeleteFunc(bugs, func(b bug) bool { return !slices.Contains(names, b.name) }), nil
}

// parse reads a patch: lines with a word and a colon, and then a unified diff.
func parse(name, text string) (bug, error) {
	b := bug{name: name}
	var c *change
	for line := range strings.Lines(text) {
		head, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case strings.HasPrefix(line, "+++ b/"):
			b.changes = append(b.changes, change{file: strings.TrimSpace(line[len("+++ b/"):])})
			c = nil
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			c = nil
		case strings.HasPrefix(line, "@@ "):
			if len(b.changes) == 0 {
				return b, fmt.Errorf("%s: a change before the name of its file", name)
			}
			last := b.changes[len(b.changes)-1]
			if last.old != "" {
				b.changes = append(b.changes, change{file: last.file})
			}
			c = &b.changes[len(b.changes)-1]
		case c != nil:
			c.take(line)
		case head == "Function":
			b.function = rest
		case head == "Seen by":
			b.seenBy = rest
		case head == "Pair":
			for group := range strings.SplitSeq(rest, " + ") {
				b.pair = append(b.pair, strings.Split(group, ", "))
			}
		}
	}
	return b, b.check()
}

// take adds a line of a diff.
func (c *change) take(line string) {
	switch line[0] {
	case '-':
		c.old += line[1:]
	case '+':
		c.new += line[1:]
	case ' ':
		c.old += line[1:]
		c.new += line[1:]
	case '\n': // an empty line of which an editor took the blank
		c.old += line
		c.new += line
	}
}

func (b *bug) check() error {
	switch {
	case b.function == "" || b.seenBy == "":
		return fmt.Errorf("%s: a patch begins with what it breaks: Function and Seen by", b.name)
	case len(b.changes) == 0:
		return fmt.Errorf("%s: a patch changes something", b.name)
	case b.pair != nil && len(b.pair) != 2:
		return fmt.Errorf("%s: a pair has two sides", b.name)
	}
	return nil
}

// apply makes the changes to the files of a tree, and gives those that it changed.
func (b *bug) apply(tree fs.FS) (map[string]string, error) {
	files := map[string]string{}
	for _, c := range b.changes {
		text, ok := files[c.file]
		if !ok {
			read, err := fs.ReadFile(tree, c.file)
			if err != nil {
				return nil, err
			}
			text = string(read)
		}
		if n := strings.Count(text, c.old); n != 1 {
			return nil, fmt.Errorf("%s: %s has these lines %d times, and should have them once:\n%s", b.name, c.file, n, c.old)
		}
		files[c.file] = strings.Replace(text, c.old, c.new, 1)
	}
	return files, nil
}
