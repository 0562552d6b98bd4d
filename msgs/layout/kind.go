package layout

import "math"

// kindRow is what text, checks and sizes have to know of a kind.
type kindRow struct {
	name       string
	form       form
	packedOnly bool // exists with codec Bits only
	size       int  // in bits, if it is the same for all values of the kind
	words      []word
	packed     []word // stand before words with codec Bits
}

// form says what more a kind has than its words.
type form uint8

const (
	plain    form = iota
	unsigned      // an integer, and may be ranged
	signed        // likewise
	enum          // has values
	nested        // has fields
)

// word is an attribute of a kind, written as name=value.
type word struct {
	name        string
	value       func(*Field) *int
	least, most int
}

func bitsOf(f *Field) *int     { return &f.Bits }
func yawBitsOf(f *Field) *int  { return &f.YawBits }
func intOf(f *Field) *int      { return &f.Int }
func fractionOf(f *Field) *int { return &f.Fraction }
func lenOf(f *Field) *int      { return &f.Len }

const (
	maxBits  = 32 // of a value of codec Bits that has no size of its own
	maxFixed = 53 // of both parts of a fixed-point value: what a float64 holds
)

func width(least int) word { return word{"bits", bitsOf, least, maxBits} }

var (
	wholePart = word{"int", intOf, 1, maxBits}
	someWhole = word{"int", intOf, 0, maxBits}
	fraction  = word{"frac", fractionOf, 0, maxBits}
	limit     = word{"max", lenOf, 1, math.MaxUint16}
)

var kinds = [...]kindRow{
	KindBool:   {name: "bool"},
	KindU8:     {name: "uint8", form: unsigned, size: 8},
	KindU16:    {name: "uint16", form: unsigned, size: 16},
	KindU32:    {name: "uint32", form: unsigned, size: 32},
	KindU64:    {name: "uint64", form: unsigned, size: 64},
	KindI8:     {name: "int8", form: signed, size: 8},
	KindI16:    {name: "int16", form: signed, size: 16},
	KindI32:    {name: "int32", form: signed, size: 32},
	KindI64:    {name: "int64", form: signed, size: 64},
	KindF32:    {name: "float32", size: 32},
	KindF64:    {name: "float64", size: 64},
	KindEnum8:  {name: "enum8", form: enum, size: 8},
	KindEnum16: {name: "enum16", form: enum, size: 16},
	KindEnum32: {name: "enum32", form: enum, size: 32},
	KindEnum64: {name: "enum64", form: enum, size: 64},
	KindText:   {name: "text", words: []word{limit}, packed: []word{{"lenbits", bitsOf, 1, 16}}},
	KindBlob:   {name: "blob", words: []word{limit}},
	KindRest:   {name: "rest"},
	KindList:   {name: "list", form: nested, words: []word{limit}},
	KindArray:  {name: "array", form: nested, words: []word{{"len", lenOf, 1, math.MaxUint16}}},
	KindStruct: {name: "struct", form: nested},

	KindUint:      {name: "uint", form: unsigned, packedOnly: true, words: []word{width(1)}},
	KindInt:       {name: "int", form: signed, packedOnly: true, words: []word{width(1)}},
	KindUFixed:    {name: "ufixed", packedOnly: true, words: []word{someWhole, fraction}},
	KindFixed:     {name: "fixed", packedOnly: true, words: []word{wholePart, fraction}},
	KindUnorm:     {name: "unorm", packedOnly: true, words: []word{width(1)}},
	KindSnorm:     {name: "snorm", packedOnly: true, words: []word{width(2)}},
	KindDegrees:   {name: "degrees", packedOnly: true, words: []word{width(1)}},
	KindRadians:   {name: "radians", packedOnly: true, words: []word{width(1)}},
	KindVec3Fixed: {name: "vec3", packedOnly: true, words: []word{wholePart, fraction}},
	KindUnit:      {name: "unit", packedOnly: true, words: []word{width(2)}},
	KindQuat:      {name: "quat", packedOnly: true, words: []word{width(2)}},
	KindYawQuat:   {name: "yawquat", packedOnly: true, words: []word{{"yaw", yawBitsOf, 1, maxBits}, width(2)}},
	KindYawUnit:   {name: "yawunit", packedOnly: true, words: []word{width(1)}},
	KindYawVec:    {name: "yawvec", packedOnly: true, words: []word{width(1)}},
	KindRGB:       {name: "rgb", packedOnly: true, size: 24},
	KindRGBA:      {name: "rgba", packedOnly: true, size: 32},
	KindGUID:      {name: "guid", packedOnly: true, size: 128},
}

// String gives the name that k has in a description.
func (k Kind) String() string { return k.row().name }

// row returns the row of k, one without a name if there is none.
func (k Kind) row() *kindRow {
	if int(k) >= len(kinds) {
		return &kinds[0]
	}
	return &kinds[k]
}

// kindNamed returns the kind of that name, 0 if there is none.
func kindNamed(name string) Kind {
	for k := range kinds {
		if k > 0 && kinds[k].name == name {
			return Kind(k)
		}
	}
	return 0
}

// wordsOf returns the words of a kind in the order in which they are written.
func (c Codec) wordsOf(k Kind) []word {
	row := k.row()
	if c == Bits && len(row.packed) > 0 {
		return append(row.packed[:len(row.packed):len(row.packed)], row.words...)
	}
	return row.words
}

// integer reports whether a value of kind k is an integer that may have bounds.
func (k Kind) integer() bool { return k.row().form == unsigned || k.row().form == signed }

// String gives the name that c has in a description.
func (c Codec) String() string {
	if c == Bits {
		return "bits"
	}
	return "bytes"
}

// String gives the name that s has in a description.
func (s Side) String() string {
	switch s {
	case Client:
		return "client"
	case Host:
		return "host"
	case Both:
		return "both"
	}
	return "nobody"
}
