package layout

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
)

// Fingerprint returns the number that stands for a description: the first 8 bytes of the SHA-256 of its text, little-endian.
func Fingerprint(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:])
}

// String returns the text of c.
func (c *Catalogue) String() string { return string(c.Append(nil)) }

// Append appends the text of c to b. Each catalogue that passes Check has a text of its own, which Parse turns back into it.
func (c *Catalogue) Append(b []byte) []byte {
	b = append(b, "catalogue "...)
	b = append(b, c.Name...)
	b = append(b, " protocol "...)
	b = append(b, c.Protocol...)
	b = append(b, " codec "...)
	b = append(b, c.Codec.String()...)
	if c.Codec == Bits {
		b = appendNumber(b, " hostids ", int64(c.HostIDs))
		b = appendNumber(b, " clientids ", int64(c.ClientIDs))
	}
	b = append(b, '\n')
	if len(c.States) > 0 {
		b = append(b, "states "...)
		b = append(b, strings.Join(c.States, " ")...)
		b = append(b, '\n')
	}
	for i := range c.Messages {
		b = c.appendMessage(b, &c.Messages[i])
	}
	for i := range c.Methods {
		b = c.appendMethod(b, &c.Methods[i])
	}
	return b
}

func (c *Catalogue) appendMessage(b []byte, m *Message) []byte {
	b = appendNumber(b, "message ", int64(m.ID))
	b = append(b, ' ')
	b = append(b, m.Name...)
	b = append(b, " from "...)
	b = append(b, m.From.String()...)
	b = append(b, " delivery "...)
	b = append(b, m.Delivery.String()...)
	b = appendNumber(b, " channel ", int64(m.Channel))
	if m.States != 0 {
		b = append(b, " states "...)
		b = append(b, strings.Join(c.stateNames(m.States), ",")...)
	}
	b = append(b, '\n')
	return c.appendFields(b, m.Fields, 1)
}

// stateNames returns the names of the states in set.
func (c *Catalogue) stateNames(set uint64) []string {
	var names []string
	for i, name := range c.States {
		if set>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return names
}

func (c *Catalogue) appendFields(b []byte, fields []Field, depth int) []byte {
	for i := range fields {
		f := &fields[i]
		for range depth {
			b = append(b, "  "...)
		}
		if f.Name == "" {
			b = append(b, "- "...)
		} else {
			b = append(b, f.Name...)
			b = append(b, ' ')
		}
		b = f.appendForm(b, c.Codec)
		b = append(b, '\n')
		b = c.appendFields(b, f.Fields, depth+1)
	}
	return b
}

// appendForm appends the kind of f and its attributes, without what is nested in it.
func (f *Field) appendForm(b []byte, codec Codec) []byte {
	b = append(b, f.Kind.String()...)
	for _, w := range codec.wordsOf(f.Kind) {
		b = append(b, ' ')
		b = append(b, w.name...)
		b = appendNumber(b, "=", int64(*w.value(f)))
	}
	if f.Ranged {
		b = appendNumber(b, " min=", f.Min)
		b = appendNumber(b, " max=", f.Max)
	}
	if f.Kind.row().form == enum {
		b = append(b, " values="...)
		b = appendValues(b, f.Values)
	}
	if f.If != "" {
		b = append(b, " if="...)
		b = append(b, f.If...)
	}
	return b
}

// appendValues appends ascending values, those without a gap between them as first..last.
func appendValues(b []byte, values []int64) []byte {
	for i := 0; i < len(values); {
		last := i
		for last+1 < len(values) && values[last]+1 == values[last+1] {
			last++
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, values[i], 10)
		if last > i {
			b = appendNumber(b, "..", values[last])
		}
		i = last + 1
	}
	return b
}

func appendNumber(b []byte, before string, n int64) []byte {
	return strconv.AppendInt(append(b, before...), n, 10)
}
