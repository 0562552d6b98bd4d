package msgstest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// unencodable tests that the sample cannot be encoded once a field of it has a value that the description does not allow, and that the error says which.
func (x *trial) unencodable() {
	x.Helper()
	seen := map[*layout.Field]int{}
	_ = x.layout.Walk(x.of, x.bytes, func(s layout.Step) bool {
		x.Helper()
		if seen[s.Field]++; seen[s.Field] <= fieldMutants {
			x.spoil(s)
		}
		return true
	})
}

// spoil gives the field of a step, in copies of the sample, each value that it must not have.
func (x *trial) spoil(s layout.Step) {
	x.Helper()
	for i := 0; ; i++ {
		m := x.fresh()
		if parse(m, x.bytes) != nil {
			return // the round trip tells
		}
		v, err := fieldAt(reflect.ValueOf(fields(m)), s.Path())
		if err != nil || !v.CanSet() {
			return // the comparison with the description tells
		}
		bad := forbidden(s.Field, v)
		if i >= len(bad) {
			return
		}
		bad[i].set()
		x.refusesToEncode(m, s, bad[i].name)
	}
}

// refusesToEncode tests that m cannot be encoded, because the field of a step has a value that is named.
func (x *trial) refusesToEncode(m msgs.Message, s layout.Step, value string) {
	x.Helper()
	path := s.Path()
	before := []byte("before")
	b, err := encode(m, before)
	switch {
	case err == nil:
		x.fail(b, "it can be encoded with field %s set to %s", path, value)
	case errors.As(err, new(panicked)):
		x.fail(nil, "Append panics with field %s set to %s: %v", path, value, err)
	case string(b) != "before":
		x.fail(b, "Append fails with field %s set to %s, but does not return the bytes as they were", path, value)
	case isOfLayout(err) && s.Bits > 0 && !names(err, x.entry.Name, path):
		x.fail(nil, "with field %s set to %s, the error does not say so: %v", path, value, err)
	}
}

// names reports whether err is about that field of that message.
func names(err error, message, path string) bool {
	var e *layout.FieldError
	return errors.As(err, &e) && e.Message == message && e.Field == path
}

// spoiling sets a field to a value that it must not have.
type spoiling struct {
	name string
	set  func()
}

// forbidden returns values that field f must not have, as far as v, which holds it, can have them.
func forbidden(f *layout.Field, v reflect.Value) []spoiling {
	switch f.Kind {
	case layout.KindText:
		return []spoiling{
			{fmt.Sprintf("%d bytes", f.Len+1), func() { v.SetString(strings.Repeat("x", f.Len+1)) }},
			{"what is not UTF-8", func() { v.SetString("\xFF") }},
		}
	case layout.KindBlob, layout.KindList:
		return tooMany(f.Len+1, v)
	case layout.KindInt:
		return integers(v, -1<<(f.Bits-1)-1, 1<<(f.Bits-1))
	case layout.KindUint:
		return integers(v, 1<<f.Bits)
	}
	switch {
	case len(f.Values) > 0:
		return integers(v, undeclared(f.Values)...)
	case f.Ranged:
		return integers(v, f.Min-1, f.Max+1)
	case v.CanFloat():
		return floats(v)
	case v.Kind() == reflect.Struct && v.NumField() > 0 && v.Field(0).CanFloat():
		return floats(v.Field(0))
	}
	return nil
}

// tooMany makes a list of n items.
func tooMany(n int, v reflect.Value) []spoiling {
	const most = 16 << 20 // bytes of memory for one test
	if v.Kind() != reflect.Slice || n*int(v.Type().Elem().Size()) > most {
		return nil
	}
	return []spoiling{{fmt.Sprintf("%d items", n), func() { v.Set(reflect.MakeSlice(v.Type(), n, n)) }}}
}

// integers are those of the values that v can have.
func integers(v reflect.Value, values ...int64) []spoiling {
	var bad []spoiling
	for _, n := range values {
		switch {
		case v.CanInt() && !v.OverflowInt(n):
			bad = append(bad, spoiling{fmt.Sprint(n), func() { v.SetInt(n) }})
		case v.CanUint() && n >= 0 && !v.OverflowUint(uint64(n)):
			bad = append(bad, spoiling{fmt.Sprint(n), func() { v.SetUint(uint64(n)) }})
		}
	}
	return bad
}

// undeclared returns neighbours of values that are none of them.
func undeclared(values []int64) []int64 {
	var others []int64
	if first := values[0]; first > math.MinInt64 {
		others = append(others, first-1)
	}
	for i, v := range values {
		if v < math.MaxInt64 && (i+1 == len(values) || values[i+1] != v+1) {
			others = append(others, v+1)
		}
	}
	if high := values[0] + 1<<32; !slices.Contains(values, high) {
		others = append(others, high) // which an int of 32 bits takes for the first
	}
	return others
}

func floats(v reflect.Value) []spoiling {
	return []spoiling{
		{"NaN", func() { v.SetFloat(math.NaN()) }},
		{"+Inf", func() { v.SetFloat(math.Inf(1)) }},
	}
}
