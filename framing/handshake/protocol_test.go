package handshake

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// readProtocol returns the section of PROTOCOL.md with the given number.
func readProtocol(t *testing.T, section int) string {
	text, err := os.ReadFile("../../PROTOCOL.md")
	require.NoError(t, err)
	for _, s := range strings.Split(string(text), "\n## ") {
		if strings.HasPrefix(s, strconv.Itoa(section)+". ") {
			return s
		}
	}
	require.Fail(t, "no such section in PROTOCOL.md", section)
	return ""
}

var documentedKind = regexp.MustCompile(`(?m)^\| (\d+) \| (\w+) \|.*\| ([\d.]+) \| (\w+) \|$`)

func TestKindsHaveTheNamesSizesAndDirectionsOfTheProtocol(t *testing.T) {
	rows := documentedKind.FindAllStringSubmatch(readProtocol(t, 17), -1)
	require.Len(t, rows, 7)
	for i, row := range rows {
		kind := KindHello + framing.Kind(i)
		require.Equal(t, []string{strconv.Itoa(int(kind)), Name(kind)}, row[1:3])
		requireSizes(t, kind, row[3])
		for _, at := range []framing.Role{framing.Client, framing.Host} {
			_, drop := Head([]byte{byte(kind)}, at)
			require.Equal(t, row[4] == at.String(), drop == framing.DropDirection, "%s at the %v", Name(kind), at)
		}
	}
}

// requireSizes fails the test unless the sample of a kind is taken in the documented sizes alone.
func requireSizes(t *testing.T, kind framing.Kind, documented string) {
	least, most, ranged := strings.Cut(documented, "..")
	if !ranged {
		most = least
	}
	for n := 1; n <= framing.MaxDatagram+1; n++ {
		d := make([]byte, n)
		copy(d, samples()[Name(kind)])
		at := framing.Host
		if kinds[kind].atHost != framing.Accepted {
			at = framing.Client
		}
		_, drop := parse(d, at)
		low, err := strconv.Atoi(least)
		require.NoError(t, err)
		high, err := strconv.Atoi(most)
		require.NoError(t, err)
		require.Equal(t, low <= n && n <= high, drop == framing.Accepted, "%s of %d bytes: %v", Name(kind), n, drop)
	}
}

func TestOtherKindsHaveNoName(t *testing.T) {
	for k := range 256 {
		if k < 9 || k > 15 {
			require.Empty(t, Name(framing.Kind(k)), "%d", k)
		}
	}
}

func TestCodesHaveTheNamesOfTheProtocol(t *testing.T) {
	documented := regexp.MustCompile("(\\d) `(\\w+)`").FindAllStringSubmatch(readProtocol(t, 17), -1)
	require.Len(t, documented, 4)
	for _, row := range documented {
		n, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		require.Equal(t, row[2], Code(n).String())
	}
	require.Equal(t, "Code(0)", Code(0).String())
	require.Equal(t, "Code(5)", Code(5).String())
}

func TestLimitsAreThoseOfTheProtocol(t *testing.T) {
	require.Equal(t, 110, MinMessage1)
	require.Contains(t, readProtocol(t, 21), "a message 1 below 110 bytes")
	require.Contains(t, readProtocol(t, 16), "Version string `"+Version+"`")
	require.Contains(t, readProtocol(t, 16), "1.."+strconv.Itoa(MaxPeerID))
	require.Contains(t, readProtocol(t, 17), "A token has 0 to "+strconv.Itoa(MaxToken)+" bytes")
	require.Contains(t, readProtocol(t, 10), "adds "+strconv.Itoa(SealedOverhead)+" bytes")
}
