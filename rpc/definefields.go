package rpc

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/wire"
)

// step encodes and decodes one value where it is.
type step struct {
	encode func(*wire.BitWriter)
	decode func(*wire.BitReader)
}

// newBox makes a box for a struct that describe has described.
func newBox[T any](fields []layout.Field) *box[T] {
	b := new(box[T])
	b.steps = appendSteps(nil, fields, reflect.ValueOf(&b.values).Elem())
	return b
}

// describe gives the fields of a struct as a description has them.
func describe[T any]() ([]layout.Field, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is no struct: define one with the arguments as its fields", t)
	}
	return describeStruct(t)
}

func describeStruct(t reflect.Type) ([]layout.Field, error) {
	var list []layout.Field
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Anonymous {
			return nil, fmt.Errorf("field %s of %v is embedded or not exported: give it a name with a capital", f.Name, t)
		}
		tag, err := parseTag(f.Tag.Get("net"))
		if err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", f.Name, t, err)
		}
		field, err := describeValue(f.Type, tag)
		if err == nil {
			err = tag.unused()
		}
		if err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", f.Name, t, err)
		}
		field.Name = f.Name
		list = append(list, field)
	}
	return list, nil
}

// tag is the words of a field's tag that were not asked for yet.
type tag map[string]int64

func parseTag(text string) (tag, error) {
	words := tag{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, valued := strings.Cut(strings.TrimSpace(part), "=")
		if key == "" {
			continue
		}
		n, err := strconv.ParseInt(value, 0, 64)
		if valued && err != nil {
			return nil, fmt.Errorf("net:%q: %s is no number", text, value)
		}
		words[key] = n
	}
	return words, nil
}

// take gives the number of a word, absent if it is not there.
func (t tag) take(key string, absent int64) int64 {
	n, ok := t[key]
	if !ok {
		return absent
	}
	delete(t, key)
	return n
}

func (t tag) unused() error {
	for key := range t {
		return fmt.Errorf("net:%q is not known here: leave it out, or write a contract for netgen, which knows more", key)
	}
	return nil
}

func describeValue(t reflect.Type, words tag) (layout.Field, error) {
	if kind, ok := plainKinds[t.Kind()]; ok {
		f := layout.Field{Kind: kind}
		describeInteger(&f, t, words)
		return f, describeFloat(&f, words)
	}
	switch {
	case t.Kind() == reflect.String:
		lenBits := words.take("lenbits", 11)
		most := words.take("max", min(int64(1)<<min(uint64(lenBits), 16), math.MaxUint16))
		return layout.Field{Kind: layout.KindText, Bits: int(lenBits), Len: int(most)}, nil
	case t == reflect.TypeFor[[]byte]():
		return layout.Field{Kind: layout.KindBlob, Len: int(words.take("max", 255))}, nil
	case t.Kind() == reflect.Array:
		item, err := describeValue(t.Elem(), words)
		return layout.Field{Kind: layout.KindArray, Len: t.Len(), Fields: []layout.Field{item}}, err
	case t.Kind() == reflect.Struct:
		fields, err := describeStruct(t)
		return layout.Field{Kind: layout.KindStruct, Fields: fields}, err
	}
	return layout.Field{}, errors.New("a draft cannot send " + t.String() + ": write a contract for netgen, which can send more")
}

// plainKinds are the kinds of numbers without words.
var plainKinds = map[reflect.Kind]layout.Kind{
	reflect.Bool: layout.KindBool, reflect.Float32: layout.KindF32, reflect.Float64: layout.KindF64,
	reflect.Uint8: layout.KindU8, reflect.Uint16: layout.KindU16, reflect.Uint32: layout.KindU32, reflect.Uint64: layout.KindU64,
	reflect.Int8: layout.KindI8, reflect.Int16: layout.KindI16, reflect.Int32: layout.KindI32, reflect.Int64: layout.KindI64,
}

// describeInteger takes the width and the bounds of an integer.
func describeInteger(f *layout.Field, t reflect.Type, words tag) {
	signed, unsigned := t.Kind() >= reflect.Int8 && t.Kind() <= reflect.Int64, t.Kind() >= reflect.Uint8 && t.Kind() <= reflect.Uint64
	if !signed && !unsigned {
		return
	}
	size := t.Bits()
	if _, ok := words["bits"]; ok && size <= 32 {
		f.Kind, f.Bits = layout.KindUint, int(words.take("bits", 0))
		if signed {
			f.Kind = layout.KindInt
		}
		size = min(max(f.Bits, 1), size)
	}
	least, most := int64(-1)<<(size-1), int64(1)<<(size-1)-1
	if unsigned {
		least, most = 0, int64(min(uint64(1)<<size-1, math.MaxInt64))
	}
	_, hasMin := words["min"]
	_, hasMax := words["max"]
	if hasMin || hasMax {
		f.Ranged, f.Min, f.Max = true, words.take("min", least), words.take("max", most)
	}
}

// floatWords are the words that say how a float travels, and the widths that each needs.
var floatWords = map[string]layout.Kind{
	"fixed": layout.KindFixed, "ufixed": layout.KindUFixed, "unorm": layout.KindUnorm, "snorm": layout.KindSnorm, "degrees": layout.KindDegrees, "radians": layout.KindRadians,
}

// float32Bits is how wide a value is at most that comes out of a float32 as it went in (MESSAGES.md 1.2).
const float32Bits = 22

func describeFloat(f *layout.Field, words tag) error {
	is32 := f.Kind == layout.KindF32
	if !is32 && f.Kind != layout.KindF64 {
		return nil
	}
	for word, kind := range floatWords {
		if _, ok := words[word]; !ok {
			continue
		}
		words.take(word, 0)
		if f.Kind = kind; kind == layout.KindFixed || kind == layout.KindUFixed {
			f.Int, f.Fraction = int(words.take("int", 0)), int(words.take("frac", 0))
		} else {
			f.Bits = int(words.take("bits", 0))
		}
		break
	}
	if is32 && f.Bits+f.Int+f.Fraction > float32Bits {
		return fmt.Errorf("it is finer than a float32: write at most %d bits, or make it a float64", float32Bits)
	}
	return nil
}

// appendSteps adds the steps of fields of a struct that can be addressed.
func appendSteps(steps []step, fields []layout.Field, v reflect.Value) []step {
	for i := range fields {
		steps = appendStep(steps, &fields[i], v.Field(i))
	}
	return steps
}

func appendStep(steps []step, f *layout.Field, v reflect.Value) []step {
	switch f.Kind {
	case layout.KindStruct:
		return appendSteps(steps, f.Fields, v)
	case layout.KindArray:
		for i := range v.Len() {
			steps = appendStep(steps, &f.Fields[0], v.Index(i))
		}
		return steps
	}
	return append(steps, stepOf(f, v))
}

// at is where a value is, as a pointer to the type that its own is made of.
func at[T any](v reflect.Value) *T { return v.Addr().Convert(reflect.TypeFor[*T]()).Interface().(*T) }

func stepOf(f *layout.Field, v reflect.Value) step {
	switch v.Kind() {
	case reflect.Bool:
		p := at[bool](v)
		return step{func(w *wire.BitWriter) { w.Bool(*p) }, func(r *wire.BitReader) { *p = r.Bool() }}
	case reflect.String:
		return textStep(at[string](v), f.Len, f.Bits)
	case reflect.Slice:
		p, most := at[[]byte](v), f.Len
		return step{func(w *wire.BitWriter) { w.Blob(*p, most) }, func(r *wire.BitReader) { *p = append((*p)[:0], r.Blob(most)...) }}
	case reflect.Float32:
		return floatStep(f, at[float32](v))
	case reflect.Float64:
		return floatStep(f, at[float64](v))
	case reflect.Uint8:
		return integerStep(f, at[uint8](v), (*wire.BitWriter).Uint8, (*wire.BitReader).Uint8)
	case reflect.Uint16:
		return integerStep(f, at[uint16](v), (*wire.BitWriter).Uint16, (*wire.BitReader).Uint16)
	case reflect.Uint32:
		return integerStep(f, at[uint32](v), (*wire.BitWriter).Uint32, (*wire.BitReader).Uint32)
	case reflect.Uint64:
		return integerStep(f, at[uint64](v), (*wire.BitWriter).Uint64, (*wire.BitReader).Uint64)
	case reflect.Int8:
		return integerStep(f, at[int8](v), (*wire.BitWriter).Int8, (*wire.BitReader).Int8)
	case reflect.Int16:
		return integerStep(f, at[int16](v), (*wire.BitWriter).Int16, (*wire.BitReader).Int16)
	case reflect.Int32:
		return integerStep(f, at[int32](v), (*wire.BitWriter).Int32, (*wire.BitReader).Int32)
	}
	return integerStep(f, at[int64](v), (*wire.BitWriter).Int64, (*wire.BitReader).Int64)
}

func textStep(p *string, most, lenBits int) step {
	return step{
		func(w *wire.BitWriter) { w.Text(*p, most, lenBits) },
		func(r *wire.BitReader) {
			if s := r.Text(most, lenBits); string(s) != *p {
				*p = string(s)
			}
		},
	}
}

type sized interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

func integerStep[T sized](f *layout.Field, p *T, write func(*wire.BitWriter, T), read func(*wire.BitReader) T) step {
	n := f.Bits
	switch f.Kind {
	case layout.KindUint:
		write, read = func(w *wire.BitWriter, v T) { w.Uint(uint32(v), n) }, func(r *wire.BitReader) T { return T(r.Uint(n)) }
	case layout.KindInt:
		write, read = func(w *wire.BitWriter, v T) { w.Int(int32(v), n) }, func(r *wire.BitReader) T { return T(r.Int(n)) }
	}
	if !f.Ranged {
		return step{func(w *wire.BitWriter) { write(w, *p) }, func(r *wire.BitReader) { *p = read(r) }}
	}
	least, most := f.Min, f.Max
	outside := func() bool { return int64(*p) < least || int64(*p) > most || *p > 0 && int64(*p) < 0 }
	return step{
		func(w *wire.BitWriter) {
			if outside() {
				w.Fail(wire.ErrRange)
			}
			write(w, *p)
		},
		func(r *wire.BitReader) {
			if *p = read(r); outside() {
				r.Fail(wire.ErrRange)
			}
		},
	}
}

func floatStep[T float32 | float64](f *layout.Field, p *T) step {
	n, whole, fraction := f.Bits, f.Int, f.Fraction
	var write func(*wire.BitWriter, float64)
	var read func(*wire.BitReader) float64
	switch f.Kind {
	case layout.KindFixed:
		write, read = func(w *wire.BitWriter, v float64) { w.Fixed(v, whole, fraction) }, func(r *wire.BitReader) float64 { return r.Fixed(whole, fraction) }
	case layout.KindUFixed:
		write, read = func(w *wire.BitWriter, v float64) { w.UFixed(v, whole, fraction) }, func(r *wire.BitReader) float64 { return r.UFixed(whole, fraction) }
	case layout.KindUnorm:
		write, read = func(w *wire.BitWriter, v float64) { w.Unorm(v, n) }, func(r *wire.BitReader) float64 { return r.Unorm(n) }
	case layout.KindSnorm:
		write, read = func(w *wire.BitWriter, v float64) { w.Snorm(v, n) }, func(r *wire.BitReader) float64 { return r.Snorm(n) }
	case layout.KindDegrees:
		write, read = func(w *wire.BitWriter, v float64) { w.Degrees(v, n) }, func(r *wire.BitReader) float64 { return r.Degrees(n) }
	case layout.KindRadians:
		write, read = func(w *wire.BitWriter, v float64) { w.Radians(v, n) }, func(r *wire.BitReader) float64 { return r.Radians(n) }
	case layout.KindF32:
		write, read = func(w *wire.BitWriter, v float64) { w.Float32(float32(v)) }, func(r *wire.BitReader) float64 { return float64(r.Float32()) }
	default:
		write, read = (*wire.BitWriter).Float64, (*wire.BitReader).Float64
	}
	return step{func(w *wire.BitWriter) { write(w, float64(*p)) }, func(r *wire.BitReader) { *p = T(read(r)) }}
}
