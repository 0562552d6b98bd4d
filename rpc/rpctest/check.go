package rpctest

import (
	"fmt"
	"slices"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/rpc"
)

// check returns what a contract has otherwise than its description.
func (s *suite) check() []string {
	var wrong []string
	if got := layout.Fingerprint(s.contract.Catalogue.Description); got != s.contract.Catalogue.Fingerprint {
		wrong = append(wrong, fmt.Sprintf("its fingerprint is %#x, but that of its description is %#x", s.contract.Catalogue.Fingerprint, got))
	}
	for i := range s.contract.Methods {
		m, l := &s.contract.Methods[i], &s.layout.Methods[i]
		if is, want := inWords(m), wordsOf(l); is != want {
			wrong = append(wrong, fmt.Sprintf("method %d is %s, but by its description %s", i, is, want))
		}
		wrong = append(wrong, s.checkValues(l.Name, "arguments", &m.Args, l.Fields)...)
		if l.Reply && m.Done == nil {
			wrong = append(wrong, l.Name+" has a reply, and nothing that takes it")
		}
		if l.Reply {
			wrong = append(wrong, s.checkValues(l.Name, "results", &m.Results, l.Results)...)
		}
	}
	return wrong
}

func inWords(m *rpc.Method) string {
	return fmt.Sprintf("%s, id %d at %v, instance %t, owner %t, %v on channel %d, states %b, reply %t", m.Name, m.ID, m.Of.At, m.Of.Instance, m.Owner, m.Deliveries, m.Channel, m.States, m.Reply)
}

func wordsOf(m *layout.Method) string {
	return fmt.Sprintf("%s, id %d at %v, instance %t, owner %t, %v on channel %d, states %b, reply %t", m.Name, m.ID, m.At, m.Instance, m.Owner, m.Deliveries, m.Channel, m.States, m.Reply)
}

// checkValues holds what a contract says of arguments or results against the description.
func (s *suite) checkValues(method, what string, v *rpc.Values, fields []layout.Field) []string {
	if v.New == nil || v.Encode == nil || v.Decode == nil {
		return []string{fmt.Sprintf("the %s of %s cannot be made, encoded or decoded", what, method)}
	}
	var wrong []string
	if least, most := s.layout.CallSizes(fields); v.MinBits != least || v.MaxBits != most {
		wrong = append(wrong, fmt.Sprintf("the %s of %s have %d to %d bits, but by their description %d to %d", what, method, v.MinBits, v.MaxBits, least, most))
	}
	if v.Plain && !isPlain(fields) {
		wrong = append(wrong, fmt.Sprintf("the %s of %s are called plain, although some of their values cannot be encoded", what, method))
	}
	return wrong
}

// plainKinds are those of which every value can be encoded.
var plainKinds = []layout.Kind{
	layout.KindBool, layout.KindU8, layout.KindU16, layout.KindU32, layout.KindU64, layout.KindI8, layout.KindI16, layout.KindI32, layout.KindI64,
	layout.KindRGB, layout.KindRGBA, layout.KindGUID, layout.KindStruct, layout.KindArray,
}

// isPlain reports whether every value of these fields can be encoded.
func isPlain(fields []layout.Field) bool {
	return !slices.ContainsFunc(fields, func(f layout.Field) bool {
		return f.Ranged || !slices.Contains(plainKinds, f.Kind) || !isPlain(f.Fields)
	})
}
