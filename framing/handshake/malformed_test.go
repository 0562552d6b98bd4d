package handshake

import (
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// judged is a line of testdata/malformed.txt for one receiver.
type judged struct {
	name     string
	at       framing.Role
	datagram []byte
	drop     string
}

// readMalformed reads testdata/malformed.txt.
func readMalformed(t testing.TB) []judged {
	text, err := os.ReadFile("testdata/malformed.txt")
	require.NoError(t, err)
	var rows []judged
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "|")
		require.Len(t, row, 4, "columns of %q", line)
		for _, at := range receivers(t, strings.TrimSpace(row[1])) {
			rows = append(rows, judged{strings.TrimSpace(row[0]), at, terms(t, row[2]), strings.TrimSpace(row[3])})
		}
	}
	return rows
}

func receivers(t testing.TB, s string) []framing.Role {
	all := map[string][]framing.Role{"client": {framing.Client}, "host": {framing.Host}, "both": {framing.Client, framing.Host}}
	require.Contains(t, all, s)
	return all[s]
}

// terms builds the bytes that the terms in s describe, see testdata/malformed.txt.
func terms(t testing.TB, s string) []byte {
	d := []byte{}
	for _, word := range strings.Fields(s) {
		count := 1
		if n, rest, found := strings.Cut(word, "*"); found {
			var err error
			count, err = strconv.Atoi(n)
			require.NoError(t, err)
			word = rest
		}
		d = append(d, bytes.Repeat(term(t, word), count)...)
	}
	return d
}

func term(t testing.TB, word string) []byte {
	if text, quoted := strings.CutPrefix(word, `"`); quoted {
		return []byte(strings.TrimSuffix(text, `"`))
	}
	b, err := hex.DecodeString(word)
	require.NoError(t, err, "%q", word)
	return b
}

func TestMalformedDatagramsEndInTheCounterOfTheTable(t *testing.T) {
	for _, row := range readMalformed(t) {
		t.Run(row.name+" at the "+row.at.String(), func(t *testing.T) {
			_, drop := parse(row.datagram, row.at)
			require.Equal(t, row.drop, drop.String(), "% X", row.datagram[:min(len(row.datagram), 40)])
			requireSound(t, row.datagram, row.at)
		})
	}
}

func TestTheMalformedTableHasEveryDropThatBytesAloneLeadTo(t *testing.T) {
	have := map[string]bool{}
	for _, row := range readMalformed(t) {
		have[row.drop] = true
	}
	for _, drop := range []framing.Drop{
		framing.Accepted, framing.DropEmpty, framing.DropOversize, framing.DropKind, framing.DropDirection, framing.DropShort, framing.DropTrailing,
		framing.DropVersionEmpty, framing.DropVersionLong, framing.DropVersionChars, framing.DropBadID, framing.DropSize, framing.DropVersion,
		framing.DropPadding, framing.DropTokenSize,
	} {
		require.True(t, have[drop.String()], "%v", drop)
		delete(have, drop.String())
	}
	require.Empty(t, have)
}
