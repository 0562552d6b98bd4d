package reliable

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestMalformedAndForgedFramesEndAsTheTableSays(t *testing.T) {
	data, err := os.ReadFile("testdata/malformed.txt")
	require.NoError(t, err)
	blocks := strings.Split(string(data), "\ncase ")[1:]
	require.GreaterOrEqual(t, len(blocks), 30)
	for _, block := range blocks {
		lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		t.Run(strings.TrimSpace(lines[0]), func(t *testing.T) { playCase(t, lines[1:]) })
	}
}

// playCase plays one block of the table.
func playCase(t *testing.T, lines []string) {
	var c tableCase
	for _, line := range lines {
		if line == "" || line[0] == '#' {
			continue
		}
		c.step(t, line)
	}
	c.settle()
	c.s.idle().quiet()
}

// tableCase is a case in play. What is sent and read is compared once a line of another sort follows.
type tableCase struct {
	s           *script
	last        []byte
	lastDrop    framing.Drop
	sends, read []string
}

func (c *tableCase) step(t *testing.T, line string) {
	word, rest, _ := strings.Cut(line, " ")
	if word != "send" && word != "read" {
		c.settle()
	}
	switch word {
	case "host":
		c.s = newHost(t, limits(t, rest))
	case "client":
		c.s = newConnected(t)
	case "connecting":
		c.s = newClient(t).sends("connect HRD-LOCAL-1")
	case "queue":
		c.s.queues(ReliableOrdered, rest)
	case "frame":
		text, drop, _ := strings.Cut(rest, " = ")
		c.give(t, encode(t, text), drop)
	case "bytes":
		text, drop, _ := strings.Cut(" "+rest, " = ")
		c.give(t, unhex(t, text), drop)
	case "times":
		for range number(t, rest) {
			require.Equal(t, c.lastDrop, c.s.e.HandleDatagram(c.s.now, c.last))
		}
	case "wait":
		d, err := time.ParseDuration(rest)
		require.NoError(t, err)
		c.s.wait(d)
	case "send":
		c.sends = append(c.sends, rest)
	case "read":
		c.read = append(c.read, rest)
	case "count":
		name, n, _ := strings.Cut(rest, " ")
		require.Equal(t, n, fmt.Sprint(c.s.e.Stats().Drops[dropNamed(t, name)]))
	default:
		t.Fatalf("no step is called %q", word)
	}
}

func (c *tableCase) settle() {
	if len(c.sends) > 0 {
		c.s.sends(c.sends...)
	}
	if len(c.read) > 0 {
		c.s.reads(c.read...)
	}
	c.sends, c.read = nil, nil
}

func (c *tableCase) give(t *testing.T, d []byte, want string) {
	before := c.s.e.Stats()
	drop := c.s.e.HandleDatagram(c.s.now, d)
	require.Equal(t, want, drop.String())
	c.last, c.lastDrop = d, drop
	after := c.s.e.Stats()
	if drop != framing.Accepted {
		require.Equal(t, before.Drops[drop]+1, after.Drops[drop], "counted once")
		require.Equal(t, before.Drops.Total()+1, after.Drops.Total(), "and nowhere else")
	}
}

func limits(t *testing.T, text string) func(*Config) {
	return func(c *Config) {
		if value, ok := strings.CutPrefix(text, "window-bytes="); ok {
			n, err := strconv.Atoi(value)
			require.NoError(t, err)
			c.WindowBytes = n
		}
	}
}

// unhex reads bytes; REPEAT(41,1190) stands for 1190 bytes of 41.
func unhex(t *testing.T, text string) []byte {
	var out []byte
	for _, word := range strings.Fields(text) {
		count := 1
		if inner, ok := strings.CutPrefix(word, "REPEAT("); ok {
			digits, n, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
			word, count = digits, int(number(t, n))
		}
		b, err := hex.DecodeString(word)
		require.NoError(t, err)
		out = append(out, bytes.Repeat(b, count)...)
	}
	return out
}

func dropNamed(t *testing.T, name string) framing.Drop {
	for d := range framing.NumDrops {
		if framing.Drop(d).String() == name {
			return framing.Drop(d)
		}
	}
	t.Fatalf("no drop is called %q", name)
	return 0
}
