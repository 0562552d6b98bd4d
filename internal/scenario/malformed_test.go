package scenario

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/udp"
)

// B26, B97: the golden list of what is malformed, forged, late or of another version.
func TestMalformedAndForgedDatagramsEndAsTheTableSays(t *testing.T) {
	data, err := os.ReadFile("testdata/malformed.txt")
	require.NoError(t, err)
	blocks := strings.Split(string(data), "\ncase ")[1:]
	require.GreaterOrEqual(t, len(blocks), 50)
	onEveryStage(t, blocks, playPlain)
}

func playPlain(t *testing.T, s stage, lines []string) {
	c := &plainCase{subject: subject{T: t, stage: s}, senders: map[string]*sender{}}
	for _, line := range lines {
		if line != "" && line[0] != '#' {
			c.step(line)
		}
	}
	c.compare()
	for name, s := range c.senders {
		require.Empty(t, s.got, "more was sent to %s", name)
	}
	require.Empty(t, c.events, "more is to be read")
}

// plainCase is a case in play. What was sent and read is compared once a line of another sort follows.
type plainCase struct {
	subject
	senders map[string]*sender
	sender  *sender // who speaks

	last        []byte
	lastEnd     string
	sends, read []string
}

// sender is somebody who is scripted, and what came to it.
type sender struct {
	socket
	got []string
}

func (c *plainCase) step(line string) {
	c.Helper()
	word, rest, _ := strings.Cut(line, " ")
	if word != "send" && word != "read" {
		c.compare()
	}
	switch word {
	case "simulated":
		c.simulatedAlone()
	case "host":
		c.settings(rest)
		c.hosts()
		c.from("stranger")
	case "client":
		c.client()
	case "from":
		c.from(rest)
	case "joins":
		c.joins()
	case "kick":
		c.host.Find(c.sender.address()).Kick(0, "")
		c.collect()
	case "frame":
		text, end, _ := strings.Cut(rest, " = ")
		c.give(encode(c.T, text), end)
	case "bytes":
		text, end, _ := strings.Cut(" "+rest, "= ")
		c.give(unhex(c.T, text), end)
	case "times":
		for range number(c.T, rest) {
			c.give(c.last, c.lastEnd)
		}
	case "wait":
		d, err := time.ParseDuration(rest)
		require.NoError(c, err)
		c.lets(d, c.collect)
	case "send":
		c.sends = append(c.sends, rest)
	case "read":
		c.read = append(c.read, rest)
	case "peers":
		require.Equal(c, rest, fmt.Sprint(len(c.host.Conns())))
	default:
		c.Fatalf("no step is called %q", word)
	}
}

func (c *plainCase) compare() {
	c.Helper()
	if len(c.sends) > 0 {
		require.Equal(c, c.sends, c.sender.got)
		c.sender.got = nil
	}
	if len(c.read) > 0 {
		require.Equal(c, c.read, c.events)
		c.events = nil
	}
	c.sends, c.read = nil, nil
}

func (c *plainCase) settings(text string) {
	c.config = udp.Config{Driving: udp.GameLoop, Protocol: udp.Base, Plain: udp.PlainPrivateLAN, Seed: [32]byte{1}, Poison: true}
	for _, word := range strings.Fields(text) {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "plain":
			c.config.Plain = map[string]udp.Plain{"loopback": udp.PlainLoopback, "lan": udp.PlainPrivateLAN, "any": udp.PlainAny}[value]
		case "max":
			c.config.MaxPeers = int(number(c.T, value))
		case "window":
			c.config.WindowBytes = int(number(c.T, value))
		default:
			c.Fatalf("no setting is called %q", name)
		}
	}
}

// client puts a client under test, and a plain socket in the place of its host.
func (c *plainCase) client() {
	c.from("host")
	c.settings("")
	c.dials(c.sender.address())
	c.collect()
	require.Equal(c, []string{"connect HRD-LOCAL-1"}, c.sender.got)
	c.sender.got = nil
}

// from finds or makes the sender of what follows: NAME, NAME at ADDRESS, or NAME/2, which is on the machine of NAME.
func (c *plainCase) from(who string) {
	if c.senders[who] == nil {
		_, at, fixed := strings.Cut(who, " at ")
		machine, _, _ := strings.Cut(who, "/")
		var addrs []netip.Addr
		if fixed {
			addrs = append(addrs, addr(at))
		}
		c.senders[who] = &sender{socket: c.socket(machine, addrs...)}
	}
	c.sender = c.senders[who]
}

// joins makes a session, as a peer that is heard.
func (c *plainCase) joins() {
	c.Helper()
	c.give(framing.AppendConnect(nil, framing.BaseVersion), "accepted")
	c.give(framing.AppendHeartbeat(nil), "accepted")
	require.Contains(c, c.sender.got[0], "accept")
	c.sender.got = nil
}

// give sends one datagram, which must end in the counter and in no other.
func (c *plainCase) give(d []byte, end string) {
	c.Helper()
	require.Equal(c, end, c.ending(c.sender, d), decode(d))
	c.last, c.lastEnd = d, end
	c.collect()
}

// collect takes everything that was sent to those who are scripted.
func (c *plainCase) collect() {
	c.Helper()
	c.allThatWasSent(func() (n int) {
		for _, s := range c.senders {
			for _, d := range s.socket.read() {
				s.got = append(s.got, decode(d))
				n++
			}
		}
		return n
	})
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
