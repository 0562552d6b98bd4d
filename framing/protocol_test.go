package framing

import (
	"encoding/binary"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readProtocol returns the section of PROTOCOL.md with the given number.
func readProtocol(t *testing.T, section int) string {
	text, err := os.ReadFile("../PROTOCOL.md")
	require.NoError(t, err)
	for _, s := range strings.Split(string(text), "\n## ") {
		if strings.HasPrefix(s, strconv.Itoa(section)+". ") {
			return s
		}
	}
	require.Fail(t, "no such section in PROTOCOL.md", section)
	return ""
}

// documented is a row of the table of kinds in PROTOCOL.md 1.
type documented struct {
	kind              Kind
	name              string
	smallest, largest int // bytes
	sentBy            string
}

var documentedKind = regexp.MustCompile(`(?m)^\| (\d+) \| (\w+) \|.*\| ([\d.]+) \| (\w+) \|$`)

func readKinds(t *testing.T) []documented {
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	var rows []documented
	for _, m := range documentedKind.FindAllStringSubmatch(readProtocol(t, 1), -1) {
		smallest, largest, found := strings.Cut(m[3], "..")
		if !found {
			largest = smallest
		}
		rows = append(rows, documented{Kind(number(m[1])), m[2], number(smallest), number(largest), m[4]})
	}
	require.Len(t, rows, 8)
	return rows
}

// sized returns a datagram of kind k and n bytes, valid if there is a valid one of that size.
func sized(k Kind, n int) []byte {
	d := append([]byte{byte(k)}, repeat(n-1, 'v')...)
	if n >= textHeader && (k == KindConnect || k == KindRefuse) {
		binary.LittleEndian.PutUint16(d[kindSize:], uint16(n-textHeader))
	}
	return d
}

func TestKindsHaveTheNamesOfTheProtocol(t *testing.T) {
	for _, row := range readKinds(t) {
		require.Equal(t, row.name, row.kind.String())
	}
	for _, k := range []Kind{0, 9, 10, 11, 12, 13, 14, 15, 16, 17, 255} {
		require.Equal(t, "Kind("+strconv.Itoa(int(k))+")", k.String())
	}
}

func TestKindsHaveTheSizesOfTheProtocol(t *testing.T) {
	for _, row := range readKinds(t) {
		for n := 1; n <= 1300; n++ {
			_, drop := Parse(sized(row.kind, n), receivers(row.kind)[0])
			require.Equal(t, row.smallest <= n && n <= row.largest, drop == Accepted, "%v of %d bytes", row.kind, n)
		}
	}
}

func TestKindsHaveTheDirectionsOfTheProtocol(t *testing.T) {
	for _, row := range readKinds(t) {
		for _, at := range roles {
			want := Accepted
			if row.sentBy == at.String() {
				want = DropDirection
			}
			_, drop := Parse(sized(row.kind, row.smallest), at)
			require.Equal(t, want, drop, "%v at the %v", row.kind, at)
		}
	}
}

func TestDropsHaveTheNamesAndTheOrderOfTheProtocol(t *testing.T) {
	var have []string
	for drop := DropEmpty; int(drop) < NumDrops; drop++ {
		have = append(have, drop.String())
	}
	require.Equal(t, append(readNames(t, 7, "Drop counters"), readNames(t, 21, "New counters")...), have)
}

// readNames returns the words in the first backquotes behind a phrase of a section of PROTOCOL.md.
func readNames(t *testing.T, section int, phrase string) []string {
	_, text, found := strings.Cut(readProtocol(t, section), phrase)
	require.True(t, found)
	_, names, found := strings.Cut(text, "\n`")
	require.True(t, found)
	names, _, found = strings.Cut(names, "`")
	require.True(t, found)
	return strings.Fields(names)
}

func TestTheBaseVersionIsThatOfTheProtocol(t *testing.T) {
	text, err := os.ReadFile("../PROTOCOL.md")
	require.NoError(t, err)
	require.Contains(t, string(text), "the **base protocol**, version string `"+BaseVersion+"`")
}
