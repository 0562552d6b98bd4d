package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

const (
	prefix     = "//net:"
	callPrefix = "//rpc:"
)

// directive is one line such as "//net:message id=10 from=client".
type directive struct {
	pos   token.Pos
	verb  string // of those of calls with what stands before it, such as rpc:server
	words []word // behind the verb
	all   []word // with the verb, as a directive such as "//net:bits=5" needs it
}

// word is one word of a directive or tag: a bare one such as large, or a key with a value.
type word struct {
	pos        token.Pos
	key, value string
	valued     bool // it has a "=", perhaps with nothing behind it
}

func (w word) String() string {
	if w.valued {
		return w.key + "=" + w.value
	}
	return w.key
}

// parseDirective reads a comment, and reports whether it is a directive of netgen.
func parseDirective(c *ast.Comment) (directive, bool) {
	text, ok := strings.CutPrefix(c.Text, prefix)
	callText, isCall := strings.CutPrefix(c.Text, callPrefix)
	if isCall {
		text = callText
	}
	if !ok && !isCall {
		return directive{}, false
	}
	all := splitWords(text, c.Pos()+token.Pos(len(prefix)), ' ')
	d := directive{pos: c.Pos()}
	if len(all) > 0 {
		d = directive{c.Pos(), all[0].key, all[1:], all}
	}
	if isCall {
		d.verb = "rpc:" + d.verb
	}
	return d, true
}

// name is how the directive is written.
func (d directive) name() string {
	if strings.HasPrefix(d.verb, "rpc:") {
		return d.verb
	}
	return "net:" + d.verb
}

// parseTag reads the words of a net:"…" tag. The quotes of a tag can hide where a word is, so all words stand at the tag.
func parseTag(value string, pos token.Pos) []word {
	words := splitWords(value, pos, ',')
	for i := range words {
		words[i].pos = pos
	}
	return words
}

func splitWords(text string, pos token.Pos, separator byte) []word {
	var words []word
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], separator)
		if end < 0 {
			end = len(text) - at
		}
		field := text[at : at+end]
		if trimmed := strings.TrimSpace(field); trimmed != "" {
			skipped := strings.Index(field, trimmed)
			key, value, valued := strings.Cut(trimmed, "=")
			words = append(words, word{pos + token.Pos(at+skipped), key, value, valued})
		}
		at += end + 1
	}
	return words
}

// directives finds the directives of a file. Those that nothing takes stand where they mean nothing.
type directives struct {
	file  *ast.File
	found map[*ast.Comment]directive
}

func findDirectives(file *ast.File) directives {
	d := directives{file, map[*ast.Comment]directive{}}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if parsed, ok := parseDirective(c); ok {
				d.found[c] = parsed
			}
		}
	}
	return d
}

// take gives the directives of a comment group and marks them as taken.
func (d directives) take(groups ...*ast.CommentGroup) []directive {
	var list []directive
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, c := range group.List {
			if found, ok := d.found[c]; ok {
				list = append(list, found)
				delete(d.found, c)
			}
		}
	}
	return list
}

// takeHead gives the directives above the package clause.
func (d directives) takeHead() []directive {
	var head []*ast.CommentGroup
	for _, group := range d.file.Comments {
		if group.End() < d.file.Package {
			head = append(head, group)
		}
	}
	return d.take(head...)
}

// left gives what nobody took, in the order of the source.
func (d directives) left() []directive {
	var list []directive
	for _, found := range d.found {
		list = append(list, found)
	}
	slices.SortFunc(list, func(a, b directive) int { return int(a.pos - b.pos) })
	return list
}
