package packet

import (
	"fmt"
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

var documentedKind = regexp.MustCompile(`(?m)^\| (\d+) \| (\w+) \| (yes|no) \|$`)

func TestKindsAreThoseOfTheProtocol(t *testing.T) {
	rows := documentedKind.FindAllStringSubmatch(readProtocol(t, 10), -1)
	require.Len(t, rows, 12)

	documented := map[framing.Kind]bool{}
	for _, row := range rows {
		n, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		k := framing.Kind(n)
		documented[k] = true
		require.Equal(t, row[2], kinds[k].name)
		require.Equal(t, row[3] == "yes", AsksAck(k), "%s", row[2])
	}
	for k := range 256 {
		if !documented[framing.Kind(k)] {
			require.False(t, AsksAck(framing.Kind(k)), "kind %d", k)
			require.True(t, k >= len(kinds) || kinds[k] == kindInfo{}, "kind %d", k)
		}
	}
}

func TestKindsOfTheBaseProtocolKeepTheirNames(t *testing.T) {
	for k := KindUnreliable; k <= KindDisconnect; k++ {
		require.Equal(t, k.String(), kinds[k].name)
	}
}

func TestLimitsAreThoseOfTheProtocol(t *testing.T) {
	for section, phrases := range map[int][]string{
		10: {
			fmt.Sprintf("1 to %d bytes", MaxPacket),
			fmt.Sprintf("adds %d bytes", SealOverhead),
			fmt.Sprintf("count <= %d, index < count", MaxCount),
			fmt.Sprintf("CHANNEL: u8, 1..%d", MaxChannel),
			fmt.Sprintf("u8 1..%d runs", MaxRuns),
			fmt.Sprintf("at most %d bytes", MaxText),
			fmt.Sprintf("(up to %d)", maxVarint),
			fmt.Sprintf("covers 2 to %d messages", MaxCovered),
			fmt.Sprintf("fragments that the message has, 2..%d", MaxSharded),
			fmt.Sprintf("which of its parities this is, 0..%d", MaxParities-1),
			fmt.Sprintf("of at most %d bytes, and was sent", MaxParity),
			fmt.Sprintf("parity           1..%d bytes", MaxParity),
			fmt.Sprintf("in 0.25 ms; %d is 63.75 ms or more", MaxDelay),
		},
		12: {fmt.Sprintf("%d KiB in others", MaxLossy>>10)},
		14: {fmt.Sprintf("at most %d frames, one Ack and %d Xors among them", MaxFrames, MaxXors)},
		23: {fmt.Sprintf("ticket           1..%d bytes", MaxTicket)},
	} {
		for _, phrase := range phrases {
			require.Contains(t, readProtocol(t, section), phrase)
		}
	}
	require.Equal(t, framing.MaxDatagram, MaxPacket+SealOverhead)
	require.Equal(t, 63_750_000, MaxDelay*DelayUnit)
}
