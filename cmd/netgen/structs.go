package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// reservedMethods are what netgen writes for a message.
var reservedMethods = []string{"Descriptor", "Append", "Parse", "Send"}

// structOf reads the struct that a message is, nil if it is none.
func (s *scanner) structOf(spec *ast.TypeSpec) *structType {
	obj, _ := s.pkg.Scope().Lookup(spec.Name.Name).(*types.TypeName)
	if obj == nil {
		return nil // declared twice; the compiler tells
	}
	named, _ := obj.Type().(*types.Named)
	if named == nil || spec.TypeParams != nil {
		if spec.Assign.IsValid() {
			s.errorf(spec.Name.Pos(), "%s is an alias: write the directive above the struct type itself", obj.Name())
		}
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		s.errorf(spec.Name.Pos(), "%s is no struct: a message is a struct, write type %s struct { … }", obj.Name(), obj.Name())
		return nil
	}
	def := s.readStruct(named, spec.Name.Pos())
	if def != nil {
		s.checkMessageNames(def)
	}
	return def
}

// checkMessageNames reports fields and methods that are in the way of the methods that netgen writes.
func (s *scanner) checkMessageNames(def *structType) {
	named := def.obj.Type().(*types.Named)
	for m := range named.Methods() {
		if slices.Contains(reservedMethods, m.Name()) {
			s.errorf(m.Pos(), "method %s of a message is written by netgen: give this one another name", m.Name())
		}
	}
	st := named.Underlying().(*types.Struct)
	for f := range st.Fields() {
		if slices.Contains(reservedMethods, f.Name()) {
			s.errorf(f.Pos(), "field %s has the name of a method that netgen writes: give it another name", f.Name())
		}
	}
}

// readStruct reads the fields of a named struct once. It returns nil while that struct is being read further out.
func (s *scanner) readStruct(named *types.Named, use token.Pos) *structType {
	name := named.Obj().Name()
	if slices.Contains(s.reading, name) {
		s.errorf(use, "%s contains itself (%s): a message has a fixed depth, send a list and the index of the parent", name,
			strings.Join(append(s.reading[slices.Index(s.reading, name):], name), " in "))
		return nil
	}
	if def, ok := s.structs[name]; ok {
		return def
	}
	s.reading = append(s.reading, name)
	defer func() { s.reading = s.reading[:len(s.reading)-1] }()
	def := &structType{name: name, obj: named.Obj(), pos: named.Obj().Pos(), validated: s.hasValidate(named)}
	s.structs[name] = def
	st := named.Underlying().(*types.Struct)
	for i := range st.NumFields() {
		s.readField(def, st.Field(i), st.Tag(i))
	}
	return def
}

func (s *scanner) readField(def *structType, v *types.Var, tag string) {
	w := s.tagWords(v, tag)
	if v.Embedded() {
		s.errorf(v.Pos(), "%s is embedded: give the field a name, such as %s %s", v.Name(), fieldName(v.Name()), v.Name())
		return
	}
	if w.has("-") {
		def.unsent = true
		if len(w.words) > 1 {
			s.errorf(v.Pos(), `%s is not sent, so its other words mean nothing: write net:"-" alone`, v.Name())
		}
		return
	}
	if v.Name() == "_" || !v.Exported() {
		s.errorf(v.Pos(), "%s is not exported, so it cannot be sent: write %s, or tag it `net:\"-\"`", v.Name(), exported(v.Name()))
		return
	}
	got, ok := s.value(v.Type(), w, v.Pos(), v.Name())
	if !ok {
		return
	}
	got.Name = v.Name()
	got.If = s.condition(def, w)
	if n := len(def.fields); n > 0 && def.fields[n-1].Kind == layout.KindRest {
		s.errorf(def.fields[n-1].pos, "%s takes all that is left, but %s follows: move it to the end, or write max= instead of rest", def.fields[n-1].Name, v.Name())
	}
	def.fields = append(def.fields, field{got, v.Pos()})
}

// tagWords reads the net tag of a field.
func (s *scanner) tagWords(v *types.Var, tag string) wordSet {
	text, ok := reflect.StructTag(tag).Lookup("net")
	if !ok && strings.Contains(tag, "net:") && !strings.Contains(tag, `-net:`) {
		s.errorf(v.Pos(), "the tag `%s` cannot be read: write `net:\"max=64\"`, with the quotes and without spaces around the colon", tag)
	}
	return valueWords.with(fieldWords).check("the net tag of "+v.Name(), v.Pos(), parseTag(text, v.Pos()), s.problems)
}

// condition gives the name of the bool that says whether a field is there.
func (s *scanner) condition(def *structType, w wordSet) string {
	if !w.has("if") {
		return ""
	}
	name := w.text("if")
	i := slices.IndexFunc(def.fields, func(f field) bool { return f.Name == name })
	switch {
	case i < 0:
		s.errorf(w.at("if"), "if=%s names no field before it in %s: move the bool %s above it", name, def.name, name)
	case def.fields[i].Kind != layout.KindBool:
		s.errorf(w.at("if"), "if=%s names a field that is no bool: write a bool of its own above it, such as Has%s", name, name)
	}
	return name
}

// hasValidate reports whether a type, or a pointer to it, has a method Validate() error.
func (s *scanner) hasValidate(named *types.Named) bool {
	for m := range named.Methods() {
		if m.Name() != "Validate" {
			continue
		}
		sig := m.Signature()
		if sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Universe.Lookup("error").Type()) {
			return true
		}
		s.warnf(m.Pos(), "this method is not asked about messages: write Validate() error")
	}
	return false
}

// fieldName is a name for a field that is embedded now.
func fieldName(typ string) string {
	if typ == "Base" {
		return "Common"
	}
	return "Base"
}

// exported gives a name that starts with a capital.
func exported(name string) string {
	trimmed := strings.TrimLeft(name, "_")
	if trimmed == "" {
		return "a name with a capital"
	}
	return strings.ToUpper(trimmed[:1]) + trimmed[1:]
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
