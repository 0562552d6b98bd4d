package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

const doorSource = `//net:catalogue protocol=DOOR-1 codec=bits
package door

//rpc:server target=instance
type DoorServer interface {
	//rpc:call from=any
	Knock(times uint8)
	//rpc:call from=owner
	Lock()
}

//rpc:client target=instance
type DoorClient interface {
	//rpc:call
	Opened(by string)
}
`

// door is a module with the contract door, generated.
func door(t *testing.T) string {
	t.Helper()
	return filepath.Join(generated(t, append(slices.Clone(library), txtar.File{Name: "door/door.go", Data: []byte(doorSource)})...), "door")
}

// ids are the lines of the lock that give methods their ids.
func ids(t *testing.T, dir string) (list []string) {
	t.Helper()
	for line := range strings.Lines(read(t, dir, lockFile)) {
		if words := strings.Fields(line); words[0] == "call" {
			list = append(list, strings.Join(words[1:5], " "))
		}
	}
	return list
}

func TestMethodsHaveIdsInTheOrderOfTheSourceOnEachSide(t *testing.T) {
	require.Equal(t, []string{"0 DoorClient.Opened at client", "0 DoorServer.Knock at host", "1 DoorServer.Lock at host"}, ids(t, door(t)))
}

func TestAMethodKeepsItsIdWhereverItMovesAndNoneGetsThatOfOneThatWent(t *testing.T) {
	dir := door(t)
	edit(t, dir, "door.go", "DOOR-1", "DOOR-2-dev")
	edit(t, dir, "door.go", "\t//rpc:call from=any\n\tKnock(times uint8)\n", "\t//rpc:call from=any\n\tRing()\n")
	succeeds(t, dir)
	require.Equal(t, []string{"2 DoorServer.Ring at host"}, ids(t, dir)[3:])

	t.Log("what comes again has the id that it had")
	edit(t, dir, "door.go", "\t//rpc:call from=owner\n\tLock()\n", "\t//rpc:call from=owner\n\tLock()\n\t//rpc:call from=any\n\tKnock(times uint8)\n")
	edit(t, dir, "door.go", "DOOR-2-dev", "DOOR-2")
	succeeds(t, dir)
	require.Equal(t, []string{
		"0 DoorClient.Opened at client", "0 DoorServer.Knock at host", "1 DoorServer.Lock at host", "2 DoorServer.Ring at host",
	}, ids(t, dir)[4:])
	require.Contains(t, read(t, dir, codeFile), "call 0 DoorServer.Knock", "and its place in the description")

	t.Log("an interface of another name has methods of its own")
	edit(t, dir, "door.go", "DOOR-2", "DOOR-3-dev")
	edit(t, dir, "door.go", "DoorServer", "GateServer")
	succeeds(t, dir)
	require.Equal(t, []string{"3 GateServer.Ring at host", "4 GateServer.Lock at host", "5 GateServer.Knock at host"}, ids(t, dir)[8:])

	t.Log("and one that clients run from now on begins there")
	edit(t, dir, "door.go", "//rpc:server target=instance", "//rpc:client target=instance")
	edit(t, dir, "door.go", " from=any", "")
	edit(t, dir, "door.go", " from=owner", "")
	succeeds(t, dir)
	require.Equal(t, []string{"1 GateServer.Ring at client", "2 GateServer.Lock at client", "3 GateServer.Knock at client"}, ids(t, dir)[11:])
}

func TestAChangedMethodNeedsANewProtocol(t *testing.T) {
	const fix = "change it back, or write protocol=DOOR-2 in net:catalogue\n"
	needANewProtocol(t, "door.go", doorSource, map[string]change{
		"type of an argument":   {"times uint8", "times uint16", "door.go:7:8: DoorServer.Knock.Times differs from protocol DOOR-1 (now: uint16; there: uint8): " + fix},
		"new argument":          {"times uint8", "times uint8, loud bool", "door.go:7:21: DoorServer.Knock.Loud (bool) is new, but protocol DOOR-1 has DoorServer.Knock without it: write protocol=DOOR-2 in net:catalogue\n"},
		"argument that is gone": {"times uint8", "", "door.go:7:2: DoorServer.Knock.Times (uint8) is gone, but protocol DOOR-1 has it: " + fix},
		"who may call":          {"from=owner", "from=any", "door.go:9:2: DoorServer.Lock differs from protocol DOOR-1 (now: runs at host, target instance, from any; there: runs at host, target instance, from owner): " + fix},
		"delivery":              {"from=owner", "from=owner delivery=unordered", "door.go:9:2: DoorServer.Lock differs from protocol DOOR-1 (now: delivery unordered; there: delivery ordered): " + fix},
		"channel":               {"from=owner", "from=owner channel=3", "door.go:9:2: DoorServer.Lock differs from protocol DOOR-1 (now: channel 3; there: channel 0): " + fix},
		"reply":                 {"Lock()", "Lock() (n uint8, err error)", "door.go:9:2: DoorServer.Lock differs from protocol DOOR-1 (now: is answered; there: is not answered): " + fix + "door.go:9:10: DoorServer.Lock.N (uint8) is new, but protocol DOOR-1 has DoorServer.Lock without it: write protocol=DOOR-2 in net:catalogue\n"},
		"new method": {"\tLock()\n", "\tLock()\n\t//rpc:call from=any\n\tRing()\n",
			"door.go:11:2: method DoorServer.Ring is new, but protocol DOOR-1 has none of that name, and the index of a method depends on how many there are: write protocol=DOOR-2 in net:catalogue\n"},
		"method that is gone": {"\t//rpc:call from=owner\n\tLock()\n", "",
			"door.go:1:1: method DoorServer.Lock is gone, but protocol DOOR-1 has it: bring it back, or write protocol=DOOR-2\n"},
		"renamed interface": {"DoorClient", "PorchClient",
			"door.go:1:1: method DoorClient.Opened is gone, but protocol DOOR-1 has it: bring it back, or write protocol=DOOR-2\n" +
				"door.go:15:2: method PorchClient.Opened is new, but protocol DOOR-1 has none of that name, and the index of a method depends on how many there are: write protocol=DOOR-2 in net:catalogue\n"},
	})
}

// What each side decides for itself may change whenever it likes.
func TestWhatIsNotInTheDescriptionNeedsNoNewProtocol(t *testing.T) {
	dir := door(t)
	before := read(t, dir, lockFile)
	edit(t, dir, "door.go", "from=owner", "from=owner rate=3/s burst=2 ttl=1s urgent missing=queue wait=9s phase=beforeRender")
	succeeds(t, dir)
	require.Equal(t, before, read(t, dir, lockFile))
	require.Contains(t, read(t, dir, callFile), "Rate: rpc.Rate{Count: 3, Per: 1 * time.Second, Burst: 2}")
}

// No compiler sees words of a directive or the names of parameters.
func TestCheckFindsAWordOfACallThatWasNotGenerated(t *testing.T) {
	dir := door(t)
	edit(t, dir, "door.go", "from=owner", "from=owner rate=3/s")
	status, _, stderr := netgen(dir, "-check")
	require.Equal(t, 1, status)
	require.Equal(t, "netgen: github.com/gannet-net/gannet/door: zrpc.go is stale: run go generate\n\tline 6 is    \t\"github.com/gannet-net/gannet/msgs\"\n\tbut is to be \t\"time\"\n", stderr)
	succeeds(t, dir)
	succeeds(t, dir, "-check")
	edit(t, dir, "door.go", "DOOR-1", "DOOR-2")
	edit(t, dir, "door.go", "times uint8", "often uint8")
	status, _, stderr = netgen(dir, "-check")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "zrpc.go is stale")
}

func TestTheOrderOfMethodsInTheSourceChangesNothing(t *testing.T) {
	dir := door(t)
	before := read(t, dir, codeFile) + read(t, dir, testFile) + read(t, dir, lockFile)
	contract, _, _ := strings.Cut(read(t, dir, callFile), "// Places in Contract.Methods.")
	parts := strings.SplitAfter(doorSource, "}\n")
	put(t, dir, "door.go", strings.Replace(doorSource, "\t//rpc:call from=any\n\tKnock(times uint8)\n\t//rpc:call from=owner\n\tLock()\n",
		"\t//rpc:call from=owner\n\tLock()\n\t//rpc:call from=any\n\tKnock(times uint8)\n", 1))
	edit(t, dir, "door.go", parts[1], "")
	put(t, dir, "a.go", "package door\n"+parts[1])
	succeeds(t, dir)
	require.Equal(t, before, read(t, dir, codeFile)+read(t, dir, testFile)+read(t, dir, lockFile))
	again, _, _ := strings.Cut(read(t, dir, callFile), "// Places in Contract.Methods.")
	require.Equal(t, contract, again)
}

func TestCallsThatAreGoneTakeTheirFileAlong(t *testing.T) {
	dir := door(t)
	put(t, dir, "door.go", "//net:catalogue protocol=DOOR-2 codec=bits\npackage door\n\n//net:message id=0 from=both\ntype Say struct{}\n")
	status, _, stderr := netgen(dir, "-check")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "zrpc.go is left of calls that are gone: run go generate")
	succeeds(t, dir)
	require.NoFileExists(t, filepath.Join(dir, callFile))
	put(t, dir, "door.go", "package door\n")
	succeeds(t, dir)
	require.NoFileExists(t, filepath.Join(dir, codeFile))
	require.FileExists(t, filepath.Join(dir, lockFile))
}

func TestBrokenCodeOfCallsIsNotInTheWay(t *testing.T) {
	dir := door(t)
	want := read(t, dir, callFile)
	put(t, dir, callFile, header+"\n\npackage door\n\nvar _ = Gone{}.Text\nfunc (")
	succeeds(t, dir)
	require.Equal(t, want, read(t, dir, callFile))
	require.NoError(t, os.Remove(filepath.Join(dir, callFile)))
	says(t, dir, "netgen: github.com/gannet-net/gannet/door: zrpc.go is missing: run go generate\n", "-check")
}

func TestSamplesOfCallsOfTheUserAreTried(t *testing.T) {
	dir := door(t)
	put(t, dir, "door_test.go", "package door\n\nfunc moreCallSamples() []any { return nil }\n")
	succeeds(t, dir)
	require.Contains(t, read(t, dir, testFile), "moreCallSamples()...)")
	put(t, dir, "door_test.go", "package door\n\nfunc TestCalls() {}\n")
	says(t, dir, "door_test.go:3:6: znet_test.go declares TestCalls itself: give this one another name\n")
}
