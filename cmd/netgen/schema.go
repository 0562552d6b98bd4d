package main

import (
	"encoding/json"
	"math"

	"github.com/gannet-net/gannet/msgs/layout"
)

// schema is a catalogue as -schema prints it. The package comment documents it.
type schema struct {
	Catalogue   string          `json:"catalogue"`
	Protocol    string          `json:"protocol"`
	Fingerprint string          `json:"fingerprint"`
	Codec       string          `json:"codec"`
	HostIDs     int             `json:"hostIds,omitempty"`
	ClientIDs   int             `json:"clientIds,omitempty"`
	States      []string        `json:"states,omitempty"`
	Messages    []schemaMessage `json:"messages"`
	Methods     []schemaMethod  `json:"methods,omitempty"`
	Description string          `json:"description"`
}

type schemaMessage struct {
	ID       int           `json:"id"`
	Name     string        `json:"name"`
	From     string        `json:"from"`
	Delivery string        `json:"delivery"`
	Channel  int           `json:"channel"`
	States   []string      `json:"states,omitempty"`
	TTL      int64         `json:"ttlNanoseconds,omitempty"`
	Urgent   bool          `json:"urgent,omitempty"`
	IDBits   int           `json:"idBits"`
	MinSize  int           `json:"minSize"`
	MaxSize  *int          `json:"maxSize"`
	Fields   []schemaField `json:"fields,omitempty"`
}

type schemaField struct {
	Name     string        `json:"name,omitempty"`
	Kind     string        `json:"kind"`
	Type     string        `json:"type,omitempty"` // the name of its type in Go, if it has one
	If       string        `json:"if,omitempty"`
	Bits     int           `json:"bits,omitempty"`
	LenBits  int           `json:"lenBits,omitempty"`
	YawBits  int           `json:"yawBits,omitempty"`
	Int      int           `json:"int,omitempty"`
	Fraction int           `json:"frac,omitempty"`
	MaxLen   int           `json:"maxLen,omitempty"`
	Len      int           `json:"len,omitempty"`
	Min      *int64        `json:"min,omitempty"`
	Max      *int64        `json:"max,omitempty"`
	Range    *schemaRange  `json:"range,omitempty"`
	Values   []schemaValue `json:"values,omitempty"`
	Fields   []schemaField `json:"fields,omitempty"`
	Item     *schemaField  `json:"item,omitempty"`
}

// schemaRange is what a quantized float can be: Low to High, in steps. A rotation has the steps of each of its parts.
type schemaRange struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Step float64 `json:"step"`
}

type schemaValue struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// schemaOf gives the schema of a catalogue as JSON.
func schemaOf(c *catalogue) ([]byte, error) {
	text := c.Catalogue.String()
	s := schema{
		Messages:  []schemaMessage{},
		Catalogue: c.Name, Protocol: c.Protocol, Fingerprint: sumOf(text)[:16], Codec: c.Codec.String(), HostIDs: c.HostIDs, ClientIDs: c.ClientIDs,
		States: c.States, Description: text,
	}
	for _, m := range c.messages {
		s.Messages = append(s.Messages, c.schemaMessage(m))
	}
	for _, m := range c.methods {
		s.Methods = append(s.Methods, c.schemaMethod(m))
	}
	out, err := json.MarshalIndent(s, "", "  ")
	return append(out, '\n'), err
}

func (c *catalogue) schemaMessage(m *message) schemaMessage {
	l := &m.layout
	out := schemaMessage{
		ID: int(l.ID), Name: l.Name, From: l.From.String(), Delivery: l.Delivery.String(), Channel: int(l.Channel), TTL: int64(m.ttl), Urgent: m.urgent,
		IDBits: c.IDBits(l.From), MinSize: m.least, Fields: schemaFields(m.structType),
	}
	out.States = c.statesIn(l.States)
	if m.max != layout.Unlimited {
		out.MaxSize = &m.max
	}
	return out
}

// statesIn are the names of the states in a set.
func (c *catalogue) statesIn(set uint64) (names []string) {
	for i, state := range c.States {
		if set>>i&1 == 1 {
			names = append(names, state)
		}
	}
	return names
}

func schemaFields(s *structType) []schemaField {
	var fields []schemaField
	for i := range s.fields {
		f := schemaFieldOf(&s.fields[i].value)
		f.Name = s.fields[i].Name
		fields = append(fields, f)
	}
	return fields
}

func schemaFieldOf(v *value) schemaField {
	f := schemaField{Kind: v.Kind.String(), Type: v.namedType(), If: v.If, YawBits: v.YawBits, Int: v.Int, Fraction: v.Fraction, Range: v.quantum()}
	switch v.Kind {
	case layout.KindArray:
		f.Len = v.Len
	case layout.KindText:
		f.MaxLen, f.LenBits = v.Len, v.Bits
	default:
		f.MaxLen, f.Bits = v.Len, v.Bits
	}
	if v.Ranged {
		f.Min, f.Max = &v.Min, &v.Max
	}
	if v.enum != nil {
		for i, c := range v.enum.constants {
			f.Values = append(f.Values, schemaValue{c.Name(), v.enum.values[i]})
		}
	}
	switch {
	case v.item != nil:
		item := schemaFieldOf(v.item)
		f.Item = &item
	case v.def != nil:
		f.Fields = schemaFields(v.def)
	}
	return f
}

// quantum gives the range and the steps of a quantized float, nil for other kinds.
func (v *value) quantum() *schemaRange {
	steps := func(bits int) float64 { return math.Ldexp(1, -bits) }
	norm := func(bits int) float64 { return 1 / (math.Ldexp(1, bits) - 1) }
	switch v.Kind {
	case layout.KindUFixed:
		return &schemaRange{0, math.Ldexp(1, v.Int) - steps(v.Fraction), steps(v.Fraction)}
	case layout.KindFixed, layout.KindVec3Fixed:
		half := math.Ldexp(1, v.Int-1)
		return &schemaRange{-half, half - steps(v.Fraction), steps(v.Fraction)}
	case layout.KindUnorm:
		return &schemaRange{0, 1, norm(v.Bits)}
	case layout.KindSnorm:
		return &schemaRange{-1, 1, norm(v.Bits - 1)}
	case layout.KindUnit, layout.KindQuat:
		return &schemaRange{-1, 1, norm(v.Bits-1) / math.Sqrt2}
	case layout.KindDegrees:
		return &schemaRange{0, 360 - 360*steps(v.Bits), 360 * steps(v.Bits)}
	case layout.KindRadians, layout.KindYawUnit:
		turn := 2 * math.Pi
		return &schemaRange{0, turn - turn*steps(v.Bits), turn * steps(v.Bits)}
	}
	return nil
}
