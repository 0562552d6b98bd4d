package main

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/gannet-net/gannet/msgs/layout"
)

// value finds out how a value of type t travels, given the words of its tag. name is the field that it is in, for what is reported.
func (s *scanner) value(t types.Type, tag wordSet, pos token.Pos, name string) (value, bool) {
	t = types.Unalias(t)
	v := value{typ: t}
	words := s.allWords(t, tag)
	if named, ok := t.(*types.Named); ok {
		if !s.usable(named, pos, name) {
			return v, false
		}
		if s.verbIndex(named.Obj().Name(), "enum") >= 0 {
			return s.enumValue(v, named, words, pos)
		}
		v.validated = s.hasValidate(named)
	}
	f := form{s, &v, words, pos, name}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return f.basic(u)
	case *types.Slice:
		return f.slice(u)
	case *types.Array:
		return f.array(u)
	case *types.Struct:
		return f.structure(u)
	}
	s.errorf(pos, "%s is %s: %s", name, typeWord(t), instead(t))
	return v, false
}

// typeWord says what a type that cannot be sent is.
func typeWord(t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Pointer:
		return "a pointer"
	case *types.Map:
		return "a map"
	case *types.Chan:
		return "a channel"
	case *types.Signature:
		return "a function"
	case *types.Interface:
		return "an interface"
	}
	return "of type " + t.String()
}

// instead says what to write in the place of a type that cannot be sent.
func instead(t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Pointer:
		return "write the value itself, or a list of at most one"
	case *types.Map:
		return "write a list of structs with a key and a value"
	case *types.Interface:
		return "write the struct that is meant, and a message of its own for each other one"
	}
	return "it means nothing on another machine, write what it stands for, or do not send it: a field is left out by `net:\"-\"`"
}

// usable reports types that cannot be read here.
func (s *scanner) usable(named *types.Named, pos token.Pos, name string) bool {
	obj := named.Obj()
	switch {
	case obj.Pkg() == nil: // error, comparable
		s.errorf(pos, "%s is an interface: write a string, or an enum of what can go wrong", name)
	case obj.Pkg() != s.pkg:
		s.errorf(pos, "%s is a %s.%s of another package: %s", name, obj.Pkg().Name(), obj.Name(), foreign(obj))
	case named.TypeArgs().Len() > 0:
		s.errorf(pos, "%s has a generic type: write a type of its own for what is sent", name)
	default:
		return true
	}
	return false
}

// foreign says what to write in the place of a type of another package.
func foreign(obj *types.TypeName) string {
	switch obj.Pkg().Path() + "." + obj.Name() {
	case "time.Duration":
		return "write an integer with its unit in the name, such as DelayMillis uint32"
	case "time.Time":
		return "write an integer with its unit in the name, such as AtUnixMillis int64"
	case "context.Context":
		return "leave it out, deadline= says how long a caller waits, and rpc.Later whether it still does"
	}
	return "declare a type here that has what is sent of it"
}

// allWords gives the words of the tag and those above the type. Where the tag says how a value travels, it replaces what the type says of that.
func (s *scanner) allWords(t types.Type, tag wordSet) wordSet {
	named, ok := t.(*types.Named)
	if !ok {
		return tag
	}
	var above []word
	for _, d := range s.above[named.Obj().Name()] {
		if _, isValue := valueWords[d.verb]; isValue && named.Obj().Pkg() == s.pkg {
			above = append(above, d.all...)
		}
	}
	if len(above) == 0 {
		return tag
	}
	merged := valueWords.check("the directive above "+named.Obj().Name(), named.Obj().Pos(), above, s.problems)
	replaced := slices.ContainsFunc(tag.keys(), isShape)
	for key := range merged.words {
		if replaced && isShape(key) {
			delete(merged.words, key)
		}
	}
	for key, w := range tag.words {
		merged.words[key] = w
	}
	merged.pos = tag.pos
	return merged
}

func (s *scanner) enumValue(v value, named *types.Named, words wordSet, pos token.Pos) (value, bool) {
	v.validated = s.hasValidate(named)
	v.enum = s.enumOf(named.Obj().Name(), named.Obj().Pos())
	if v.enum == nil {
		return v, false
	}
	s.onlyWords(words, "the enum "+v.enum.name)
	size := sizedInt(named.Underlying().(*types.Basic))
	v.Kind = map[int]layout.Kind{8: layout.KindEnum8, 16: layout.KindEnum16, 32: layout.KindEnum32, 64: layout.KindEnum64}[size]
	v.Values = v.enum.values
	return v, true
}

// onlyWords reports words that do not go with what they are written for.
func (s *scanner) onlyWords(w wordSet, what string, allowed ...string) {
	for _, key := range w.keys() {
		if key == "if" || slices.Contains(allowed, key) {
			continue
		}
		s.errorf(w.at(key), "%s does not go with %s: leave it out", w.words[key], what)
	}
}

// form finds out how one value travels.
type form struct {
	*scanner
	*value
	words wordSet
	pos   token.Pos
	name  string
}

// packedOnly reports words that only codec Bits has.
func (f form) packedOnly(keys ...string) bool {
	for _, key := range keys {
		if f.words.has(key) && f.cat.Codec == layout.Bytes {
			f.errorf(f.words.at(key), "%s is for codec=bits: leave it out, or write codec=bits in net:catalogue", f.words.words[key])
			return true
		}
	}
	return false
}

func (f form) structure(u *types.Struct) (value, bool) {
	if slices.ContainsFunc(f.words.keys(), isShape) {
		return f.shape(u)
	}
	f.onlyWords(f.words, "a struct")
	named, ok := f.typ.(*types.Named)
	if !ok {
		f.errorf(f.pos, "%s is a struct without a name: declare a type for it", f.name)
		return *f.value, false
	}
	f.Kind, f.validated = layout.KindStruct, false
	f.def = f.readStruct(named, f.pos)
	if f.def != nil && f.def.endsInRest() {
		f.errorf(f.pos, "%s is a %s, whose last field takes all that is left: write max= there instead of rest", f.name, f.def.name)
	}
	return *f.value, f.def != nil
}
