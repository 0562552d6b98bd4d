package main

import (
	"fmt"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// size says which of its possible values a sample has.
type size int

const (
	smallest size = iota
	typical
	largest
)

// sampleBudget is about how many bytes the largest sample of a message has.
const sampleBudget = 4096

// sampler prints Go expressions of messages.
type sampler struct {
	*printer
	size   size
	budget int // bytes that are left for each item of a list
}

// samples gives expressions of a struct with these fields: with zeros if they are valid, then small, typical and large. None stands twice.
func (g *printer) samples(def *structType, fields []layout.Field) []string {
	var list []string
	if zeroIsValid(fields) {
		list = append(list, "&"+def.name+"{}")
	}
	for _, size := range []size{smallest, typical, largest} {
		s := &sampler{g, size, sampleBudget}
		if sample := "&" + s.structure(def, def.name); !slices.Contains(list, sample) {
			list = append(list, sample)
		}
	}
	return list
}

// zeroIsValid reports whether fields can all be zero.
func zeroIsValid(fields []layout.Field) bool {
	for _, f := range fields {
		switch {
		case f.If != "" || f.Kind == layout.KindList:
		case f.Ranged && (f.Min > 0 || f.Max < 0), len(f.Values) > 0 && !slices.Contains(f.Values, 0), isRotation(f.Kind), !zeroIsValid(f.Fields):
			return false
		}
	}
	return true
}

func isRotation(k layout.Kind) bool {
	return k == layout.KindUnit || k == layout.KindQuat || k == layout.KindYawQuat || k == layout.KindYawUnit
}

// structure prints a literal of a struct without the fields that are zero in it.
func (s *sampler) structure(def *structType, name string) string {
	var parts []string
	for i := range def.fields {
		f := &def.fields[i]
		if f.If != "" && s.size == smallest {
			continue // all bools are false
		}
		if x := s.value(&f.value); !isZero(x) {
			parts = append(parts, f.Name+": "+x)
		}
	}
	line := name + "{" + strings.Join(parts, ", ") + "}"
	if len(line) <= lineWidth {
		return line
	}
	return name + "{\n" + strings.Join(parts, ",\n") + ",\n}"
}

// lineWidth is how long a literal may be that stands in one line.
const lineWidth = 120

func isZero(x string) bool {
	return x == "0" || x == "false" || x == `""` || x == "nil" || strings.HasSuffix(x, "{}") && !strings.HasPrefix(x, "repeat")
}

// value prints a value as it can stand behind a field's name.
func (s *sampler) value(v *value) string {
	name := s.typeName(v.typ)
	switch v.Kind {
	case layout.KindBool:
		return strconv.FormatBool(s.size != smallest)
	case layout.KindText:
		return s.text(v.Len, name)
	case layout.KindBlob, layout.KindRest:
		return s.blob(v, name)
	case layout.KindList:
		return s.list(v, name)
	case layout.KindArray:
		return s.array(v, name)
	case layout.KindStruct:
		return s.structure(v.def, v.def.name)
	case layout.KindGUID:
		return name + [...]string{"{}", "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}", "{15: 0xff}"}[s.size]
	}
	switch {
	case v.enum != nil:
		return s.constant(v.enum)
	case shapeMethods[v.Kind].method != "":
		return name + s.shape(v)
	}
	return s.number(v)
}

func (s *sampler) constant(e *enumType) string {
	i := [...]int{0, len(e.constants) / 2, len(e.constants) - 1}[s.size]
	if e.values[i] == 0 {
		return "0"
	}
	return e.constants[i].Name()
}

func (s *sampler) text(most int, name string) string {
	switch {
	case s.size == smallest:
		return `""`
	case s.size == typical && most >= len("Zoë"):
		return `"Zoë"`
	case s.size == typical:
		return `"Z"`
	}
	s.use("strings")
	long := fmt.Sprintf(`strings.Repeat("x", %d)`, most)
	if name != "string" {
		long = name + "(" + long + ")"
	}
	return long
}

func (s *sampler) blob(v *value, name string) string {
	most := v.Len
	if v.Kind == layout.KindRest {
		most = 64
	}
	switch {
	case s.size == smallest:
		return "nil"
	case s.size == typical:
		return name + "{" + strings.Join([]string{"1", "2", "3"}[:min(most, 3)], ", ") + "}"
	}
	s.use("bytes")
	return fmt.Sprintf("bytes.Repeat([]byte{0xff}, %d)", most)
}

// list prints no item, a few, or as many as the budget allows.
func (s *sampler) list(v *value, name string) string {
	if s.size == smallest {
		return "nil"
	}
	n := min(v.Len, 2)
	inner := *s
	if s.size == largest {
		n, inner.budget = s.share(v)
	}
	s.repeats = true
	return fmt.Sprintf("repeat(%d, func() %s { return %s })", n, s.typeName(v.item.typ), inner.value(v.item))
}

// share says how many items the budget allows, and what is left for each.
func (s *sampler) share(v *value) (n, budget int) {
	c := layout.Catalogue{Codec: s.Codec}
	_, most := c.Sizes(&layout.Message{From: layout.Host, Fields: []layout.Field{v.item.describe()}})
	n = max(1, min(v.Len, s.budget/max(most, 1)))
	return n, s.budget / n
}

// array prints the same item in all places.
func (s *sampler) array(v *value, name string) string {
	x := s.value(v.item)
	if isZero(x) {
		return name + "{}"
	}
	if short := strings.TrimPrefix(x, s.typeName(v.item.typ)); strings.HasPrefix(short, "{") {
		x = short // the array says the type
	}
	if v.Len <= 8 {
		return name + "{" + strings.Join(slices.Repeat([]string{x}, v.Len), ", ") + "}"
	}
	return fmt.Sprintf("func() (a %s) {\nfor i := range a {\na[i] = %s\n}\nreturn a\n}()", name, s.value(v.item))
}

// shape prints the fields of a struct that travels as one value.
func (s *sampler) shape(v *value) string {
	switch v.Kind {
	case layout.KindVec3Fixed:
		x := s.fixed(v)
		return fmt.Sprintf("{%s, %s, %s}", x, x, x)
	case layout.KindRGB:
		return [...]string{"{}", "{10, 20, 30}", "{255, 255, 255}"}[s.size]
	case layout.KindRGBA:
		return [...]string{"{}", "{10, 20, 30, 40}", "{255, 255, 255, 255}"}[s.size]
	case layout.KindUnit:
		return [...]string{"{0, 0, -1}", "{0.48, 0.6, 0.64}", "{1, 0, 0}"}[s.size]
	case layout.KindYawUnit:
		return [...]string{"{1, 0, 0}", "{0.6, 0, 0.8}", "{0, 0, -1}"}[s.size]
	case layout.KindYawVec:
		return [...]string{"{}", "{3, 0, 4}", "{0, 0, -100}"}[s.size]
	}
	return [...]string{"{0, 0, 0, 1}", "{0.5, 0.5, 0.5, 0.5}", "{0, 0.6, 0, 0.8}"}[s.size]
}

// number prints a number from the range of its kind.
func (s *sampler) number(v *value) string {
	switch v.Kind {
	case layout.KindF32:
		return [...]string{"0", "1.5", "3.4028234663852886e+38"}[s.size]
	case layout.KindF64:
		return [...]string{"0", "1.5", "1.7976931348623157e+308"}[s.size]
	case layout.KindFixed, layout.KindUFixed:
		return s.fixed(v)
	case layout.KindUnorm:
		return [...]string{"0", "0.5", "1"}[s.size]
	case layout.KindSnorm:
		return [...]string{"-1", "0.5", "1"}[s.size]
	case layout.KindDegrees:
		return [...]string{"0", "90", "270"}[s.size]
	case layout.KindRadians:
		return [...]string{"0", "1.5", "-0.5"}[s.size]
	}
	return s.integer(v)
}

// fixed prints the ends of a fixed-point range, or what is in the middle of its upper half.
func (s *sampler) fixed(v *value) string {
	step := math.Ldexp(1, -v.Fraction)
	low, high := 0.0, math.Ldexp(1, v.Int)
	if v.Kind != layout.KindUFixed {
		low, high = -high/2, high/2
	}
	x := [...]float64{low, high / 2, high - step}[s.size]
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func (s *sampler) integer(v *value) string {
	basic := v.typ.Underlying().(*types.Basic)
	unsigned := basic.Info()&types.IsUnsigned != 0
	bits := sizedInt(basic)
	if v.Kind == layout.KindUint || v.Kind == layout.KindInt {
		bits = v.Bits
	}
	low, high := rangeOf(bits, unsigned)
	if v.Ranged {
		low, high = v.Min, v.Max
	}
	if s.size == largest && unsigned && bits == 64 && !v.Ranged {
		return strconv.FormatUint(math.MaxUint64, 10)
	}
	return strconv.FormatInt([...]int64{low, max(low, min(high, 7)), high}[s.size], 10)
}
