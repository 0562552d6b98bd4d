package rpctest

import (
	"slices"
	"testing"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/msgstest"
	"github.com/gannet-net/gannet/rpc"
)

// regenerate is what helps against most failures.
const regenerate = "run go generate in the package; if it still fails, generated code and description disagree, which is an error of netgen"

// Run tests that a contract is what its description says, and makes the tests of [msgstest.Run] on the samples: round trips, values that cannot be encoded, malformed bytes, and
// allocations. The arguments of each method need a sample, and the results of each that has a reply. Run must not be called from a parallel test.
func Run(t *testing.T, c *rpc.Contract, samples ...Sample) {
	s, list := prepare(t, c, samples)
	if s == nil {
		return
	}
	for _, complaint := range s.check() {
		t.Errorf("contract %s: %s\n%s", c.Catalogue.Name, complaint, regenerate)
	}
	for k, entry := range s.entries {
		if !slices.ContainsFunc(samples, func(sample Sample) bool { return key{sample.Method, sample.Reply} == k }) {
			t.Errorf("no sample of %s of contract %s: give one from func moreCallSamples() []rpctest.Sample", entry.Name, c.Catalogue.Name)
		}
	}
	if !t.Failed() {
		msgstest.Run(t, s.as, list...)
	}
}

// Golden compares the bytes of the samples with those in a file, as [msgstest.Golden] does.
func Golden(t *testing.T, file string, c *rpc.Contract, samples ...Sample) {
	t.Helper()
	if s, list := prepare(t, c, samples); s != nil {
		msgstest.Golden(t, file, s.as, list...)
	}
}

// Fuzz decodes bytes as arguments and results, and makes the tests of [msgstest.Fuzz]: also of messages of the contract's own catalogue, if there are samples of them.
func Fuzz(f *testing.F, c *rpc.Contract, samples []Sample, messages ...msgs.Message) {
	s, list := prepare(f, c, samples)
	if s == nil {
		return
	}
	for _, m := range slices.Concat(list, messages) {
		if b, err := m.Append(nil); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { s.judge(t, b, list, messages) })
}

// Judge makes the checks of [Fuzz] on one input, for a fuzz target that has more to try.
func Judge(t *testing.T, c *rpc.Contract, b []byte, samples []Sample, messages ...msgs.Message) {
	t.Helper()
	if s, list := prepare(t, c, samples); s != nil {
		s.judge(t, b, list, messages)
	}
}

func (s *suite) judge(t *testing.T, b []byte, calls, messages []msgs.Message) {
	t.Helper()
	msgstest.Judge(t, s.as, b, calls...)
	msgstest.Judge(t, s.contract.Catalogue, b, messages...)
}

// prepare returns nil, and reports why, if there is nothing to test.
func prepare(t testing.TB, c *rpc.Contract, samples []Sample) (*suite, []msgs.Message) {
	t.Helper()
	s, err := newSuite(c)
	if err != nil {
		t.Errorf("%v\n%s", err, regenerate)
		return nil, nil
	}
	list, err := s.messages(samples)
	if err != nil {
		t.Errorf("%v", err)
		return nil, nil
	}
	return s, list
}
