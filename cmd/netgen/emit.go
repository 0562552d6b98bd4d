package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
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

// use imports a package and gives its name.
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
	g := &printer{catalogue: c, imports: map[string]bool{root + "msgs": true, root + "wire": true}}
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

// catalogueVar prints the catalogue as static data.
func (g *printer) catalogueVar() {
	text := g.Catalogue.String()
	g.p("// This file needs the library that it was generated for.")
	g.p("const _ = msgs.%s", formName)
	g.p("\n// Catalogue is the messages of this package, protocol %s.", g.Protocol)
	g.p("var Catalogue = msgs.Catalogue{")
	g.p("Name: %q, Protocol: %q, Codec: %s,", g.Name, g.Protocol, g.codecName())
	if g.Codec == layout.Bits {
		g.p("HostIDs: %d, ClientIDs: %d,", g.HostIDs, g.ClientIDs)
	}
	if len(g.States) > 0 {
		g.p("States: []string{%s},", quoted(g.States))
	}
	g.p("Fingerprint: %#x, Description: description,", layout.Fingerprint(text))
	g.p("Entries: []msgs.Entry{")
	for _, m := range g.messages {
		g.entry(m)
	}
	g.p("},\n}")
	g.entryConstants()
	g.stateVars()
	g.p("\n// description is the layout of the messages in words, which two sides can compare.")
	g.p("const description = %s", rawString(text))
}

func (g *printer) codecName() string {
	g.use(root + "msgs/layout")
	if g.Codec == layout.Bits {
		return "layout.Bits"
	}
	return "layout.Bytes"
}

func (g *printer) entry(m *message) {
	g.use(root + "transport")
	l := &m.layout
	g.out.WriteString("{")
	fmt.Fprintf(&g.out, "ID: %d, Name: %q, From: %s, Delivery: transport.%s", l.ID, m.name, sides[l.From], deliveryNames[l.Delivery])
	if l.Channel > 0 {
		fmt.Fprintf(&g.out, ", Channel: %d", l.Channel)
	}
	if l.States > 0 {
		fmt.Fprintf(&g.out, ", States: %#b", l.States)
	}
	fmt.Fprintf(&g.out, ", MinSize: %d, MaxSize: %s", m.least, g.maxSize(m))
	if l.TTL > 0 {
		g.use("time")
		fmt.Fprintf(&g.out, ", TTL: %s", duration(l.TTL))
	}
	if l.Urgent {
		g.out.WriteString(", Urgent: true")
	}
	g.p("},")
}

func (g *printer) maxSize(m *message) string {
	if m.max == layout.Unlimited {
		return "layout.Unlimited"
	}
	return strconv.Itoa(m.max)
}

var sides = map[layout.Side]string{layout.Client: "msgs.Client", layout.Host: "msgs.Host", layout.Both: "msgs.Both"}

var deliveryNames = map[transport.Delivery]string{
	transport.Unreliable: "Unreliable", transport.Sequenced: "Sequenced", transport.ReliableUnordered: "ReliableUnordered",
	transport.ReliableOrdered: "ReliableOrdered", transport.ReliableSequenced: "ReliableSequenced",
}

// duration is a duration as a person would write it.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"Second", time.Second}, {"Millisecond", time.Millisecond}, {"Microsecond", time.Microsecond}} {
		if d%unit.size == 0 {
			return fmt.Sprintf("%d * time.%s", d/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}

// entryConstants prints where in the catalogue each message is.
func (g *printer) entryConstants() {
	g.p("\n// Places in Catalogue.Entries.\nconst (")
	for i, m := range g.messages {
		if i == 0 {
			g.p("entry%s = iota", m.name)
		} else {
			g.p("entry%s", m.name)
		}
	}
	g.p(")")
}

func (g *printer) stateVars() {
	if len(g.States) == 0 {
		return
	}
	g.p("\n// The states of a session.\nvar (")
	for i, state := range g.States {
		g.p("%s = msgs.State{Catalogue: &Catalogue, Bit: %d}", stateName(state), i)
	}
	g.p(")")
}

func quoted(list []string) string {
	var q []string
	for _, s := range list {
		q = append(q, strconv.Quote(s))
	}
	return strings.Join(q, ", ")
}

// rawString is a literal of several lines that reads as they do. A description has no backquotes.
func rawString(text string) string { return "`" + text + "`" }

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

// enum prints the methods of an enum.
func (g *printer) enum(e *enumType) {
	g.p("\n// Valid reports whether v is one of the declared values.")
	g.p("func (v %s) Valid() bool {", e.name)
	low, high := e.values[0], e.values[len(e.values)-1]
	basic := e.obj.Type().Underlying().(*types.Basic)
	least, _ := rangeOf(sizedInt(basic), basic.Info()&types.IsUnsigned != 0)
	switch {
	case uint64(high)-uint64(low) != uint64(len(e.values)-1):
		g.p("switch v {\ncase %s:\nreturn true\n}\nreturn false", strings.Join(e.names(), ", "))
	case len(e.values) == 1:
		g.p("return v == %s", e.constants[0].Name())
	case low == least:
		g.p("return v <= %s", e.constants[len(e.constants)-1].Name())
	default:
		g.p("return %s <= v && v <= %s", e.constants[0].Name(), e.constants[len(e.constants)-1].Name())
	}
	g.p("}")
	if !e.hasString {
		g.enumString(e, basic)
	}
	if g.Codec == layout.Bytes && g.isUsed(e) {
		g.enumCodec(e, basic)
	}
}

func (e *enumType) names() []string {
	var names []string
	for _, c := range e.constants {
		names = append(names, c.Name())
	}
	return names
}

func (g *printer) enumString(e *enumType, basic *types.Basic) {
	g.use("strconv")
	g.p("\n// String gives the name of v, such as %s.", e.constants[0].Name())
	g.p("func (v %s) String() string {\nswitch v {", e.name)
	for _, c := range e.constants {
		g.p("case %s:\nreturn %q", c.Name(), c.Name())
	}
	g.p("}")
	if basic.Info()&types.IsUnsigned != 0 {
		g.p("return \"%s(\" + strconv.FormatUint(uint64(v), 10) + \")\"\n}", e.name)
	} else {
		g.p("return \"%s(\" + strconv.FormatInt(int64(v), 10) + \")\"\n}", e.name)
	}
}

// enumCodec prints what reads and writes an enum with codec Bytes. With codec Bits package wire has it.
func (g *printer) enumCodec(e *enumType, basic *types.Basic) {
	method := exported(basic.Name())
	g.p("\nfunc encode%s(w *wire.Writer, v %s) {", e.name, e.name)
	g.p("if !v.Valid() {\nw.Fail(wire.ErrEnum)\n}")
	g.p("w.%s(%s(v))\n}", method, basic.Name())
	g.p("\nfunc decode%s(r *wire.Reader) %s {", e.name, e.name)
	g.p("v := %s(r.%s())", e.name, method)
	g.p("if !v.Valid() {\nr.Fail(wire.ErrEnum)\n}")
	g.p("return v\n}")
}

// isUsed reports whether a message has a field of the enum.
func (g *printer) isUsed(e *enumType) bool {
	return slices.ContainsFunc(g.allValues(), func(v *value) bool { return v.enum == e })
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
