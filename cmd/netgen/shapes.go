package main

import (
	"go/types"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// shapeRow is a word that says how a float, or a struct of them, travels.
type shapeRow struct {
	fields string // the fields of the struct; "" is a float
	kind   layout.Kind
	args   []string // the words that it needs
}

// shapes has the words with all that they can stand for.
var shapes = map[string][]shapeRow{
	"ufixed":  {{"", layout.KindUFixed, []string{"int", "frac"}}},
	"fixed":   {{"", layout.KindFixed, []string{"int", "frac"}}, {"XYZ", layout.KindVec3Fixed, []string{"int", "frac"}}},
	"unorm":   {{"", layout.KindUnorm, []string{"bits"}}},
	"snorm":   {{"", layout.KindSnorm, []string{"bits"}}},
	"degrees": {{"", layout.KindDegrees, []string{"bits"}}},
	"radians": {{"", layout.KindRadians, []string{"bits"}}},
	"unit":    {{"XYZ", layout.KindUnit, []string{"bits"}}},
	"quat":    {{"XYZW", layout.KindQuat, []string{"bits"}}},
	"yawquat": {{"XYZW", layout.KindYawQuat, []string{"yaw", "bits"}}},
	"yawunit": {{"XYZ", layout.KindYawUnit, []string{"bits"}}},
	"yawvec":  {{"XYZ", layout.KindYawVec, []string{"bits"}}},
	"rgb":     {{"RGB", layout.KindRGB, nil}},
	"rgba":    {{"RGBA", layout.KindRGBA, nil}},
}

// shapeArgs are the words that go with those of shapes.
var shapeArgs = []string{"bits", "int", "frac", "yaw"}

// isShape reports whether a word is about how a number or a struct travels, rather than about its bounds.
func isShape(key string) bool {
	return shapes[key] != nil || key == "guid" || slices.Contains(shapeArgs, key)
}

// chosen gives the one word of shapes that is written, "" if there is none. It reports whether there are not more.
func (f form) chosen() (found string, ok bool) {
	ok = true
	for _, key := range f.words.keys() {
		switch {
		case shapes[key] == nil:
		case found != "":
			f.errorf(f.words.at(key), "%s and %s do not go together: keep one", found, key)
			ok = false
		default:
			found = key
		}
	}
	return found, ok
}

// float reads the words of a float, which without any travels as it is.
func (f form) float() {
	word, ok := f.chosen()
	switch {
	case !ok:
		return
	case word != "":
		if f.shaped(word, "") && f.typ.Underlying() == types.Typ[types.Float32] {
			f.fitsFloat32(word)
		}
		return
	}
	f.onlyWords(f.words, "a float without a word such as fixed, unorm or degrees")
}

// shape reads the words of a struct that travels as one value.
func (f form) shape(u *types.Struct) (value, bool) {
	word, ok := f.chosen()
	switch {
	case !ok:
		return *f.value, false
	case word == "":
		f.onlyWords(f.words, "a struct without a word such as fixed, unit or quat")
		return *f.value, false
	}
	if _, ok := f.typ.(*types.Named); !ok {
		f.errorf(f.pos, "%s is a struct without a name: declare a type for it", f.name)
		return *f.value, false
	}
	names := ""
	for v := range u.Fields() {
		names += v.Name()
	}
	return *f.value, f.shaped(word, names) && f.components(u, word)
}

// shaped takes the row of a word that fits the fields of the struct, or a float.
func (f form) shaped(word, fields string) bool {
	rows := shapes[word]
	i := slices.IndexFunc(rows, func(r shapeRow) bool { return r.fields == fields })
	if i < 0 {
		f.errorf(f.words.at(word), "%s does not go with %s: it is for %s", word, whatIs(fields), whatIs(rows[len(rows)-1].fields))
		return false
	}
	f.packedOnly(word)
	row := rows[i]
	f.Kind = row.kind
	f.onlyWords(f.words, word, append(slices.Clone(row.args), word)...)
	f.needs(word, row.args)
	f.Bits = f.arg("bits", least(row.kind))
	f.YawBits = f.arg("yaw", 1)
	f.Int = f.arg("int", least(row.kind))
	f.Fraction = f.arg("frac", 0)
	if both := f.Int + f.Fraction; both > maxFixed || row.kind == layout.KindUFixed && both == 0 {
		f.errorf(f.words.at("frac"), "int=%d and frac=%d are not possible together: write 1 to %d bits in all", f.Int, f.Fraction, maxFixed)
	}
	return true
}

// maxFixed is how many bits a fixed-point value can have: what a float64 holds.
const maxFixed = 53

// float32Widths is how wide values are at most that come out of a float32 as they went in (MESSAGES.md 1.2).
var float32Widths = map[layout.Kind]int{
	layout.KindUFixed: 24, layout.KindFixed: 24, layout.KindVec3Fixed: 24, layout.KindUnorm: 24, layout.KindSnorm: 24,
	layout.KindDegrees: 22, layout.KindRadians: 22, layout.KindYawUnit: 22, layout.KindYawVec: 22,
	layout.KindUnit: 20, layout.KindQuat: 20, layout.KindYawQuat: 20,
}

// fitsFloat32 reports widths that are more than a float32 has.
func (f form) fitsFloat32(word string) {
	most, known := float32Widths[f.Kind]
	switch {
	case !known:
	case f.Int+f.Fraction > most:
		f.errorf(f.words.at("frac"), "int=%d and frac=%d are %d bits together, but a float32 holds %d: write less, or make it a float64",
			f.Int, f.Fraction, f.Int+f.Fraction, most)
	case f.Bits > most:
		f.errorf(f.words.at("bits"), "%s with bits=%d is finer than a float32, which holds %d: write less, or make it a float64", word, f.Bits, most)
	case f.YawBits > float32Widths[layout.KindRadians]:
		f.errorf(f.words.at("yaw"), "yaw=%d is finer than a float32, which holds %d: write less, or make it a float64", f.YawBits, float32Widths[layout.KindRadians])
	}
}

// least is the smallest width of a kind.
func least(k layout.Kind) int64 {
	switch k {
	case layout.KindSnorm, layout.KindUnit, layout.KindQuat, layout.KindYawQuat:
		return 2
	case layout.KindUFixed:
		return 0
	}
	return 1
}

func (f form) arg(key string, least int64) int {
	return int(f.words.number(key, least, 32, 0))
}

// needs reports the words that are missing beside word.
func (f form) needs(word string, args []string) {
	var missing []string
	for _, arg := range args {
		if !f.words.has(arg) {
			missing = append(missing, arg+"="+valueWords[arg])
		}
	}
	if len(missing) > 0 {
		f.errorf(f.words.at(word), "%s needs its widths, which have no defaults: write %s", word, strings.Join(missing, " and "))
	}
}

func whatIs(fields string) string {
	if fields == "" {
		return "a float"
	}
	return "a struct of " + strings.Join(strings.Split(fields, ""), ", ")
}

// components checks the types of the fields of a struct that travels as one value.
func (f form) components(u *types.Struct, word string) bool {
	for v := range u.Fields() {
		basic, _ := v.Type().Underlying().(*types.Basic)
		isColour := f.Kind == layout.KindRGB || f.Kind == layout.KindRGBA
		switch {
		case isColour && (basic == nil || basic.Kind() != types.Uint8):
			f.errorf(v.Pos(), "%s of a struct that travels as %s is to be a uint8", v.Name(), word)
			return false
		case !isColour && (basic == nil || basic.Info()&types.IsFloat == 0):
			f.errorf(v.Pos(), "%s of a struct that travels as %s is to be a float32 or float64", v.Name(), word)
			return false
		case !isColour && basic.Kind() == types.Float32:
			f.fitsFloat32(word)
		}
	}
	return true
}

// fewestBits gives how many bits a value has at least. Sizes counts whole bytes, so it is asked about eight of them.
func fewestBits(codec layout.Codec, f layout.Field) int {
	c := layout.Catalogue{Codec: codec}
	eight := layout.Message{From: layout.Host, Fields: []layout.Field{{Kind: layout.KindArray, Len: 8, Fields: []layout.Field{f}}}}
	bytes, _ := c.Sizes(&eight)
	id, _ := c.Sizes(&layout.Message{From: layout.Host})
	return bytes - id
}
