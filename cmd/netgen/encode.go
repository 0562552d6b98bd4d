package main

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// encoder prints statements that write values.
type encoder struct {
	*printer
	stream string // how to pass the writer on: "w" or "&w"
	codec  layout.Codec
	depth  int // of loops
}

// plainMethods are the methods of writers and readers for kinds without arguments.
var plainMethods = map[layout.Kind]string{
	layout.KindBool: "Bool", layout.KindU8: "Uint8", layout.KindU16: "Uint16", layout.KindU32: "Uint32", layout.KindU64: "Uint64",
	layout.KindI8: "Int8", layout.KindI16: "Int16", layout.KindI32: "Int32", layout.KindI64: "Int64",
	layout.KindF32: "Float32", layout.KindF64: "Float64",
}

// scalarMethods are those for numbers with widths, with the type that they take, and their widths.
var scalarMethods = map[layout.Kind]struct{ method, typ string }{
	layout.KindUint: {"Uint", "uint32"}, layout.KindInt: {"Int", "int32"},
	layout.KindUFixed: {"UFixed", "float64"}, layout.KindFixed: {"Fixed", "float64"}, layout.KindUnorm: {"Unorm", "float64"},
	layout.KindSnorm: {"Snorm", "float64"}, layout.KindDegrees: {"Degrees", "float64"}, layout.KindRadians: {"Radians", "float64"},
}

// shapeMethods are those for structs that travel as one value.
var shapeMethods = map[layout.Kind]struct{ method, typ string }{
	layout.KindVec3Fixed: {"Vec3", "float64"}, layout.KindUnit: {"Unit", "float64"}, layout.KindQuat: {"Quat", "float64"},
	layout.KindYawQuat: {"YawQuat", "float64"}, layout.KindYawUnit: {"YawUnit", "float64"}, layout.KindYawVec: {"YawVec", "float64"},
	layout.KindRGB: {"RGB", "uint8"}, layout.KindRGBA: {"RGBA", "uint8"},
}

// widths are the arguments that say how wide a value is.
func (v *value) widths() string {
	switch v.Kind {
	case layout.KindFixed, layout.KindUFixed, layout.KindVec3Fixed:
		return fmt.Sprintf("%d, %d", v.Int, v.Fraction)
	case layout.KindYawQuat:
		return fmt.Sprintf("%d, %d", v.YawBits, v.Bits)
	case layout.KindRGB, layout.KindRGBA:
		return ""
	}
	return fmt.Sprint(v.Bits)
}

// loopVars are the variables of nested loops.
var loopVars = []string{"i", "j", "k", "i3", "i4", "i5", "i6", "i7", "i8"}

// to converts an expression of type t to a basic type, where that takes a conversion.
func to(basic string, t types.Type, x string) string {
	if types.Unalias(t).String() == basic {
		return x
	}
	return basic + "(" + x + ")"
}

// fields prints the writing of all fields of a struct. Neighbours with one condition share it.
func (e *encoder) fields(s *structType, x string) {
	for _, run := range s.runs() {
		condition := run[0].If
		if condition != "" {
			e.p("if %s.%s {", x, condition)
		}
		for i := range run {
			e.value(&run[i].value, x+"."+run[i].Name)
		}
		if condition != "" {
			e.p("}")
		}
	}
}

// runs cuts the fields into runs of the same condition.
func (s *structType) runs() [][]field {
	var runs [][]field
	for i, f := range s.fields {
		if i == 0 || f.If != s.fields[i-1].If {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], f)
	}
	return runs
}

// value prints the writing of one value, which is the expression x.
func (e *encoder) value(v *value, x string) {
	if v.validated {
		e.p("w.Fail(%s.Validate())", x)
	}
	switch v.Kind {
	case layout.KindText:
		e.p("w.Text(%s, %s)", to("string", v.typ, x), v.textLimits(e.codec))
	case layout.KindBlob:
		e.p("w.Blob(%s, %d)", x, v.Len)
	case layout.KindRest:
		e.p("w.Raw(%s)", x)
	case layout.KindList:
		e.p("w.Count(len(%s), %d)", x, v.Len)
		e.loop(v, x)
	case layout.KindArray:
		if v.isBytes() && e.codec == layout.Bytes {
			e.p("w.Raw(%s[:])", x)
			return
		}
		e.loop(v, x)
	case layout.KindStruct:
		e.p("encode%s(%s, &%s)", v.def.name, e.stream, x)
	case layout.KindGUID:
		e.p("w.GUID(%s)", x)
	default:
		e.number(v, x)
	}
}

// textLimits are the limits of a string as package wire takes them.
func (v *value) textLimits(codec layout.Codec) string {
	if codec == layout.Bits {
		return fmt.Sprintf("%d, %d", v.Len, v.Bits)
	}
	return fmt.Sprint(v.Len)
}

// isBytes reports whether an array can be copied as it is.
func (v *value) isBytes() bool {
	return v.item.Kind == layout.KindU8 && !v.item.Ranged && !v.item.validated && isByte(v.item.typ)
}

func isByte(t types.Type) bool { return types.Identical(types.Unalias(t), types.Typ[types.Uint8]) }

func (e *encoder) loop(v *value, x string) {
	i := loopVars[e.depth]
	e.depth++
	e.p("for %s := range %s {", i, x)
	e.value(v.item, x+"["+i+"]")
	e.p("}")
	e.depth--
}

// number prints the writing of numbers, enums and the structs of a few numbers.
func (e *encoder) number(v *value, x string) {
	if outside := v.outside(x); outside != "" {
		e.p("if %s {\nw.Fail(wire.ErrRange)\n}", outside)
	}
	switch {
	case plainMethods[v.Kind] != "":
		method := plainMethods[v.Kind]
		e.p("w.%s(%s)", method, to(strings.ToLower(method), v.typ, x))
	case v.enum != nil && e.codec == layout.Bytes:
		e.p("encode%s(%s, %s)", v.enum.name, e.stream, x)
	case v.enum != nil:
		if v.Kind == layout.KindEnum64 { // an int of 32 bits could make a declared value of it
			e.p("if !%s.Valid() {\nw.Fail(wire.ErrEnum)\n}", x)
		}
		e.p("w.Enum(int(%s), %d)", x, len(v.Values))
	case scalarMethods[v.Kind].method != "":
		s := scalarMethods[v.Kind]
		e.p("w.%s(%s, %s)", s.method, to(s.typ, v.typ, x), v.widths())
	default:
		e.shape(v, x)
	}
}

func (e *encoder) shape(v *value, x string) {
	s := shapeMethods[v.Kind]
	var args []string
	for part := range v.typ.Underlying().(*types.Struct).Fields() {
		args = append(args, to(s.typ, part.Type(), x+"."+part.Name()))
	}
	if w := v.widths(); w != "" {
		args = append(args, w)
	}
	e.p("w.%s(%s)", s.method, strings.Join(args, ", "))
}

// outside is the condition for an integer outside its bounds, "" if its type has no others.
func (v *value) outside(x string) string {
	if !v.Ranged {
		return ""
	}
	basic := v.typ.Underlying().(*types.Basic)
	least, most := rangeOf(sizedInt(basic), basic.Info()&types.IsUnsigned != 0)
	var parts []string
	if v.Min > least {
		parts = append(parts, fmt.Sprintf("%s < %d", x, v.Min))
	}
	if v.Max < most || basic.Kind() == types.Uint64 {
		parts = append(parts, fmt.Sprintf("%s > %d", x, v.Max))
	}
	return strings.Join(parts, " || ")
}
