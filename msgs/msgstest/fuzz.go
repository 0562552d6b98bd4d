package msgstest

import (
	"testing"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// Fuzz decodes bytes as the message whose id they begin with, as the client's and as the host's. Generated code and description are to agree on whether they are one, and
// what is one encodes to the same bytes again. The samples are where the search begins; a type without one is not decoded.
func Fuzz(f *testing.F, c *msgs.Catalogue, samples ...msgs.Message) {
	s := newSuite(f, c)
	if s == nil {
		return
	}
	for _, sample := range samples {
		if b, err := sample.Append(nil); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { s.fuzz(t, b, samples) })
}

// Judge makes the checks of Fuzz on one input, for a fuzz target that has more to try.
func Judge(t *testing.T, c *msgs.Catalogue, b []byte, samples ...msgs.Message) {
	t.Helper()
	if s := newSuite(t, c); s != nil {
		s.fuzz(t, b, samples)
	}
}

// fuzz judges one input.
func (s *suite) fuzz(r reporter, b []byte, samples []msgs.Message) {
	r.Helper()
	for _, from := range []layout.Side{layout.Client, layout.Host} {
		m, err := s.layout.Find(from, b)
		if err != nil {
			continue
		}
		for _, sample := range samples {
			if sample.Descriptor().Entry.Name == m.Name {
				s.fuzzAs(r, sample, b)
				break
			}
		}
	}
}

// fuzzAs judges b as a message of the type of sample.
func (s *suite) fuzzAs(r reporter, sample msgs.Message, b []byte) {
	r.Helper()
	if x := s.trial(r, sample, nil); x != nil {
		if complaint := x.judge(b); complaint != "" {
			x.fail(b, "%s", complaint)
		}
	}
}
