package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// change is one of a file, and what netgen says about it then.
type change struct{ old, new, want string }

// folderOf is where the package of a row of a table lies.
func folderOf(row string) string { return strings.ReplaceAll(row, " ", "_") }

// copies are packages of the same source, one for each row of a table, so that netgen runs once for all of them.
func copies[T any](table map[string]T, file, source string) (files []txtar.File) {
	for name := range table {
		files = append(files, txtar.File{Name: folderOf(name) + "/" + file, Data: []byte(source)})
	}
	return files
}

// sayInEach runs netgen, which is to say exactly what the table has of each package.
func sayInEach(t *testing.T, dir string, table map[string]change, args ...string) {
	t.Helper()
	status, _, stderr := netgen(dir, append(args, "./...")...)
	require.Equal(t, 1, status)
	lines := 0
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			var want strings.Builder
			for line := range strings.Lines(c.want) {
				want.WriteString(folderOf(name) + "/" + line)
				lines++
			}
			require.Equal(t, want.String(), said(stderr, folderOf(name)))
		})
	}
	require.Equal(t, strings.Count(stderr, "\n"), lines, "nothing else was said:\n%s", stderr)
}

// needANewProtocol makes each change of a table in a package that was generated. netgen is to refuse it, and to take it under another protocol.
func needANewProtocol(t *testing.T, file, source string, table map[string]change) {
	t.Helper()
	dir := generated(t, append(copies(table, file, source), library...)...)
	before := map[string]string{}
	for name, c := range table {
		before[name] = outputIn(t, dir, folderOf(name))
		edit(t, dir, folderOf(name)+"/"+file, c.old, c.new)
	}
	sayInEach(t, dir, table)
	sayInEach(t, dir, table, "-check")
	protocol := regexp.MustCompile(`protocol=(\w+)-1`).FindStringSubmatch(source)[1]
	for name := range table {
		require.Equal(t, before[name], outputIn(t, dir, folderOf(name)), "nothing is written: %s", name)
		edit(t, dir, folderOf(name)+"/"+file, protocol+"-1", protocol+"-2")
	}
	succeeds(t, dir, "./...")
	for name := range table {
		require.Contains(t, read(t, dir, folderOf(name), lockFile), "protocol "+protocol+"-2", name)
	}
}

func TestAChangedPayloadNeedsANewProtocol(t *testing.T) {
	needANewProtocol(t, "chat.go", chatSource, map[string]change{
		"type of a field": {"Text  string", "Text  uint8",
			"chat.go:6:2: Say.Text differs from protocol CHAT-1 (now: uint8; there: text max=255): change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"limit": {"Text  string", "Text  string `net:\"max=9\"`",
			"chat.go:6:2: Say.Text differs from protocol CHAT-1 (now: text max=9; there: text max=255): change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"field of an item": {"Size uint8", "Size int8",
			"chat.go:11:2: Say.Parts[].Size differs from protocol CHAT-1 (now: int8; there: uint8): change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"new field": {"Size uint8", "Size uint8\n\tWide uint8",
			"chat.go:12:2: Say.Parts[].Wide (uint8) is new, but protocol CHAT-1 has Say without it: send it in a new message, or write protocol=CHAT-2 in net:catalogue\n"},
		"field that is gone": {"\tText  string\n", "",
			"chat.go:5:6: Say.Text (text max=255) is gone, but protocol CHAT-1 has it: change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"order": {"\tText  string\n\tParts []Part\n", "\tParts []Part\n\tText  string\n",
			"chat.go:6:2: Say.Parts differs from protocol CHAT-1 (now: comes first; there: comes after Text): change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"direction": {"from=host", "from=client",
			"chat.go:15:6: Wave differs from protocol CHAT-1 (now: from client; there: from host): change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"delivery": {"from=host", "from=host delivery=unordered",
			"chat.go:15:6: Wave differs from protocol CHAT-1 (now: delivery unordered; there: delivery ordered): change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"codec": {"CHAT-1", "CHAT-1 codec=bits",
			"chat.go:1:1: codec is now bits, but is bytes in protocol CHAT-1: change it back, or write protocol=CHAT-2 in net:catalogue\n"},
		"message that is gone": {"//net:message id=11 from=host\ntype Wave struct{}\n", "",
			"chat.go:1:1: message Wave is gone, but protocol CHAT-1 has it: bring it back, or write protocol=CHAT-2\n"},
	})
}

func TestWhatOnlyTheSenderDoesIsFreeToChange(t *testing.T) {
	dir := chat(t)
	before := read(t, dir, lockFile)
	edit(t, dir, "chat.go", "from=host", "from=host ttl=200ms urgent")
	succeeds(t, dir)
	require.Equal(t, before, read(t, dir, lockFile))
	require.Contains(t, read(t, dir, codeFile), "TTL: 200 * time.Millisecond, Urgent: true")
}

func TestTheLockIsOnlyAppendedTo(t *testing.T) {
	dir := chat(t)
	first := read(t, dir, lockFile)
	edit(t, dir, "chat.go", "struct{}", "struct{}\n\n//net:message id=12 from=both\ntype Bow struct{ Deep bool }")
	succeeds(t, dir)
	second := read(t, dir, lockFile)
	require.True(t, strings.HasPrefix(second, first))
	require.Equal(t, 1, strings.Count(second, "message 10 Say"), "a new message alone is added under the same protocol")
	edit(t, dir, "chat.go", "CHAT-1", "CHAT-2")
	succeeds(t, dir)
	third := read(t, dir, lockFile)
	require.True(t, strings.HasPrefix(third, second))
	require.Equal(t, 2, strings.Count(third, "message 12 Bow"), "and all of them under a new one")
}

func TestIdsAreNeverAnothersInAnyProtocol(t *testing.T) {
	dir := chat(t)
	edit(t, dir, "chat.go", "CHAT-1", "CHAT-2")
	edit(t, dir, "chat.go", "Wave", "Bow")
	says(t, dir, "chat.go:14:1: id 11 was Wave in protocol CHAT-1, and stays its own: write id=12\n")
	edit(t, dir, "chat.go", "id=11", "id=12")
	succeeds(t, dir)
	edit(t, dir, "chat.go", "id=12", "id=13")
	edit(t, dir, "chat.go", "CHAT-2", "CHAT-3")
	says(t, dir, "chat.go:14:1: Bow had id 12 in protocol CHAT-2: write id=12, or give what is new a name of its own\n")
}

func TestAProtocolStringIsNotUsedAgain(t *testing.T) {
	dir := chat(t)
	edit(t, dir, "chat.go", "CHAT-1", "CHAT-2")
	succeeds(t, dir)
	edit(t, dir, "chat.go", "CHAT-2", "CHAT-1")
	says(t, dir, "chat.go:1:1: protocol CHAT-1 was used before CHAT-2: write a string that is new, such as protocol=CHAT-3\n")
}

func TestAProtocolInTheMakingLocksIdsAlone(t *testing.T) {
	dir := chat(t)
	edit(t, dir, "chat.go", "CHAT-1", "CHAT-2-dev")
	edit(t, dir, "chat.go", "Text  string", "Text  uint8")
	succeeds(t, dir)
	edit(t, dir, "chat.go", "Text  uint8", "Text  uint16")
	edit(t, dir, "chat.go", "struct{}", "struct{}\n\n//net:message id=12 from=both\ntype Bow struct{ Deep bool }")
	succeeds(t, dir)
	require.NotContains(t, read(t, dir, lockFile), "Deep")
	edit(t, dir, "chat.go", "Deep bool", "Deep uint8")
	succeeds(t, dir)
	edit(t, dir, "chat.go", "Bow", "Nod")
	says(t, dir, "chat.go:17:1: id 12 was Bow in protocol CHAT-2-dev, and stays its own: write id=13\n")
	edit(t, dir, "chat.go", "Nod", "Bow")
	edit(t, dir, "chat.go", "CHAT-2-dev", "CHAT-2")
	succeeds(t, dir)
	require.Contains(t, read(t, dir, lockFile), "Deep uint8")
}

func TestStatesAreOnlyAddedAtTheEnd(t *testing.T) {
	dir := chat(t)
	edit(t, dir, "chat.go", "CHAT-1", "CHAT-2 states=lobby,playing")
	succeeds(t, dir)
	edit(t, dir, "chat.go", "lobby,playing", "lobby,playing,over")
	edit(t, dir, "chat.go", "struct{}", "struct{}\n\n//net:message id=12 from=both states=over\ntype Bow struct{}")
	succeeds(t, dir)
	edit(t, dir, "chat.go", "lobby,playing,over", "over,lobby,playing")
	says(t, dir, "chat.go:1:1: states are now over,lobby,playing, but are lobby,playing,over in protocol CHAT-2: add new ones at the end, or write protocol=CHAT-3\n")
}

func TestAWiderIdChangesAllMessages(t *testing.T) {
	dir := chat(t)
	edit(t, dir, "chat.go", "CHAT-1", "CHAT-2 codec=bits hostids=16 clientids=16")
	succeeds(t, dir)
	edit(t, dir, "chat.go", "=16", "=32")
	says(t, dir, "chat.go:1:1: an id of the client now has 5 bits, but has 4 in protocol CHAT-2, so that every message changes: take ids below 16, or write "+
		"protocol=CHAT-3 and a larger clientids that leaves room\n"+
		"chat.go:1:1: an id of the host now has 5 bits, but has 4 in protocol CHAT-2, so that every message changes: take ids below 16, or write "+
		"protocol=CHAT-3 and a larger hostids that leaves room\n")
	edit(t, dir, "chat.go", "=32", "=15")
	succeeds(t, dir)
}

func TestALockThatIsGoneIsMissed(t *testing.T) {
	dir := chat(t)
	require.NoError(t, os.Remove(filepath.Join(dir, lockFile)))
	says(t, dir, "chat.go:1:1: netgen.lock is missing, but there is a znet.go, so there was one: restore it (git checkout netgen.lock); to begin anew, "+
		"delete znet.go as well\n")
	require.NoError(t, os.Remove(filepath.Join(dir, codeFile)))
	succeeds(t, dir)
}

func TestALockThatWasEditedIsRefused(t *testing.T) {
	whole := "restore the file (git checkout netgen.lock) and change the Go source instead\n"
	table := map[string]change{
		"a line":   {"Size uint8", "Size uint16", "netgen.lock:9:1: what is above this sum was edited: " + whole},
		"the sum":  {"sum ", "sum 0", "netgen.lock:9:1: what is above this sum was edited: " + whole},
		"the head": {"Commit it", "Keep it", "netgen.lock:9:1: what is above this sum was edited: " + whole},
		"the end":  {"sum ", "som ", "netgen.lock:10:1: it ends in the middle: " + whole},
		"all":      {lockHead, "", "netgen.lock:8:1: what is above this sum was edited: " + whole},
	}
	dir := generated(t, copies(table, "chat.go", chatSource)...)
	for name, c := range table {
		edit(t, dir, folderOf(name)+"/"+lockFile, c.old, c.new)
	}
	sayInEach(t, dir, table)
}

func TestConflictsInTheLockAreExplained(t *testing.T) {
	dir := chat(t)
	text := read(t, dir, lockFile)
	put(t, dir, lockFile, text+"<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n")
	says(t, dir, "netgen.lock:10:1: two branches added to it: take the file of the branch that players have (git checkout --ours or --theirs netgen.lock), then run "+
		"go generate, which appends what the other one added\n")
}
