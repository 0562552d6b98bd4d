package msgstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
)

const rosterVectors = `# What samples of catalogue roster, protocol ROSTER-1, are on the wire: path, value, bytes.

Roster
  id 7: 07
  Round 3: 03
  Open true: 01
  Note "Zoë": 04 00 5A 6F C3 AB
  Speed 1.5: 00 00 C0 3F
  Team 2: 02
  Low 1: 01 00
  High 2: 02 00
  Names 2: 02
  Names[0] "a": 01 00 61
  Names[1] "bcd": 03 00 62 63 64
  Marks 2: 02 00
  Marks[0] 1: 01 00 00 00 00 00 00 00
  Marks[1] 1099511627776: 00 00 00 00 00 01 00 00
  Raw 010203: 03 00 01 02 03
  = 50 bytes, sha256 dbb0d1157be3a943b09632932e1c645e3ecdffc8a35d42fe5b3ec69e21553391
`

func TestVectorsHaveALineForEachField(t *testing.T) {
	r := &recorder{}
	require.Equal(t, rosterVectors, newSuite(r, roster).vectors(r, samplesOf[none]()[:1]))
	require.Empty(t, r.failures)
}

func TestVectorsOfBitsCountThem(t *testing.T) {
	r := &recorder{}
	require.Contains(t, newSuite(r, arena).vectors(r, []msgs.Message{lookOf[none]()}), `
Look
  id 8: 08 (4 bits)
  Kind 4: 04 (3 bits)
`)
}

// golden compares with a file and returns what it complained of, and whether it wrote the file.
func golden(file string, c *msgs.Catalogue, update bool, samples ...msgs.Message) (failures []string, written bool) {
	r := &recorder{}
	written = newSuite(r, c).golden(r, file, update, samples)
	return r.failures, written
}

func TestVectorsThatAreNewAreWrittenForReview(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "znet.txt")
	failures, written := golden(file, roster, false, samplesOf[none]()[0])
	require.Empty(t, failures)
	require.True(t, written)
	failures, written = golden(file, roster, false, samplesOf[none]()[0])
	require.Empty(t, failures)
	require.False(t, written, "nothing changed")

	other := sampleOf[none]()
	other.Speed = 2
	failures, written = golden(file, roster, false, samplesOf[none]()[0], other)
	require.Empty(t, failures)
	require.True(t, written, "another sample is added")
}

func TestOtherBytesForTheSameValuesAreAFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "znet.txt")
	before := strings.Replace(rosterVectors, "Speed 1.5: 00 00 C0 3F", "Speed 1.5: 3F C0 00 00", 1)
	require.NoError(t, os.WriteFile(file, []byte(before), 0o644))

	failures, written := golden(file, roster, false, samplesOf[none]()[0])
	require.Len(t, failures, 1)
	require.Contains(t, failures[0], "Speed 1.5: 3F C0 00 00")
	require.Contains(t, failures[0], "Speed 1.5: 00 00 C0 3F")
	require.Contains(t, failures[0], "give the catalogue another protocol string")
	require.False(t, written)

	failures, written = golden(file, roster, true, samplesOf[none]()[0])
	require.Empty(t, failures)
	require.True(t, written, "with -update")
}

func TestFieldsInAnotherOrderAreAFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "znet.txt")
	const round, open = "  Round 3: 03\n", "  Open true: 01\n"
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(rosterVectors, round+open, open+round, 1)), 0o644))
	failures, written := golden(file, roster, false, samplesOf[none]()[0])
	require.Len(t, failures, 1)
	require.False(t, written)
}

func TestVectorsOfAnotherProtocolAreWrittenAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "znet.txt")
	before := strings.Replace(rosterVectors, "Speed 1.5: 00 00 C0 3F", "Speed 1.5: 3F C0 00 00", 1)
	before = strings.Replace(before, "protocol "+roster.Protocol, "protocol ROSTER-0", 1)
	require.NoError(t, os.WriteFile(file, []byte(before), 0o644))
	failures, written := golden(file, roster, false, samplesOf[none]()[0])
	require.Empty(t, failures)
	require.True(t, written)
}

// Nothing of a protocol in the making is settled but ids (MESSAGES.md 3).
func TestVectorsOfAProtocolInTheMakingAreWrittenAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "znet.txt")
	dev := &msgs.Catalogue{Name: roster.Name, Protocol: "ROSTER-dev", Entries: roster.Entries, Description: strings.Replace(roster.Description, roster.Protocol, "ROSTER-dev", 1)}
	before := strings.Replace(rosterVectors, "Speed 1.5: 00 00 C0 3F", "Speed 1.5: 3F C0 00 00", 1)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(before, roster.Protocol, dev.Protocol, 1)), 0o644))
	failures, written := golden(file, dev, false, samplesOf[none]()[0])
	require.Empty(t, failures)
	require.True(t, written)
}

func TestVectorsOfLongMessagesEndInAHash(t *testing.T) {
	long := sampleOf[none]()
	long.Marks = make([]uint64, 5000)
	long.Raw = make([]byte, 32)
	long.Names = nil
	text := newSuite(&recorder{}, roster).vectors(&recorder{}, []msgs.Message{long})
	require.Contains(t, text, "\n  Marks[54] 0: 00 00 00 00 00 00 00 00\n  … 4946 more values\n  = 40055 bytes, sha256 ")
}
