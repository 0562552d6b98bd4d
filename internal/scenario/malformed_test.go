package scenario

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// B26, B97: the golden list of what is malformed, forged, late or of another version.
func TestMalformedAndForgedDatagramsEndAsTheTableSays(t *testing.T) {
	data, err := os.ReadFile("testdata/malformed.txt")
	require.NoError(t, err)
	blocks := strings.Split(string(data), "\ncase ")[1:]
	require.GreaterOrEqual(t, len(blocks), 50)
	for _, block := range blocks {
		lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		t.Run(strings.TrimSpace(lines[0]), func(t *testing.T) {
			c := tableCase{T: t, w: newWorld(t), senders: map[string]*raw{}}
			c.w.links(sim.Conditions{})
			for _, line := range lines[1:] {
				if line != "" && line[0] != '#' {
					c.step(line)
				}
			}
			c.compare()
			require.Empty(t, c.sender.got())
			require.Empty(t, c.events)
		})
	}
}

// tableCase is a case in play. What was sent and read is compared once a line of another sort follows.
type tableCase struct {
	*testing.T
	w       *world
	app     *app // under test
	sender  *raw
	senders map[string]*raw
	events  []string // not read yet

	last        []byte
	lastEnd     string
	sends, read []string
}

func (c *tableCase) step(line string) {
	word, rest, _ := strings.Cut(line, " ")
	if word != "send" && word != "read" {
		c.compare()
	}
	switch word {
	case "host":
		c.app = c.w.host(c.settings(rest)...)
		c.app.on = c.note
		c.from("stranger")
	case "client":
		c.client()
	case "from":
		c.from(rest)
	case "joins":
		c.sender.joins()
	case "kick":
		c.app.sessionOf(c.app.host.Find(c.sender.address())).kicks()
		c.w.run(0)
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
		c.w.run(d)
	case "send":
		c.sends = append(c.sends, rest)
	case "read":
		c.read = append(c.read, rest)
	case "peers":
		require.Equal(c, rest, fmt.Sprint(c.app.peers()))
	default:
		c.Fatalf("no step is called %q", word)
	}
}

func (c *tableCase) compare() {
	if len(c.sends) > 0 {
		c.sender.gets(c.sends...)
	}
	if len(c.read) > 0 {
		require.Equal(c, c.read, c.events)
		c.events = nil
	}
	c.sends, c.read = nil, nil
}

func (c *tableCase) settings(text string) (out []setting) {
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		out = append(out, func(u *udp.Config) {
			switch name {
			case "plain":
				u.Plain = map[string]udp.Plain{
					"never": udp.PlainNever, "loopback": udp.PlainLoopback, "lan": udp.PlainPrivateLAN, "any": udp.PlainAny,
				}[value]
			case "max":
				u.MaxPeers = int(number(c.T, value))
			case "window":
				u.WindowBytes = int(number(c.T, value))
			}
		})
	}
	return out
}

// client puts a client under test, and a plain socket in the place of its host.
func (c *tableCase) client() {
	c.sender = c.w.rawOn(c.w.nw.Node("host"), port, nil)
	c.app = c.w.clientOn(c.w.nw.Node("client"), 0, c.sender.address())
	c.app.on = c.note
	c.sender.to = c.app.address()
	c.w.run(0)
	c.sender.gets("connect HRD-LOCAL-1")
}

// from finds or makes the sender of what follows.
func (c *tableCase) from(who string) {
	if c.senders[who] == nil {
		c.senders[who] = c.w.rawOn(c.machine(who), 0, c.app)
	}
	c.sender = c.senders[who]
}

// machine is the node of a sender: NAME, NAME at ADDRESS, or NAME/2 for the one of NAME.
func (c *tableCase) machine(who string) *sim.Node {
	if name, _, second := strings.Cut(who, "/"); second {
		return c.senders[name].node
	}
	if _, at, fixed := strings.Cut(who, " at "); fixed {
		return c.w.nw.Node(who, addr(at))
	}
	return c.w.nw.Node(who)
}

func (c *tableCase) drops() framing.Drops {
	if c.app.host != nil {
		return c.app.host.Stats().Drops
	}
	return c.app.stats().Drops
}

// give sends one datagram, which must end in the counter and in no other.
func (c *tableCase) give(d []byte, end string) {
	before := c.drops()
	c.sender.sendsBytes(d)
	after := c.drops()
	var ended []string
	for drop := range framing.NumDrops {
		for range after[drop] - before[drop] {
			ended = append(ended, framing.Drop(drop).String())
		}
	}
	if len(ended) == 0 {
		ended = []string{"accepted"}
	}
	require.Equal(c, []string{end}, ended, decode(d))
	c.last, c.lastEnd = d, end
}

// note writes an event down as the table has it.
func (c *tableCase) note(ev transport.Event) {
	switch ev.Kind {
	case transport.Connected:
		c.events = append(c.events, fmt.Sprint("connected ", ev.Conn.ID()))
	case transport.Message:
		c.events = append(c.events, "message "+string(ev.Payload))
	case transport.Disconnected:
		c.events = append(c.events, fmt.Sprint("disconnected ", causeOf(ev.Err)))
	case transport.DialFailed:
		c.events = append(c.events, "failed "+ev.Err.Error())
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
