package msgstest

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// followsDescription tests that the description accepts the bytes of the sample, and that each value in them is that of the field of that name.
func (x *trial) followsDescription() {
	x.Helper()
	err := x.layout.Walk(x.of, x.bytes, func(s layout.Step) bool {
		x.Helper()
		v, err := fieldAt(reflect.ValueOf(fields(x.sample)), s.Path())
		if err != nil {
			x.fail(x.bytes, "the description has a field %s, and the type %T has not: %v", s.Path(), fields(x.sample), err)
			return false
		}
		if !holds(v, s) {
			x.fail(x.bytes, "field %s is %v, but where the description has it, the bytes say %v", s.Path(), v, s.Value())
		}
		return true
	})
	if err != nil {
		x.fail(x.bytes, "the description refuses what Append wrote: %v", err)
	}
}

// fieldAt returns what is at a path such as "Order[2].Name" in a message.
func fieldAt(v reflect.Value, path string) (reflect.Value, error) {
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		v = reflect.Indirect(v)
		index, err := strconv.Atoi(name)
		switch {
		case err != nil && v.Kind() == reflect.Struct:
			v = v.FieldByName(name)
		case err == nil && (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && index < v.Len():
			v = v.Index(index)
		default:
			return v, fmt.Errorf("%v has no %s", v.Kind(), name)
		}
		if !v.IsValid() {
			return v, fmt.Errorf("no field %s", name)
		}
	}
	return v, nil
}

// holds reports whether v is the value that was read. Kinds that round their values are not compared.
func holds(v reflect.Value, s layout.Step) bool {
	switch read := s.Value().(type) {
	case bool:
		return v.Kind() == reflect.Bool && v.Bool() == read
	case int:
		return v.Kind() == reflect.Slice && v.Len() == read
	case uint64:
		return v.CanUint() && v.Uint() == read
	case int64:
		return v.CanInt() && v.Int() == read || v.CanUint() && v.Uint() == uint64(read)
	case float64:
		rounded := s.Field.Kind != layout.KindF32 && s.Field.Kind != layout.KindF64
		return v.CanFloat() && (rounded || v.Float() == read)
	case []byte:
		return s.Field.Kind == layout.KindRGB || s.Field.Kind == layout.KindRGBA || holdsBytes(v, read)
	}
	return true
}

// holdsBytes reports whether a string, slice or array is b.
func holdsBytes(v reflect.Value, b []byte) bool {
	switch v.Kind() {
	case reflect.String:
		return v.String() == string(b)
	case reflect.Slice:
		return bytes.Equal(v.Bytes(), b)
	case reflect.Array:
		return v.Len() == len(b) && fmt.Sprint(v) == fmt.Sprint(b)
	}
	return false
}
