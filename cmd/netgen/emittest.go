package main

import (
	"slices"
	"strings"
)

// testNames are what znet_test.go declares.
var testNames = []string{"TestMessages", "TestMessageVectors", "FuzzMessages", "samples", "refused", "TestCalls", "TestCallVectors", "callSamples", "refusedCall", "repeat"}

// The functions by which a test file of the user adds samples, such as those that Validate wants.
const (
	moreSamples     = "moreSamples"
	moreCallSamples = "moreCallSamples"
)

// The files in which the bytes of the samples are kept.
const (
	vectorFile     = "testdata/znet.txt"
	callVectorFile = "testdata/zrpc.txt"
)

// emitTest writes znet_test.go. more has the functions of the user that give more samples.
func emitTest(c *catalogue, more map[string]bool) ([]byte, error) {
	g := &printer{catalogue: c, imports: map[string]bool{"testing": true}}
	if len(c.messages) > 0 {
		g.messageTests(more[moreSamples])
	}
	if len(c.methods) > 0 {
		g.callTests(more[moreCallSamples])
	}
	if g.repeats {
		g.p("\n// repeat makes a list of n items that share no memory.")
		g.p("func repeat[T any](n int, item func() T) []T {\nvar list []T\nfor range n {\nlist = append(list, item())\n}\nreturn list\n}")
	}
	return g.source()
}

func (g *printer) messageTests(more bool) {
	g.use(root + "msgs")
	g.use(root + "msgs/msgstest")
	g.p("func TestMessages(t *testing.T) { msgstest.Run(t, &Catalogue, samples()...) }\n")
	g.p("func TestMessageVectors(t *testing.T) { msgstest.Golden(t, %q, &Catalogue, samples()...) }\n", vectorFile)
	switch {
	case g.noFuzz:
	case len(g.methods) == 0:
		g.p("func FuzzMessages(f *testing.F) { msgstest.Fuzz(f, &Catalogue, samples()...) }\n")
	default:
		g.p("func FuzzMessages(f *testing.F) { rpctest.Fuzz(f, &Contract, callSamples(), samples()...) }\n")
	}
	g.p("// samples are small, typical and large messages of each type%s.", also(more, moreSamples))
	g.sampleFunc("samples", "msgs.Message", "refused", moreSamples, more, g.allSamples(), len(g.validated()) > 0)
	if names := g.validated(); len(names) > 0 {
		g.p("\n// refused reports samples that a Validate does not take. If that leaves none of a type, declare func %s() []msgs.Message in a test file.", moreSamples)
		g.p("func refused(m msgs.Message) bool {\nswitch m.(type) {\ncase %s:\n_, err := m.Append(nil)\nreturn err != nil\n}\nreturn false\n}", strings.Join(names, ", "))
	}
}

func (g *printer) callTests(more bool) {
	g.use(root + "rpc/rpctest")
	g.p("\nfunc TestCalls(t *testing.T) { rpctest.Run(t, &Contract, callSamples()...) }\n")
	g.p("func TestCallVectors(t *testing.T) { rpctest.Golden(t, %q, &Contract, callSamples()...) }\n", callVectorFile)
	g.p("// callSamples are small, typical and large arguments and results of each method%s.", also(more, moreCallSamples))
	g.sampleFunc("callSamples", "rpctest.Sample", "refusedCall", moreCallSamples, more, g.allCallSamples(), len(g.validatedCalls()) > 0)
	if names := g.validatedCalls(); len(names) > 0 {
		g.p("\n// refusedCall reports samples that a Validate does not take. If that leaves none of a method, declare func %s() []rpctest.Sample in a test file.", moreCallSamples)
		g.p("func refusedCall(s rpctest.Sample) bool {\nswitch s.Values.(type) {\ncase %s:\nreturn !s.Encodes(&Contract)\n}\nreturn false\n}", strings.Join(names, ", "))
	}
}

// sampleFunc prints a function that gives a list of samples, without those that are refused.
func (g *printer) sampleFunc(name, item, refused, moreName string, more bool, samples string, validated bool) {
	g.p("func %s() []%s {", name, item)
	list := "[]" + item + "{\n" + samples + "}"
	if more {
		list = "append(" + list + ", " + moreName + "()...)"
	}
	if !validated {
		g.p("return %s\n}", list)
		return
	}
	g.use("slices")
	g.p("list := %s", list)
	g.p("return slices.DeleteFunc(list, %s)\n}", refused)
}

func also(more bool, name string) string {
	if more {
		return ", and those of " + name
	}
	return ""
}

func (g *printer) allSamples() string {
	var lines strings.Builder
	for _, m := range g.messages {
		if m.raw {
			continue // has no methods to try
		}
		for _, sample := range g.samples(m.structType, m.layout.Fields) {
			lines.WriteString(sample + ",\n")
		}
	}
	return lines.String()
}

func (g *printer) allCallSamples() string {
	var lines strings.Builder
	for _, m := range g.methods {
		for _, sample := range g.samples(m.args, m.layout.Fields) {
			lines.WriteString("{Method: method" + m.id() + ", Values: " + sample + "},\n")
		}
		if !m.layout.Reply {
			continue
		}
		for _, sample := range g.samples(m.results, m.layout.Results) {
			lines.WriteString("{Method: method" + m.id() + ", Reply: true, Values: " + sample + "},\n")
		}
	}
	return lines.String()
}

// validated are the types of the messages with a Validate somewhere in them.
func (c *catalogue) validated() []string {
	var names []string
	for _, m := range c.messages {
		if m.asksValidate() {
			names = append(names, "*"+m.name)
		}
	}
	return names
}

// validatedCalls are the types of arguments and results with a Validate somewhere in them.
func (c *catalogue) validatedCalls() []string {
	var names []string
	for _, m := range c.methods {
		for _, s := range []*structType{m.args, m.results} {
			if s.asksValidate() {
				names = append(names, "*"+s.name)
			}
		}
	}
	return names
}

// asksValidate reports whether s, or anything in it, has a Validate.
func (s *structType) asksValidate() bool {
	return s.validated || slices.ContainsFunc(s.fields, func(f field) bool {
		for v := &f.value; v != nil; v = v.item {
			if v.validated || v.Field.Kind != 0 && v.def != nil && v.def.asksValidate() {
				return true
			}
		}
		return false
	})
}
