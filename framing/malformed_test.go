package framing

import (
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// judged is a line of testdata/malformed.txt for one receiver.
type judged struct {
	name     string
	at       Role
	datagram []byte
	drop     string
}

// readMalformed reads testdata/malformed.txt.
func readMalformed(t testing.TB) []judged {
	var rows []judged
	for _, line := range readTable(t, "testdata/malformed.txt", 4) {
		for _, at := range parseReceivers(t, line[1]) {
			rows = append(rows, judged{line[0], at, parseDatagram(t, line[2]), line[3]})
		}
	}
	return rows
}

// readTable reads a text table: a row a line, columns between bars, empty lines and lines that start with # left out.
func readTable(t testing.TB, path string, columns int) [][]string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)

	var rows [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "|")
		require.Len(t, row, columns, "columns of %q", line)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

func parseReceivers(t testing.TB, s string) []Role {
	switch s {
	case "client":
		return []Role{Client}
	case "host":
		return []Role{Host}
	case "both":
		return roles
	}
	require.Fail(t, "no such receiver", s)
	return nil
}

// parseDatagram builds the bytes that the terms in s describe, see testdata/malformed.txt.
func parseDatagram(t testing.TB, s string) []byte {
	d := []byte{}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		count := 1
		if n, rest, found := strings.Cut(s, "*"); found && !strings.ContainsAny(n, " \"") {
			var err error
			count, err = strconv.Atoi(n)
			require.NoError(t, err)
			s = rest
		}
		var term []byte
		term, s = parseTerm(t, s)
		d = append(d, bytes.Repeat(term, count)...)
	}
	return d
}

// parseTerm reads the quoted string or hex bytes that s starts with, and returns what follows.
func parseTerm(t testing.TB, s string) (term []byte, rest string) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		require.NoError(t, err, "%q", s)
		text, err := strconv.Unquote(quoted)
		require.NoError(t, err, "%q", s)
		return []byte(text), s[len(quoted):]
	}
	digits, rest, _ := strings.Cut(s, " ")
	term, err := hex.DecodeString(digits)
	require.NoError(t, err, "%q", s)
	return term, rest
}

func TestMalformedDatagramsEndInTheCounterOfTheTable(t *testing.T) {
	for _, row := range readMalformed(t) {
		t.Run(row.name+" at the "+row.at.String(), func(t *testing.T) {
			f, drop := Parse(row.datagram, row.at)
			require.Equal(t, row.drop, drop.String(), "% X", row.datagram[:min(len(row.datagram), 40)])
			if drop != Accepted {
				require.Zero(t, f)
			}
		})
	}
}

func TestTheMalformedTableHasEveryDropOfFraming(t *testing.T) {
	have := map[string]bool{}
	for _, row := range readMalformed(t) {
		have[row.drop] = true
	}
	for drop := Accepted; drop <= DropText; drop++ {
		require.True(t, have[drop.String()], "%v", drop)
	}
	require.Len(t, have, int(DropText)+1, "no other drop can be judged by framing alone")
}

func TestTermsOfTheMalformedTable(t *testing.T) {
	for s, want := range map[string]string{
		`""`:                "",
		`01 0B`:             "\x01\x0b",
		`010B 00`:           "\x01\x0b\x00",
		`3*FF`:              "\xff\xff\xff",
		`"a b" 00`:          "a b\x00",
		`01 2*"*\x1b" 2*00`: "\x01*\x1b*\x1b\x00\x00",
		`0*00`:              "",
	} {
		require.Equal(t, want, string(parseDatagram(t, s)), "%s", s)
	}
}
