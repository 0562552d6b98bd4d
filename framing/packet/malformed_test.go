package packet

import (
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// judged is a line of testdata/malformed.txt.
type judged struct {
	name   string
	packet []byte
	fault  string
}

// readMalformed reads testdata/malformed.txt: a row a line, columns between bars, empty lines and lines that start with # left out.
func readMalformed(t testing.TB) []judged {
	text, err := os.ReadFile("testdata/malformed.txt")
	require.NoError(t, err)

	var rows []judged
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "|")
		require.Len(t, row, 3, "columns of %q", line)
		rows = append(rows, judged{strings.TrimSpace(row[0]), parseBytes(t, row[1]), strings.TrimSpace(row[2])})
	}
	return rows
}

// parseBytes builds the bytes that the terms in s describe, see testdata/malformed.txt.
func parseBytes(t testing.TB, s string) []byte {
	b := []byte{}
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
		b = append(b, bytes.Repeat(term, count)...)
	}
	return b
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

func TestMalformedPacketsHaveTheFaultOfTheTable(t *testing.T) {
	for _, row := range readMalformed(t) {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.fault, Check(row.packet).String(), "% X", row.packet[:min(len(row.packet), 40)])
		})
	}
}

func TestTheMalformedTableHasEveryFault(t *testing.T) {
	have := map[string]bool{}
	for _, row := range readMalformed(t) {
		have[row.fault] = true
	}
	for fault := range Fault(NumFaults) {
		require.True(t, have[fault.String()], "%v", fault)
	}
	require.Len(t, have, NumFaults)
	require.Equal(t, "Fault(255)", Fault(255).String())
}

func TestTheMalformedTableHasEveryRowOnce(t *testing.T) {
	have := map[string]string{}
	for _, row := range readMalformed(t) {
		require.Empty(t, have[string(row.packet)], "%s is there twice", row.name)
		have[string(row.packet)] = row.name
	}
}
