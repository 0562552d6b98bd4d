package main

import (
	"go/token"
	"go/types"
	"math"
	"slices"

	"github.com/gannet-net/gannet/msgs/layout"
)

const defaultMax = 255

// basics are the types that travel as they are.
var basics = map[types.BasicKind]layout.Kind{
	types.Bool: layout.KindBool, types.String: layout.KindText, types.Float32: layout.KindF32, types.Float64: layout.KindF64,
	types.Uint8: layout.KindU8, types.Uint16: layout.KindU16, types.Uint32: layout.KindU32, types.Uint64: layout.KindU64,
	types.Int8: layout.KindI8, types.Int16: layout.KindI16, types.Int32: layout.KindI32, types.Int64: layout.KindI64,
}

// refused says what to write instead of types that have no fixed form.
var refused = map[types.BasicKind]string{
	types.Int: "write int32 or int64", types.Uint: "write uint32 or uint64", types.Uintptr: "write uint64",
	types.Complex64: "write two floats", types.Complex128: "write two floats", types.UnsafePointer: "write an index or an id",
}

// sizedInt gives the size of an integer type in bits, 0 if it is none of a fixed size.
func sizedInt(b *types.Basic) int {
	switch b.Kind() {
	case types.Int8, types.Uint8:
		return 8
	case types.Int16, types.Uint16:
		return 16
	case types.Int32, types.Uint32:
		return 32
	case types.Int64, types.Uint64:
		return 64
	}
	return 0
}

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
	return "it means nothing on another machine, write what it stands for, or tag it `net:\"-\"`"
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

func (f form) basic(b *types.Basic) (value, bool) {
	named, isNamed := f.typ.(*types.Named)
	switch {
	case b.Kind() == types.Invalid:
		f.errorf(f.pos, "the type of %s does not compile: %s", f.name, f.typeError())
		return *f.value, false
	case refused[b.Kind()] != "":
		f.errorf(f.pos, "%s is %s, which has no fixed size or form: %s", f.name, article(b.Name()), refused[b.Kind()])
		return *f.value, false
	case isNamed && sizedInt(b) > 0 && f.unmarked(named, f.pos):
		return *f.value, false
	}
	f.Kind = basics[b.Kind()]
	switch {
	case f.Kind == layout.KindText:
		f.text()
	case sizedInt(b) > 0:
		f.integer(b)
	case b.Info()&types.IsFloat != 0:
		f.float()
	default:
		f.onlyWords(f.words, "a bool")
	}
	return *f.value, true
}

func article(name string) string {
	if name == "int" {
		return "an int"
	}
	return "a " + name
}

// typeError gives what the type checker says about the line of the field.
func (f form) typeError() string {
	at := f.fset.Position(f.pos)
	for _, e := range f.errors {
		if where := f.fset.Position(e.Pos); where.Filename == at.Filename && where.Line == at.Line {
			return e.Msg
		}
	}
	return "go vet tells why"
}

func (f form) text() {
	f.onlyWords(f.words, "a string", "max", "lenbits")
	if f.cat.Codec == layout.Bytes {
		f.packedOnly("lenbits")
		f.Len = int(f.words.number("max", 1, math.MaxUint16, defaultMax))
		return
	}
	f.Bits = int(f.words.number("lenbits", 1, 16, 11))
	most := min(int64(1)<<f.Bits, math.MaxUint16)
	f.Len = int(f.words.number("max", 1, most, most))
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

func (f form) integer(b *types.Basic) {
	f.onlyWords(f.words, "an integer", "bits", "min", "max")
	size, unsigned := sizedInt(b), b.Info()&types.IsUnsigned != 0
	if f.words.has("bits") && !f.packedOnly("bits") {
		if size > 32 {
			f.errorf(f.words.at("bits"), "bits= is for integers of at most 32 bits: leave it out, or make %s an int32 or uint32", f.name)
			return
		}
		size = int(f.words.number("bits", 1, int64(size), int64(size)))
		f.Bits, f.Kind = size, layout.KindInt
		if unsigned {
			f.Kind = layout.KindUint
		}
	}
	f.bounds(size, unsigned)
}

// bounds reads min and max of an integer of so many bits.
func (f form) bounds(size int, unsigned bool) {
	if !f.words.has("min") && !f.words.has("max") {
		return
	}
	least, most := rangeOf(size, unsigned)
	f.Ranged = true
	f.Min = f.words.number("min", least, most, least)
	f.Max = f.words.number("max", least, most, most)
	if f.Min > f.Max {
		f.errorf(f.words.at("max"), "min=%d is above max=%d: swap them", f.Min, f.Max)
	}
}

// rangeOf gives the range of an integer of so many bits, as far as an int64 holds it.
func rangeOf(size int, unsigned bool) (least, most int64) {
	if unsigned {
		return 0, int64(min(uint64(1)<<size-1, math.MaxInt64))
	}
	return -1 << (size - 1), 1<<(size-1) - 1
}

func (f form) slice(u *types.Slice) (value, bool) {
	if types.Identical(types.Unalias(u.Elem()), types.Typ[types.Uint8]) && !f.words.has("bits") {
		return f.blob()
	}
	if f.words.has("rest") {
		f.errorf(f.words.at("rest"), "rest is for a []byte: write max= for the list %s", f.name)
		return *f.value, false
	}
	f.Kind = layout.KindList
	f.Len = int(f.words.number("max", 1, math.MaxUint16, defaultMax))
	return f.items(u.Elem(), f.words.without("max"))
}

func (f form) blob() (value, bool) {
	f.onlyWords(f.words, "a list of bytes", "max", "rest")
	f.Kind = layout.KindBlob
	f.Len = int(f.words.number("max", 1, math.MaxUint16, defaultMax))
	if f.words.has("rest") {
		f.Kind, f.Len = layout.KindRest, 0
		switch {
		case f.words.has("max"):
			f.errorf(f.words.at("rest"), "rest takes all that is left, so max= bounds nothing: keep one of them")
		case f.words.has("if"):
			f.errorf(f.words.at("rest"), "rest can be nothing already: leave if= out")
		case f.cat.Codec == layout.Bits:
			f.errorf(f.words.at("rest"), "rest is for codec=bytes: write max= instead")
		}
	}
	return *f.value, true
}

func (f form) array(u *types.Array) (value, bool) {
	if f.words.has("guid") {
		return f.guid(u)
	}
	if u.Len() < 1 || u.Len() > math.MaxUint16 {
		f.errorf(f.pos, "%s is an array of %d items: write 1 to %d", f.name, u.Len(), math.MaxUint16)
		return *f.value, false
	}
	f.Kind, f.Len = layout.KindArray, int(u.Len())
	return f.items(u.Elem(), f.words)
}

func (f form) guid(u *types.Array) (value, bool) {
	f.onlyWords(f.words, "a guid", "guid")
	if u.Len() != 16 || !types.Identical(types.Unalias(u.Elem()), types.Typ[types.Uint8]) {
		f.errorf(f.words.at("guid"), "a guid is 16 bytes: make %s a [16]byte", f.name)
		return *f.value, false
	}
	f.packedOnly("guid")
	f.Kind = layout.KindGUID
	return *f.value, true
}

// items reads what a list or array consists of. The words that the list has no use for are those of its items.
func (f form) items(elem types.Type, words wordSet) (value, bool) {
	words = words.without("if")
	item, ok := f.scanner.value(elem, words, f.pos, "an item of "+f.name)
	if !ok {
		return *f.value, false
	}
	if item.Kind == layout.KindRest {
		f.errorf(f.pos, "rest is for a field of its own: write max= for the lists in %s", f.name)
		return *f.value, false
	}
	f.item = &item
	if f.Kind == layout.KindList && fewestBits(f.cat.Codec, item.describe()) == 0 {
		f.errorf(f.pos, "an item of %s takes no room, so nothing bounds how many there are: send their number instead", f.name)
		return *f.value, false
	}
	return *f.value, true
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
