package main

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// decoder prints statements that read values.
type decoder struct {
	*printer
	stream string // how to pass the reader on: "r" or "&r"
	codec  layout.Codec
	depth  int // of loops
}

// from converts an expression of a basic type to type t, where that takes a conversion.
func (d *decoder) from(basic string, t types.Type, x string) string {
	if types.Unalias(t).String() == basic {
		return x
	}
	return d.typeName(t) + "(" + x + ")"
}

// fields prints the reading of all fields of a struct. Neighbours with one condition share it.
func (d *decoder) fields(s *structType, x string) {
	for _, run := range s.runs() {
		condition := run[0].If
		if condition != "" {
			d.p("if %s.%s {", x, condition)
		}
		for i := range run {
			d.value(&run[i].value, x+"."+run[i].Name)
		}
		if condition == "" {
			continue
		}
		d.p("} else {")
		for i := range run {
			d.p("%s = %s", x+"."+run[i].Name, d.zero(&run[i].value, x+"."+run[i].Name))
		}
		d.p("}")
	}
}

// zero is the value of a field that is not there. Lists keep their memory.
func (d *decoder) zero(v *value, x string) string {
	switch u := v.typ.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsString != 0:
			return `""`
		}
		return "0"
	case *types.Slice:
		return x + "[:0]"
	}
	return d.typeName(v.typ) + "{}"
}

// value prints the reading of one value into the expression x.
func (d *decoder) value(v *value, x string) {
	switch v.Kind {
	case layout.KindText:
		d.p("if s := r.Text(%s); string(s) != %s {", v.textLimits(d.codec), to("string", v.typ, x))
		d.p("%s = %s\n}", x, d.typeName(v.typ)+"(s)")
	case layout.KindBlob:
		d.p("%s = append(%s[:0], r.Blob(%d)...)", x, x, v.Len)
	case layout.KindRest:
		d.p("%s = append(%s[:0], r.Rest()...)", x, x)
	case layout.KindList:
		d.p("%s = resized(%s, r.Count(%d, %d))", x, x, v.Len, fewestBits(d.codec, v.item.describe()))
		d.loop(v, x)
	case layout.KindArray:
		d.array(v, x)
	case layout.KindStruct:
		d.p("decode%s(%s, &%s)", v.def.name, d.stream, x)
	case layout.KindGUID:
		d.p("%s = r.GUID()", x)
	default:
		d.number(v, x)
	}
	if v.validated {
		d.p("if r.Err() == nil {\nr.Fail(%s.Validate())\n}", x)
	}
}

func (d *decoder) array(v *value, x string) {
	if v.isBytes() && d.codec == layout.Bytes {
		d.p("copy(%s[:], r.Raw(%d))", x, v.Len)
		return
	}
	d.loop(v, x)
}

func (d *decoder) loop(v *value, x string) {
	i := loopVars[d.depth]
	d.depth++
	d.p("for %s := range %s {", i, x)
	d.value(v.item, x+"["+i+"]")
	d.p("}")
	d.depth--
}

// number prints the reading of numbers, enums and the structs of a few numbers.
func (d *decoder) number(v *value, x string) {
	switch {
	case plainMethods[v.Kind] != "":
		method := plainMethods[v.Kind]
		d.p("%s = %s", x, d.from(strings.ToLower(method), v.typ, "r."+method+"()"))
	case v.enum != nil && d.codec == layout.Bytes:
		d.p("%s = decode%s(%s)", x, v.enum.name, d.stream)
	case v.enum != nil:
		d.p("%s = %s(r.Enum(%d))", x, v.enum.name, len(v.Values))
	case scalarMethods[v.Kind].method != "":
		s := scalarMethods[v.Kind]
		d.p("%s = %s", x, d.from(s.typ, v.typ, fmt.Sprintf("r.%s(%s)", s.method, v.widths())))
	default:
		d.shape(v, x)
	}
	if outside := v.outside(x); outside != "" {
		d.p("if %s {\nr.Fail(wire.ErrRange)\n}", outside)
	}
}

// shape prints the reading of a struct of a few numbers, directly into its fields where they have the type that the reader gives.
func (d *decoder) shape(v *value, x string) {
	s := shapeMethods[v.Kind]
	var targets, names, assignments []string
	direct := true
	for part := range v.typ.Underlying().(*types.Struct).Fields() {
		name := strings.ToLower(part.Name())
		if name == "r" {
			name = "red"
		}
		if name == "w" || name == "b" {
			name += "0"
		}
		direct = direct && types.Unalias(part.Type()).String() == s.typ
		targets = append(targets, x+"."+part.Name())
		names = append(names, name)
		assignments = append(assignments, d.from(s.typ, part.Type(), name))
	}
	call := fmt.Sprintf("r.%s(%s)", s.method, v.widths())
	if direct {
		d.p("%s = %s", strings.Join(targets, ", "), call)
		return
	}
	d.p("{\n%s := %s", strings.Join(names, ", "), call)
	d.p("%s = %s{%s}\n}", x, d.typeName(v.typ), strings.Join(assignments, ", "))
}
