package main

import (
	"go/types"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

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
