package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// rows has what shows each promise about calls that is kept when code is generated; internal/calling has the others, and their words.
var rows = map[string]func(*testing.T){
	"R001": allPackagesAreRead, "R002": whatIsNoContractGetsNoCode, "R003": codeIsNamedAfterItsInterface, "R004": codeNamesItsInterface, "R005": codeNamesItsMethod,
	"R006": argumentsAreDecodedInOrder, "R007": argumentsAreEncodedInOrder, "R011": generatingAgainRemovesWhatIsStale,
	"R087": enumsGetTheirCode, "R088": enumsAreMarked, "R089": enumsAreNarrow,
}

func TestRows(t *testing.T) {
	for id, test := range rows {
		t.Run(id, test)
	}
}

// gate is a module with the packages of gate.txtar and more, generated.
func gate(t *testing.T, more ...txtar.File) string {
	t.Helper()
	files := append(slices.Clone(library), archive(t, "gate.txtar").Files...)
	return generated(t, append(files, more...)...)
}

// function is the source of a function in generated code.
func function(t *testing.T, dir, name string) string {
	t.Helper()
	source := read(t, dir, "gate", callFile)
	file, err := parser.ParseFile(token.NewFileSet(), callFile, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
			return source[f.Pos()-1 : f.End()-1]
		}
	}
	t.Fatalf("there is no function %s", name)
	return ""
}

// inOrder reports whether all parts stand in text, one behind the other.
func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		_, behind, found := strings.Cut(text, part)
		require.True(t, found, "%s is not behind what comes before it:\n%s", part, text)
		text = behind
	}
}

func allPackagesAreRead(t *testing.T) {
	dir := gate(t, txtar.File{Name: "deep/door/door.go", Data: []byte(doorSource)}, txtar.File{Name: "none/none.go", Data: []byte("package none\n")})
	require.Contains(t, read(t, dir, "gate", callFile), `Name: "GateServer.Turn"`)
	require.Contains(t, read(t, dir, "deep", "door", callFile), `Name: "DoorServer.Knock"`)
}

func whatIsNoContractGetsNoCode(t *testing.T) {
	dir := gate(t, txtar.File{Name: "none/none.go", Data: []byte("package none\n\ntype Server interface{ M() }\n")})
	require.NotContains(t, read(t, dir, "gate", callFile), "Elsewhere")
	files, err := filepath.Glob(filepath.Join(dir, "none", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
}

func codeIsNamedAfterItsInterface(t *testing.T) {
	dir := gate(t)
	calls, messages := read(t, dir, "gate", callFile), read(t, dir, "gate", codeFile)
	for _, name := range []string{"func BindGateServer(", "type GateRef struct", "func BindGateKeeperClient(", "type GateKeeperRef struct", "type argsGateServerTurn struct"} {
		require.Contains(t, calls, name)
		require.NotContains(t, messages, name)
	}
	require.Contains(t, messages, "func (v Latch) Valid() bool")
	require.NotContains(t, calls, "Valid() bool")
}

func codeNamesItsInterface(t *testing.T) {
	calls := read(t, gate(t), "gate", callFile)
	require.Contains(t, calls, `var interfaceGateServer = rpc.Interface{Name: "GateServer", At: msgs.Host, Instance: true}`)
	require.Contains(t, calls, `var interfaceGateKeeperClient = rpc.Interface{Name: "GateKeeperClient", At: msgs.Client, Instance: false}`)
	require.Regexp(t, `Name: "GateServer.Turn", Of: &interfaceGateServer,`, calls)
}

func codeNamesItsMethod(t *testing.T) {
	calls := read(t, gate(t), "gate", callFile)
	for _, m := range [][2]string{{"GateServer", "Turn"}, {"GateServer", "Pay"}, {"GateServer", "Lock"}, {"GateKeeperClient", "Opened"}, {"GateKeeperClient", "Halved"}} {
		id := m[0] + m[1]
		require.Regexp(t, `(?s)Name: "`+m[0]+`\.`+m[1]+`".{0,400}Encode: encodeArgs`+id+`, Decode: decodeArgs`+id+`}`, calls)
	}
	for _, name := range regexp.MustCompile(`(?m)^func (\w+)\(\w* ?\*wire`).FindAllStringSubmatch(calls, -1) {
		require.Regexp(t, `^(en|de)code(Args|Results)`, name[1], "each says whether it writes or reads")
	}
}

func argumentsAreDecodedInOrder(t *testing.T) {
	dir := gate(t)
	inOrder(t, function(t, dir, "decodeArgsGateServerTurn"), "m.Want = Latch(r.Enum(2))", "r.Vec3(13, 9)", "m.At = ")
	inOrder(t, function(t, dir, "decodeArgsGateServerPay"), "decodeToll(r, &m.Toll)", "m.Said = r.Bool()", "if m.Said", "r.Text(20, 11)")
	inOrder(t, function(t, dir, "callGateServerTurn"), ".Turn(in.ServerCall(), a.Want, a.At)")
	inOrder(t, function(t, dir, "callGateServerPay"), "r.Change, err = ", ".Pay(a.Toll, a.Said, a.Why)", "in.Return(err)")
}

func argumentsAreEncodedInOrder(t *testing.T) {
	dir := gate(t)
	inOrder(t, function(t, dir, "encodeArgsGateServerTurn"), "w.Enum(int(m.Want), 2)", "w.Vec3(", "m.At.X", "m.At.Y", "m.At.Z")
	inOrder(t, function(t, dir, "encodeArgsGateServerPay"), "encodeToll(w, &m.Toll)", "w.Bool(m.Said)", "if m.Said", "w.Text(m.Why, 20, 11)")
	inOrder(t, function(t, dir, "encodeResultsGateServerPay"), "encodeToll(w, &m.Change)")
}

func generatingAgainRemovesWhatIsStale(t *testing.T) {
	dir := gate(t)
	first := read(t, dir, "gate", callFile)
	succeeds(t, dir, "./...")
	require.Equal(t, first, read(t, dir, "gate", callFile))
	edit(t, dir, "gate/gate.go", "GATE-1", "GATE-2")
	edit(t, dir, "gate/gate.go", "\t//rpc:call from=any reply phase=beforeRender wait=3s\n\tLock(c rpc.ServerCall) error\n", "")
	succeeds(t, dir, "./...")
	require.NotContains(t, read(t, dir, "gate", callFile), "GateServerLock")
	put(t, dir, "gate/gate.go", "package gate\n")
	succeeds(t, dir, "./...")
	require.NoFileExists(t, filepath.Join(dir, "gate", callFile))
}

func enumsGetTheirCode(t *testing.T) {
	dir := gate(t)
	code := read(t, dir, "gate", codeFile)
	require.Contains(t, code, "func (v Latch) Valid() bool")
	require.Contains(t, code, "func (v Latch) String() string")
	require.Contains(t, function(t, dir, "encodeArgsGateServerTurn"), "w.Enum(")
	require.Contains(t, function(t, dir, "decodeArgsGateServerTurn"), "r.Enum(")
}

func enumsAreMarked(t *testing.T) {
	dir := gate(t)
	edit(t, dir, "gate/gate.go", "//net:enum\ntype Latch", "type Latch")
	says(t, dir, "gate/gate.go:41:25: type Latch has constants (Open, Closed): write //net:enum above it if they are its values, or declare them without the type if they are not\n", "./gate")
}

func enumsAreNarrow(t *testing.T) {
	dir := gate(t)
	edit(t, dir, "gate/gate.go", "GATE-1", "GATE-2")
	edit(t, dir, "gate/gate.go", "\tClosed\n)", "\tClosed\n\tAjar\n\tWide\n\tStuck\n\tGone\n\tLost\n\tLast\n)")
	succeeds(t, dir, "./gate")
	require.Contains(t, read(t, dir, "gate", callFile), "MinBits: 69, MaxBits: 69", "3 bits and 3 x 22")
}
