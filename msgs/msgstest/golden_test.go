package msgstest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
)

const rosterVectors = `# What samples of catalogue roster are on the wire: path, value, bytes.

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

func TestVectorsThatAreNewAreWrittenForReview(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "znet.txt")
	r := &recorder{}
	s := newSuite(r, roster)
	s.golden(r, file, false, samplesOf[none]())
	require.Len(t, r.failures, 1)
	require.Contains(t, r.failures[0], "is new: read it, and commit it if it is right")
	s.golden(r, file, false, samplesOf[none]())
	require.Len(t, r.failures, 1, "it passes from then on")
}

func TestVectorsThatDifferAreToldByLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "znet.txt")
	require.NoError(t, os.WriteFile(file, []byte(rosterVectors), 0o644))
	changed := sampleOf[none]()
	changed.Speed = 2
	r := &recorder{}
	s := newSuite(r, roster)
	s.golden(r, file, false, []msgs.Message{changed})
	require.Contains(t, r.failures[0], "line 8 was\n  Speed 1.5: 00 00 C0 3F\nand is\n  Speed 2: 00 00 00 40\n")
	require.Contains(t, r.failures[0], "give the catalogue another protocol string")

	s.golden(r, file, true, []msgs.Message{changed})
	require.Len(t, r.failures, 1)
	s.golden(r, file, false, []msgs.Message{changed})
	require.Len(t, r.failures, 1)
}

func TestVectorsOfLongMessagesEndInAHash(t *testing.T) {
	long := sampleOf[none]()
	long.Marks = make([]uint64, 5000)
	long.Raw = make([]byte, 32)
	long.Names = nil
	text := newSuite(&recorder{}, roster).vectors(&recorder{}, []msgs.Message{long})
	require.Contains(t, text, "\n  Marks[54] 0: 00 00 00 00 00 00 00 00\n  … 4946 more values\n  = 40055 bytes, sha256 ")
}
