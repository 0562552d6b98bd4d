package main

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// collect gathers the types that code is written for, by name.
func (s *scanner) collect() {
	byName := func(a, b *structType) int { return cmp.Compare(a.name, b.name) }
	for _, m := range s.cat.messages {
		for _, f := range m.fields {
			s.collectValue(&f.value)
		}
	}
	for _, m := range s.cat.methods {
		for _, def := range []*structType{m.args, m.results} {
			for i := range def.fields {
				s.collectValue(&def.fields[i].value)
			}
		}
	}
	for _, e := range s.enums {
		s.cat.enums = append(s.cat.enums, e)
	}
	slices.SortFunc(s.cat.structs, byName)
	slices.SortFunc(s.cat.enums, func(a, b *enumType) int { return cmp.Compare(a.name, b.name) })
	slices.SortFunc(s.cat.others, func(a, b *types.TypeName) int { return cmp.Compare(a.Name(), b.Name()) })
}

func (s *scanner) collectValue(v *value) {
	if named, ok := v.typ.(*types.Named); ok && v.Kind != layout.KindStruct && v.enum == nil && !slices.Contains(s.cat.others, named.Obj()) {
		s.cat.others = append(s.cat.others, named.Obj())
	}
	if v.item != nil {
		s.collectValue(v.item)
	}
	if v.def == nil || slices.Contains(s.cat.structs, v.def) {
		return
	}
	s.cat.structs = append(s.cat.structs, v.def)
	for _, f := range v.def.fields {
		s.collectValue(&f.value)
	}
}

// checkNames reports declarations of the package that have a name of the generated code.
func (s *scanner) checkNames() {
	for _, name := range s.cat.generatedNames() {
		if obj := s.pkg.Scope().Lookup(name); obj != nil {
			s.errorf(obj.Pos(), "netgen declares %s itself: give this one another name", name)
		}
	}
	used, locals := usedNames, localNames
	if len(s.cat.methods) > 0 {
		used, locals = append(used, callUsedNames...), append(locals, callLocalNames...)
	}
	for _, name := range used {
		if obj := s.pkg.Scope().Lookup(name); obj != nil {
			s.errorf(obj.Pos(), "%s hides what generated code needs under that name: give it another one", name)
		}
	}
	for _, t := range s.cat.typeNames() {
		if slices.Contains(locals, t.Name()) {
			s.errorf(t.Pos(), "%s is the name of a variable in generated code: give the type another one", t.Name())
		}
	}
	for _, e := range s.cat.enums {
		for _, c := range e.constants {
			if c.Name() == enumReceiver {
				s.errorf(c.Pos(), "%s is the name of a variable in generated code: give the constant another one", c.Name())
			}
		}
	}
}

// enumReceiver is the variable of the methods of enums, which compare it with the constants.
const enumReceiver = "v"

// usedNames are the packages that generated code imports, and what it uses of the language, which a package-wide name would hide.
var usedNames = []string{
	"bytes", "layout", "msgs", "msgstest", "slices", "strconv", "strings", "testing", "time", "transport", "wire", "any", "append", "bool", "byte", "copy", "error", "false", "float32", "float64",
	"int", "int8", "int16", "int32", "int64", "iota", "len", "nil", "string", "true", "uint8", "uint16", "uint32", "uint64",
}

// localNames are the variables of generated functions.
var localNames = []string{"a", "b", "b0", "err", "g", "i", "id", "item", "j", "k", "left", "list", "m", "n", "r", "red", "s", "to", "v", "w", "w0", "x", "y", "z"}

// callUsedNames and callLocalNames are the same for a package that has calls.
var (
	callUsedNames  = []string{"rpc", "rpctest"}
	callLocalNames = []string{"done", "results", "values"}
)

// generatedNames are what generated code declares in the package.
func (c *catalogue) generatedNames() []string {
	names := append([]string{"Catalogue", "description", "resized"}, testNames...)
	for _, state := range c.States {
		names = append(names, stateName(state))
	}
	for _, m := range c.messages {
		names = append(names, "entry"+m.name)
	}
	names = append(names, c.callNames()...)
	for _, t := range c.typeNames() {
		names = append(names, "encode"+t.Name(), "decode"+t.Name())
	}
	return names
}

// typeNames are the types of the package that znet.go names.
func (c *catalogue) typeNames() []*types.TypeName {
	names := slices.Clone(c.others)
	for _, m := range c.messages {
		names = append(names, m.obj)
	}
	for _, s := range c.structs {
		names = append(names, s.obj)
	}
	for _, e := range c.enums {
		names = append(names, e.obj)
	}
	return names
}

func stateName(state string) string { return "State" + strings.ToUpper(state[:1]) + state[1:] }
