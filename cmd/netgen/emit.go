package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// root is the module path that generated code imports from.
const root = "github.com/gannet-net/gannet/"

// printer writes Go source.
type printer struct {
	*catalogue
	out     bytes.Buffer
	imports map[string]bool
	repeats bool // samples call repeat
}

// p prints one line, or a few.
func (g *printer) p(format string, args ...any) {
	fmt.Fprintf(&g.out, format+"\n", args...)
}

// use imports a package.
func (g *printer) use(path string) {
	g.imports[path] = true
}

// typeName is how the package itself writes a type.
func (g *printer) typeName(t types.Type) string { return types.TypeString(t, types.RelativeTo(g.pkg)) }

// source puts the header and the imports in front of what was printed.
func (g *printer) source() ([]byte, error) {
	var file bytes.Buffer
	fmt.Fprintf(&file, "%s\n\npackage %s\n\nimport (\n", header, g.pkg.Name())
	paths := slices.Sorted(maps.Keys(g.imports))
	for _, path := range paths {
		if !strings.Contains(path, ".") {
			fmt.Fprintf(&file, "\t%q\n", path)
		}
	}
	fmt.Fprintln(&file)
	for _, path := range paths {
		if strings.Contains(path, ".") {
			fmt.Fprintf(&file, "\t%q\n", path)
		}
	}
	fmt.Fprint(&file, ")\n\n")
	file.Write(g.out.Bytes())
	return format.Source(file.Bytes())
}

// emit writes znet.go.
func emit(c *catalogue) ([]byte, error) {
	g := &printer{catalogue: c, imports: map[string]bool{root + "msgs": true}}
	if len(c.messages) > 0 || len(c.structs) > 0 {
		g.use(root + "wire")
	}
	g.catalogueVar()
	for _, m := range c.messages {
		g.message(m)
	}
	for _, s := range c.structs {
		g.nested(s)
	}
	for _, e := range c.enums {
		g.enum(e)
	}
	g.helpers()
	g.guards()
	return g.source()
}

// message prints the methods of a message.
func (g *printer) message(m *message) {
	g.p("\n// Descriptor says which message of which catalogue it is. It works on a nil pointer.")
	g.p("func (*%s) Descriptor() msgs.Descriptor {", m.name)
	g.p("return msgs.Descriptor{Catalogue: &Catalogue, Entry: &Catalogue.Entries[entry%s]}\n}", m.name)
	if m.raw {
		return
	}
	g.appendMethod(m)
	g.parseMethod(m)
	g.p("\n// Send encodes m and sends it to a peer, or to many%s. It keeps nothing of m. The error is nil or a *msgs.SendError.", senders[m.layout.From])
	g.p("func (m %s) Send(to msgs.Target) error {", m.name)
	g.p("b, err := (&m).Append(to.Buffer())")
	g.p("return to.SendEncoded((&m).Descriptor(), b, err)\n}")
}

var senders = map[layout.Side]string{layout.Client: "; clients do that", layout.Host: "; the host does that", layout.Both: ""}

func (m *message) size() string {
	switch m.max {
	case layout.Unlimited:
		return fmt.Sprintf("%d bytes and more", m.least)
	case m.least:
		return fmt.Sprintf("%d bytes", m.max)
	}
	return fmt.Sprintf("%d to %d bytes", m.least, m.max)
}

func (g *printer) appendMethod(m *message) {
	g.p("\n// Append appends m with its id to b: %s. If a value cannot be encoded it returns b and an error that names the field.", m.size())
	g.p("func (m *%s) Append(b []byte) ([]byte, error) {", m.name)
	if m.validated {
		g.p("if err := m.Validate(); err != nil {\nreturn b, msgs.Invalid(m.Descriptor(), err)\n}")
	}
	e := &encoder{printer: g, stream: "&w", codec: g.Codec}
	progress := "Len"
	if g.Codec == layout.Bytes {
		g.p("w := wire.NewWriter(b)\nw.Uint8(%d)", m.layout.ID)
	} else {
		progress = "Offset" // in bits
		g.p("w := wire.NewBitWriter(b)")
		if n := g.IDBits(m.layout.From); n > 0 {
			g.p("w.Uint(%d, %d)", m.layout.ID, n)
		}
	}
	e.fields(m.structType, "m")
	g.p("if err := w.Err(); err != nil {\nreturn b, msgs.Blame(m.Descriptor(), w.Bytes()[len(b):], w.%s(), err)\n}", progress)
	g.p("return w.Bytes(), nil\n}")
}

func (g *printer) parseMethod(m *message) {
	g.p("\n// Parse decodes a whole message, id included, into m. It copies what it keeps and reuses the memory of m.")
	g.p("func (m *%s) Parse(b []byte) error {", m.name)
	d := &decoder{printer: g, stream: "&r", codec: g.Codec}
	left, width := "Len", 8
	if g.Codec == layout.Bytes {
		g.p("r := wire.NewReader(b)")
	} else {
		g.p("r := wire.NewBitReader(b)")
		left, width = "Unread", g.IDBits(m.layout.From)
	}
	switch {
	case g.Codec == layout.Bytes:
		g.p("id := r.Uint8()")
	case width > 0:
		g.p("id := r.Uint(%d)", width)
	}
	if width > 0 {
		g.p("if r.Err() == nil && id != %d {\nreturn msgs.OtherID(m.Descriptor(), int(id))\n}", m.layout.ID)
	}
	d.fields(m.structType, "m")
	g.p("left := r.%s()", left)
	g.p("if err := r.Err(); err != nil {\nreturn msgs.Blame(m.Descriptor(), b, r.Offset(), err)\n}")
	if m.validated {
		g.p("if err := m.Validate(); err != nil {\nreturn msgs.Invalid(m.Descriptor(), err)\n}")
	}
	g.p("if left > 0 {\nreturn msgs.Unread(m.Descriptor(), len(b), left)\n}")
	g.p("return nil\n}")
}

// nested prints what encodes and decodes a struct that is part of messages.
func (g *printer) nested(s *structType) {
	writer, reader := "Writer", "Reader"
	if g.Codec == layout.Bits {
		writer, reader = "BitWriter", "BitReader"
	}
	e := &encoder{printer: g, stream: "w", codec: g.Codec}
	g.p("\nfunc encode%s(w *wire.%s, v *%s) {", s.name, writer, s.name)
	if s.validated {
		g.p("w.Fail(v.Validate())")
	}
	e.fields(s, "v")
	g.p("}")
	d := &decoder{printer: g, stream: "r", codec: g.Codec}
	g.p("\nfunc decode%s(r *wire.%s, v *%s) {", s.name, reader, s.name)
	d.fields(s, "v")
	if s.validated {
		g.p("if r.Err() == nil {\nr.Fail(v.Validate())\n}")
	}
	g.p("}")
}

// allValues gives the values of all messages and structs, with the items of lists.
func (c *catalogue) allValues() []*value {
	var list []*value
	add := func(s *structType) {
		for i := range s.fields {
			for v := &s.fields[i].value; v != nil; v = v.item {
				list = append(list, v)
			}
		}
	}
	for _, m := range c.messages {
		add(m.structType)
	}
	for _, m := range c.methods {
		add(m.args)
		add(m.results)
	}
	for _, s := range c.structs {
		add(s)
	}
	return list
}

// helpers prints the functions that many messages share.
func (g *printer) helpers() {
	if !slices.ContainsFunc(g.allValues(), func(v *value) bool { return v.Kind == layout.KindList }) {
		return
	}
	g.use("slices")
	g.p("\n// resized gives list n items and keeps its memory.")
	g.p("func resized[S ~[]E, E any](list S, n int) S { return slices.Grow(list[:0], n)[:n] }")
}
