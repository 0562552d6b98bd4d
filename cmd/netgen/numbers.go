package main

import (
	"go/types"
	"math"

	"github.com/gannet-net/gannet/msgs/layout"
)

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
