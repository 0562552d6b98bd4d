package layout

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// maxDump is about how many bytes Dump writes of a message.
const maxDump = 4096

// Dump returns a message that from sent in words, on one line, from its bytes alone: Say{From: 3, Text: "hi"}. Of a malformed one it gives what can be read, and the field
// and error at which that ended; of a long one, the beginning.
func (c *Catalogue) Dump(from Side, b []byte) string {
	m, err := c.Find(from, b)
	if err != nil {
		return "malformed: " + err.Error()
	}
	d := &dump{text: append([]byte(m.Name), '{')}
	var failed *FieldError
	switch {
	case errors.As(c.walk(m, b, d, false), &failed):
		return fmt.Sprintf("%s malformed: %v", d.text, failed)
	case len(d.text) > maxDump:
		return string(d.text) + " …"
	}
	return string(d.text) + "}"
}

// dump is an observer that writes what it is told.
type dump struct {
	text  []byte
	inner bool // something stands before, in the same braces
}

// name begins a field or item.
func (d *dump) name(f *Field) {
	if d.inner {
		d.text = append(d.text, ", "...)
	}
	if f.Name != "" {
		d.text = append(append(d.text, f.Name...), ": "...)
	}
	d.inner = true
}

func (d *dump) enter(_ *walker, f *Field) {
	d.name(f)
	d.text = append(d.text, opening(f.Kind))
	d.inner = false
}

func (d *dump) leave(_ *walker, f *Field) {
	d.text = append(d.text, opening(f.Kind)+2) // in ASCII, ] and } are two behind [ and {
	d.inner = true
}

func opening(k Kind) byte {
	if k == KindStruct {
		return '{'
	}
	return '['
}

func (d *dump) step(s Step) bool {
	if s.Field.Kind != KindList { // its items say how many they are
		d.name(s.Field)
		d.text = s.appendValue(d.text)
	}
	return len(d.text) <= maxDump
}

// String returns the value in words, as Dump writes it.
func (s Step) String() string { return string(s.appendValue(nil)) }

// appendValue appends the value in words.
func (s Step) appendValue(b []byte) []byte {
	k := s.Field.Kind
	switch v := s.Value().(type) {
	case bool:
		return strconv.AppendBool(b, v)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		return appendFloat(b, k, v)
	case []float64:
		return appendFloats(b, k, v)
	case []byte:
		v = v[:min(len(v), maxDump)]
		if k == KindText {
			return strconv.AppendQuoteToGraphic(b, string(v))
		}
		return hex.AppendEncode(b, v)
	}
	return b
}

func appendFloats(b []byte, k Kind, parts []float64) []byte {
	b = append(b, '(')
	for i, v := range parts {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendFloat(b, k, v)
	}
	return append(b, ')')
}

// appendFloat appends v with the digits that tell it from its neighbours: those of a float64 for float64 alone, since the others
// have fewer bits.
func appendFloat(b []byte, k Kind, v float64) []byte {
	size := 32
	if k == KindF64 {
		size = 64
	}
	return strconv.AppendFloat(b, v, 'g', -1, size)
}
