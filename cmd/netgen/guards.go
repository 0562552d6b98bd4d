package main

import (
	"fmt"
	"go/types"
	"strings"
)

// formName is the constant of package msgs that generated code refers to. A library whose form of generated code is another has another one, and the compiler's
// error about the missing name says what to do.
const formName = "IfUndefinedRunGoGenerate1"

// guards prints declarations that do not compile any more when a type that this file was made from has changed.
func (g *printer) guards() {
	g.p("\n// What follows does not compile if a type has changed since: run go generate.")
	for _, m := range g.messages {
		g.structGuard(m.structType)
	}
	for _, s := range g.structs {
		if !g.isMessage(s) {
			g.structGuard(s)
		}
	}
	for _, t := range g.others {
		g.typeGuard(t)
	}
	for _, e := range g.enums {
		g.typeGuard(e.obj)
		g.enumGuard(e)
	}
}

func (g *printer) isMessage(s *structType) bool {
	for _, m := range g.messages {
		if m.structType == s {
			return true
		}
	}
	return false
}

func guardName(name string) string { return "run_go_generate_because_" + name + "_changed" }

// structGuard prints a function that takes the struct as it was, tags and all, and a call with the struct as it is. The types of fields that are not sent do not
// matter: they are type parameters.
func (g *printer) structGuard(s *structType) {
	st := s.obj.Type().Underlying().(*types.Struct)
	var fields, params []string
	for i := range st.NumFields() {
		f := st.Field(i)
		typ := g.typeName(withoutAliases(f.Type()))
		if f.Embedded() || !s.sends(f.Name()) {
			typ = fmt.Sprintf("unsent%d", len(params))
			params = append(params, typ)
		}
		line := f.Name() + " " + typ
		if tag := st.Tag(i); tag != "" {
			line += " " + literal(tag)
		}
		fields = append(fields, line)
	}
	generic := ""
	if len(params) > 0 {
		generic = "[" + strings.Join(params, ", ") + " any]"
	}
	g.p("\nfunc %s%s(struct {\n%s\n}) {}", guardName(s.name), generic, strings.Join(fields, "\n"))
	g.p("var _ = func(v %s) { %s(v) }", s.name, guardName(s.name))
}

// withoutAliases is a type with what its aliases stand for now: the name of one would say the same of whatever it stands for later.
func withoutAliases(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Slice:
		return types.NewSlice(withoutAliases(t.Elem()))
	case *types.Array:
		return types.NewArray(withoutAliases(t.Elem()), t.Len())
	default:
		return t
	}
}

func (s *structType) sends(name string) bool {
	for _, f := range s.fields {
		if f.Name == name {
			return true
		}
	}
	return false
}

func literal(tag string) string {
	if strings.Contains(tag, "`") {
		return fmt.Sprintf("%q", tag)
	}
	return "`" + tag + "`"
}

// typeGuard prints a conversion between pointers, which only types of one structure allow.
func (g *printer) typeGuard(t *types.TypeName) {
	g.p("\ntype %s %s", guardName(t.Name()), g.typeName(withoutAliases(t.Type().Underlying())))
	g.p("var _ = (*%s)((*%s)(nil))", guardName(t.Name()), t.Name())
}

// enumGuard prints array types whose length is 0 while a constant has the value that it had.
func (g *printer) enumGuard(e *enumType) {
	name := guardName("the_constants_of_" + e.name)
	g.p("\ntype %s [0]struct{}", name)
	g.p("var (")
	for i, c := range e.constants {
		length := c.Name()
		if e.values[i] != 0 {
			length += fmt.Sprintf(" ^ %d", e.values[i])
		}
		g.p("_ = %s([%s]struct{}{})", name, length)
	}
	g.p(")")
}
