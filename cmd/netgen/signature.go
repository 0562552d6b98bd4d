package main

import (
	"go/types"
	"slices"
	"strconv"

	"github.com/gannet-net/gannet/msgs/layout"
)

// readArg reads the words that a parameter has of its own.
func (s *scanner) readArg(d directive, args map[string]wordSet) {
	if len(d.words) == 0 || d.words[0].valued {
		s.errorf(d.pos, "rpc:arg needs the name of a parameter: write //rpc:arg text max=64")
		return
	}
	name := d.words[0].key
	if _, twice := args[name]; twice {
		s.errorf(d.pos, "%s has rpc:arg twice: keep one", name)
	}
	args[name] = valueWords.with(fieldWords).check("rpc:arg "+name, d.pos, d.words[1:], s.problems)
}

// readSignature reads the parameters and results of a method.
func (s *scanner) readSignature(m *method, sig *types.Signature, args map[string]wordSet) {
	m.args, m.results = &structType{name: "args" + m.id(), pos: m.pos}, &structType{name: "results" + m.id(), pos: m.pos}
	if sig.Variadic() {
		s.errorf(m.pos, "%s.%s takes any number of values: write a slice", m.of.name, m.name)
	}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if i == 0 && s.isContext(m, p) {
			m.context = true
			continue
		}
		m.params = append(m.params, paramName(sig, p.Name()))
		s.readValue(m, m.args, p, p.Name(), args)
	}
	n := sig.Results().Len()
	if n > 0 && types.Identical(sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type()) {
		m.hasError = true
		n--
	}
	for i := range n {
		p := sig.Results().At(i)
		name := p.Name()
		if name == "" || name == "_" {
			name = "result"
			if i > 0 {
				name += strconv.Itoa(i + 1)
			}
		}
		s.readValue(m, m.results, p, name, args)
	}
	for name, w := range args {
		s.errorf(w.pos, "rpc:arg %s names no parameter of %s.%s: write it as the method does", name, m.of.name, m.name)
	}
	if n > 0 && !m.hasError {
		s.errorf(m.pos, "%s.%s has results but no error, and each request can fail: write error as its last result", m.of.name, m.name)
	}
}

// isContext reports whether a parameter is what says who calls, and reports one of the other side.
func (s *scanner) isContext(m *method, p *types.Var) bool {
	name, ok := contextType(p)
	if !ok {
		return false
	}
	want := contextOf(m.of.at)
	if name != want {
		s.errorf(p.Pos(), "%s.%s is run by %s, so its first parameter is an rpc.%s, or no such", m.of.name, m.name, runners[m.of.at], want)
	}
	return true
}

// contextType is the name of a parameter's type if that is one which says who calls.
func contextType(p *types.Var) (string, bool) {
	name := rpcType(p)
	return name, name == contextOf(layout.Host) || name == contextOf(layout.Client)
}

// rpcType is the name of a parameter's type if that is of package rpc, else empty.
func rpcType(p *types.Var) string {
	named, ok := types.Unalias(p.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != root+"rpc" {
		return ""
	}
	return named.Obj().Name()
}

func contextOf(at layout.Side) string {
	if at == layout.Host {
		return "ServerCall"
	}
	return "ClientCall"
}

var runners = map[layout.Side]string{layout.Host: "the server", layout.Client: "clients"}

// readValue reads one parameter or result.
func (s *scanner) readValue(m *method, def *structType, p *types.Var, name string, args map[string]wordSet) {
	if name == "" || name == "_" {
		s.errorf(p.Pos(), "a parameter of %s.%s has no name: give it one, the description needs it", m.of.name, m.name)
		return
	}
	if context, ok := contextType(p); ok {
		s.errorf(p.Pos(), "an rpc.%s says who calls, and is the first parameter or none: move it, or leave it out", context)
		return
	}
	if rpcType(p) == "NetID" {
		s.errorf(p.Pos(), "a net id is a number to a contract: give %s the type uint32, and convert it where it is used", name)
		return
	}
	w, ok := args[name]
	if !ok {
		w = valueWords.check("parameter "+name, p.Pos(), nil, s.problems)
	}
	delete(args, name)
	if w.has("-") {
		s.errorf(w.at("-"), "each parameter is sent: remove %s from the method if it is not to be", name)
		w = w.without("-")
	}
	got, ok := s.value(p.Type(), w, p.Pos(), name)
	if !ok {
		return
	}
	got.Name = exported(name)
	if def.field(got.Name) != nil {
		s.errorf(p.Pos(), "%s.%s has two parameters that are %s in generated code: give one another name", m.of.name, m.name, got.Name)
	}
	got.If = s.given(m, def, w)
	def.fields = append(def.fields, field{got, p.Pos()})
}

// given is the field of the parameter that says whether another one is there.
func (s *scanner) given(m *method, def *structType, w wordSet) string {
	if !w.has("if") {
		return ""
	}
	name := w.text("if")
	f := def.field(exported(name))
	switch {
	case f == nil:
		s.errorf(w.at("if"), "if=%s names no parameter before it in %s.%s: move the bool %s before it", name, m.of.name, m.name, name)
	case f.Kind != layout.KindBool:
		s.errorf(w.at("if"), "if=%s names a parameter that is no bool: write a bool of its own before it", name)
	}
	return exported(name)
}

// takenNames are what the method that makes a call declares itself or needs of the language.
var takenNames = []string{"to", "ref", "out", "args", "done", "direct", "error", "nil", "Contract"}

// paramName is how the method that makes a call names a parameter: as the interface does where that is possible.
func paramName(sig *types.Signature, name string) string {
	taken := func(name string) bool {
		for p := range sig.Params().Variables() {
			if p.Name() == name {
				return true
			}
		}
		return slices.Contains(takenNames, name)
	}
	if !slices.Contains(takenNames, name) {
		return name
	}
	for taken(name) {
		name += "Arg"
	}
	return name
}
