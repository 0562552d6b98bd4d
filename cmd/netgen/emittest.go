package main

import (
	"slices"
	"strings"
)

// testNames are what znet_test.go declares.
var testNames = []string{"TestMessages", "TestMessageVectors", "FuzzMessages", "samples", "repeat"}

// moreSamples is the function by which a test file of the user adds samples, such as those that Validate wants.
const moreSamples = "moreSamples"

// vectorFile is where the bytes of the samples are kept.
const vectorFile = "testdata/znet.txt"

// emitTest writes znet_test.go. more says that the user has a function that gives more samples.
func emitTest(c *catalogue, more bool) ([]byte, error) {
	g := &printer{catalogue: c, imports: map[string]bool{"testing": true, root + "msgs": true, root + "msgs/msgstest": true}}
	g.p("func TestMessages(t *testing.T) { msgstest.Run(t, &Catalogue, samples()...) }\n")
	g.p("func TestMessageVectors(t *testing.T) { msgstest.Golden(t, %q, &Catalogue, samples()...) }\n", vectorFile)
	g.p("func FuzzMessages(f *testing.F) { msgstest.Fuzz(f, &Catalogue, samples()...) }\n")
	g.p("// samples are small, typical and large messages of each type%s.", also(more))
	g.p("func samples() []msgs.Message {")
	list := "[]msgs.Message{\n" + g.allSamples() + "}"
	if more {
		list = "append(" + list + ", " + moreSamples + "()...)"
	}
	if names := c.validated(); len(names) > 0 {
		g.use("slices")
		g.p("list := %s", list)
		g.p("return slices.DeleteFunc(list, refused)\n}\n")
		g.p("// refused reports samples that a Validate does not take. If that leaves none of a type, declare func %s() []msgs.Message in a test file.", moreSamples)
		g.p("func refused(m msgs.Message) bool {\nswitch m.(type) {\ncase %s:\n_, err := m.Append(nil)\nreturn err != nil\n}\nreturn false\n}", strings.Join(names, ", "))
	} else {
		g.p("return %s\n}", list)
	}
	if g.repeats {
		g.p("\n// repeat makes a list of n items that share no memory.")
		g.p("func repeat[T any](n int, item func() T) []T {\nvar list []T\nfor range n {\nlist = append(list, item())\n}\nreturn list\n}")
	}
	return g.source()
}

func also(more bool) string {
	if more {
		return ", and those of " + moreSamples
	}
	return ""
}

func (g *printer) allSamples() string {
	var lines strings.Builder
	for _, m := range g.messages {
		if m.raw {
			continue // has no methods to try
		}
		for _, sample := range g.samples(m) {
			lines.WriteString(sample + ",\n")
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
