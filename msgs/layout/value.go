package layout

import (
	"slices"

	"github.com/gannet-net/gannet/wire"
)

// value is what was read, without any allocation.
type value struct {
	bits  uint64     // of a bool, an integer, an enum or a count; signed ones as their int64
	parts [4]float64 // of a float, vector or rotation
	raw   []byte     // of text and bytes: a view of the message
	fixed [16]byte   // of a colour or a GUID
}

// Value returns the value: a bool; a uint64 or int64, which is the value itself for an enum; a float64, or a []float64 for a vector or rotation; a []byte for text
// and bytes, which is a part of the message, and for a colour or a GUID; or an int for the count of a list.
func (s Step) Value() any {
	v := &s.value
	switch s.Field.Kind {
	case KindBool:
		return v.bits != 0
	case KindText, KindBlob, KindRest:
		return v.raw
	case KindRGB, KindRGBA, KindGUID:
		return slices.Clone(v.fixed[:s.Field.Kind.row().size/8])
	case KindList:
		return int(v.bits)
	}
	switch s.Field.Kind.row().form {
	case unsigned:
		return v.bits
	case signed, enum:
		return int64(v.bits)
	}
	if n := s.Field.Kind.parts(); n > 1 {
		return slices.Clone(v.parts[:n])
	}
	return v.parts[0]
}

// parts returns how many floats a value has, 0 if it is not made of floats.
func (k Kind) parts() int {
	switch k {
	case KindF32, KindF64, KindUFixed, KindFixed, KindUnorm, KindSnorm, KindDegrees, KindRadians:
		return 1
	case KindVec3Fixed, KindUnit, KindYawUnit, KindYawVec:
		return 3
	case KindQuat, KindYawQuat:
		return 4
	}
	return 0
}

// read reads a value as MESSAGES.md 1 says.
func (w *walker) read(f *Field) (v value) {
	switch f.Kind.row().form {
	case unsigned:
		v.bits = w.unsigned(f)
		if f.Ranged && (v.bits < uint64(f.Min) || v.bits > uint64(f.Max)) {
			w.in.Fail(wire.ErrRange)
		}
		return v
	case signed:
		n := w.signed(f)
		if f.Ranged && (n < f.Min || n > f.Max) {
			w.in.Fail(wire.ErrRange)
		}
		v.bits = uint64(n)
		return v
	case enum:
		v.bits = uint64(w.enum(f))
		return v
	}
	switch f.Kind {
	case KindBool:
		if w.in.Bool() {
			v.bits = 1
		}
	case KindF32:
		v.parts[0] = float64(w.in.Float32())
	case KindF64:
		v.parts[0] = w.in.Float64()
	case KindText:
		v.raw = w.text(f)
	case KindBlob:
		v.raw = w.blob(f)
	case KindRest:
		v.raw = w.rest()
	case KindList:
		v.bits = uint64(w.count(f))
	default:
		w.packed(f, &v)
	}
	return v
}

// rest reads all that is left. With codec Bits that is bits which are not looked at; the result begins at the byte in which they do.
func (w *walker) rest() []byte {
	if w.catalogue.Codec == Bytes {
		return w.bytes.Rest()
	}
	source, at := w.bits.Source(), w.bits.Offset()
	for left := 8*len(source) - at; left > 0; left -= 32 {
		w.bits.Bits(min(left, 32))
	}
	return source[at/8:]
}

func (w *walker) unsigned(f *Field) uint64 {
	switch f.Kind {
	case KindU8:
		return uint64(w.in.Uint8())
	case KindU16:
		return uint64(w.in.Uint16())
	case KindU32:
		return uint64(w.in.Uint32())
	case KindU64:
		return w.in.Uint64()
	}
	return uint64(w.bits.Uint(f.Bits))
}

func (w *walker) signed(f *Field) int64 {
	switch f.Kind {
	case KindI8:
		return int64(w.in.Int8())
	case KindI16:
		return int64(w.in.Int16())
	case KindI32:
		return int64(w.in.Int32())
	case KindI64:
		return w.in.Int64()
	}
	return int64(w.bits.Int(f.Bits))
}

// enum reads one of the values of an enum. With codec Bytes they are those of a signed integer if one of them is negative.
func (w *walker) enum(f *Field) int64 {
	if w.catalogue.Codec == Bits {
		return int64(w.bits.Enum(len(f.Values)))
	}
	var n int64
	if f.Values[0] < 0 {
		n = w.signed(&Field{Kind: f.Kind - KindEnum8 + KindI8})
	} else {
		n = int64(w.unsigned(&Field{Kind: f.Kind - KindEnum8 + KindU8}))
	}
	if _, found := slices.BinarySearch(f.Values, n); !found {
		w.in.Fail(wire.ErrEnum)
	}
	return n
}

func (w *walker) text(f *Field) []byte {
	if w.catalogue.Codec == Bits {
		return w.bits.Text(f.Len, f.Bits)
	}
	return w.bytes.Text(f.Len)
}

func (w *walker) blob(f *Field) []byte {
	if w.catalogue.Codec == Bits {
		return w.bits.Blob(f.Len)
	}
	return w.bytes.Blob(f.Len)
}

// count reads the count of a list. In a message that may end anywhere, the items need not be there.
func (w *walker) count(f *Field) int {
	if w.partial {
		return w.announced(f)
	}
	least := w.catalogue.ItemBits(f)
	if w.catalogue.Codec == Bits {
		return w.bits.Count(f.Len, least)
	}
	return w.bytes.Count(f.Len, least)
}

// announced reads a count that may be more than what follows.
func (w *walker) announced(f *Field) int {
	var n int
	switch width := w.catalogue.countBits(f.Len); {
	case w.catalogue.Codec == Bits:
		n = int(w.bits.Bits(width))
	case width == 8:
		n = int(w.bytes.Uint8())
	default:
		n = int(w.bytes.Uint16())
	}
	if n > f.Len {
		w.in.Fail(wire.ErrLimit)
	}
	return n
}

// packed reads a value of a kind that exists with codec Bits only.
func (w *walker) packed(f *Field, v *value) {
	in, p := &w.bits, &v.parts
	switch f.Kind {
	case KindUFixed:
		p[0] = in.UFixed(f.Int, f.Fraction)
	case KindFixed:
		p[0] = in.Fixed(f.Int, f.Fraction)
	case KindUnorm:
		p[0] = in.Unorm(f.Bits)
	case KindSnorm:
		p[0] = in.Snorm(f.Bits)
	case KindDegrees:
		p[0] = in.Degrees(f.Bits)
	case KindRadians:
		p[0] = in.Radians(f.Bits)
	case KindVec3Fixed:
		p[0], p[1], p[2] = in.Vec3(f.Int, f.Fraction)
	case KindUnit:
		p[0], p[1], p[2] = in.Unit(f.Bits)
	case KindQuat:
		p[0], p[1], p[2], p[3] = in.Quat(f.Bits)
	case KindYawQuat:
		p[0], p[1], p[2], p[3] = in.YawQuat(f.YawBits, f.Bits)
	case KindYawUnit:
		p[0], p[1], p[2] = in.YawUnit(f.Bits)
	case KindYawVec:
		p[0], p[1], p[2] = in.YawVec(f.Bits)
	case KindRGB:
		v.fixed[0], v.fixed[1], v.fixed[2] = in.RGB()
	case KindRGBA:
		v.fixed[0], v.fixed[1], v.fixed[2], v.fixed[3] = in.RGBA()
	case KindGUID:
		v.fixed = in.GUID()
	}
}
