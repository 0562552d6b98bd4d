package scenario

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzed is one sort of hostile input, what has to hold whatever it is, and the targets that hold it. A target is a folder and a name.
type fuzzed struct {
	input, holds string
	targets      []string
}

// allFuzzed are all sorts of input that come from others. Beyond what is said here nothing panics, and nothing takes more memory than its bytes and its limits.
var allFuzzed = []fuzzed{
	{"one datagram without a peer", "answers are no larger than what they answer; no peer but for a Connect; an honest player goes on",
		[]string{"udp.FuzzHostDatagrams", "secure.FuzzSecure"}},
	{"one datagram in each state of a client", "no event but that of a valid frame; none at all on the secure protocol, and the client goes on", []string{"udp.FuzzClientDatagrams"}},
	{"a script of packets to a live peer", "the invariants of a session: limits, one end, buffers given back, an end only for a broken rule", []string{"reliable.FuzzPeerScript"}},
	{"a script of sends, loss, copies and time between two peers", "equals a model of each delivery mode", []string{"reliable.FuzzModel"}},
	{"acks of what is known to have been sent", "nothing changes, or the session ends; nothing is delivered that no ack names", []string{"reliable.FuzzAcks"}},
	{"an Auth behind a good cookie", "no public key for a token that is bad; nobody joins", []string{"secure.FuzzSecure"}},
	{"claims of a token once it is open", "round trip, of tickets as well", []string{"secure.FuzzSecure"}},
	{"payloads of the handshake once they are open", "round trip; what is padded wrongly is none", []string{"secure.FuzzSecure"}},
	{"a packet once it is open, with fragments", "a fault, or the frames that it is built from again; kinds of handshakes are faults", []string{"framing/packet.FuzzPacket", "reliable.FuzzPeerScript"}},
	{"a datagram of the base protocol", "a counter, or the frame that encodes to it; nothing behind the end is read", []string{"framing.FuzzFraming"}},
	{"values of the wire", "what is read is written as the same bytes", []string{"wire.FuzzWire"}},
	{"the bytes of a message, or of arguments and results", "generated code and description agree; decode, encode, decode is equal; memory is bounded", []string{"internal/calling.FuzzMessages"}},
	{"a call in each state, by each caller, in each mode", "a method runs only if the table of rights has it; each ends in one counter", []string{"internal/calling.FuzzCalls"}},
	{"texts: versions, keys, invites, passes, addresses", "round trip", []string{"udp.FuzzTextsAndConfigs"}},
	{"a Config", "refused with the name of a field, or both sides work with it", []string{"udp.FuzzTextsAndConfigs"}},
	{"the description of a catalogue", "round trip; what it says of sizes bounds what it reads", []string{"msgs/layout.FuzzDescription"}},
	{"a seed and a script of faults", "the books of the simulator balance, and the run repeats", []string{"sim.FuzzFaultScripts"}},
	// nothing is compressed, so there is nothing to be blown up
}

// Every target is in the table, and every target of the table is there. There are at most 14, so that a check of a commit can run all of them.
func TestEveryFuzzTargetHoldsSomething(t *testing.T) {
	targets := fuzzTargets(t)
	require.LessOrEqual(t, len(targets), 14)
	named := map[string]bool{}
	for _, row := range allFuzzed {
		require.NotEmpty(t, row.targets, row.input)
		for _, target := range row.targets {
			require.Contains(t, targets, target, row.input)
			named[target] = true
		}
	}
	for _, target := range targets {
		require.True(t, named[target], "%s is in no row", target)
	}
}

// fuzzTargets are all targets of all modules here, as "folder.Name".
func fuzzTargets(t *testing.T) (targets []string) {
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		folder, err := filepath.Rel(root, filepath.Dir(path))
		require.NoError(t, err)
		for _, decl := range tree.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				targets = append(targets, filepath.ToSlash(folder)+"."+f.Name.Name)
			}
		}
		return nil
	}))
	return targets
}
