package msgs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
)

// documentedDrop is a row of the table of counters in MESSAGES.md 4.
var documentedDrop = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| .* \\| (yes|no) \\|$")

func TestDropsHaveTheNamesAndTheOrderOfThePage(t *testing.T) {
	page, err := os.ReadFile("../MESSAGES.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## 4. ")
	require.True(t, found)

	var documented, have []string
	for _, row := range documentedDrop.FindAllStringSubmatch(section, -1) {
		documented = append(documented, row[1]+" malformed="+row[2])
	}
	for drop := msgs.DropSession; int(drop) < msgs.NumDrops; drop++ {
		have = append(have, drop.String()+" malformed="+map[bool]string{true: "yes", false: "no"}[drop.Malformed()])
	}
	require.Equal(t, documented, have)
}

func TestHandledIsTheZeroDrop(t *testing.T) {
	var drop msgs.Drop
	require.Equal(t, msgs.Handled, drop)
	require.Equal(t, "handled", drop.String())
	require.Equal(t, "Drop(15)", msgs.Drop(msgs.NumDrops).String())
	require.False(t, msgs.Drop(msgs.NumDrops).Malformed())
}

func TestDropsYieldWhatWasCountedInOrder(t *testing.T) {
	d := msgs.Drops{msgs.DropPanic: 2, msgs.DropEmpty: 1}
	for drop, n := range d.All() {
		require.Equal(t, msgs.DropEmpty, drop)
		require.Equal(t, uint64(1), n)
		break
	}
	require.Equal(t, "empty=1 panic=2", d.String())
	require.Equal(t, uint64(3), d.Total())
	require.Equal(t, "none", msgs.Drops{}.String())
}
