package scenario

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sealing "github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/udp"
)

// B26, B97, T08: the golden list of what is malformed, forged, late or replayed on the secure protocol.
func TestMalformedAndForgedSecureDatagramsEndAsTheTableSays(t *testing.T) {
	data, err := os.ReadFile("testdata/secure.txt")
	require.NoError(t, err)
	blocks := strings.Split(string(data), "\ncase ")[1:]
	require.GreaterOrEqual(t, len(blocks), 60)
	onEveryStage(t, blocks, playSecure)
}

func playSecure(t *testing.T, s stage, lines []string) {
	c := &secureCase{subject: subject{T: t, stage: s}, actors: map[string]*actor{}}
	for _, line := range lines {
		if line != "" && line[0] != '#' {
			c.step(line)
		}
	}
	c.collect()
	for name, a := range c.actors {
		require.Empty(t, a.got, "more was sent to %s", name)
	}
	require.Empty(t, c.events, "more is to be read")
}

// secureCase is a case in play.
type secureCase struct {
	subject
	actors map[string]*actor
	actor  *actor // who speaks

	last    []byte
	lastEnd string
}

// actor is somebody who is scripted.
type actor struct {
	*byHand
	socket
	got []string
}

func (c *secureCase) step(line string) {
	c.Helper()
	text, end, _ := strings.Cut(line, " = ")
	words := strings.Fields(text)
	rest := strings.TrimSpace(strings.TrimPrefix(text, words[0]))
	switch words[0] {
	case "simulated":
		c.simulatedAlone()
	case "host":
		c.startHost(words[1:])
	case "client":
		c.startClient(rest)
	case "from":
		c.from(words[1], words[2:])
	case "dials":
		c.actor.begin(byte(len(c.actors)))
	case "hello", "auth", "challenge", "accept":
		require.NotEmpty(c, c.actor.made[words[0]], "nothing to send")
		c.give(edit(c.T, c.actor.made[words[0]], words[1:]), end)
	case "seal":
		c.seal(rest, end)
	case "plain":
		c.give(encode(c.T, rest), end)
	case "bytes":
		c.give(unhex(c.T, rest), end)
	case "again":
		c.give(edit(c.T, c.last, words[1:]), end)
	case "times":
		for range number(c.T, rest) {
			c.give(c.last, c.lastEnd)
		}
	case "joins":
		c.joins()
	case "wait":
		d, err := time.ParseDuration(rest)
		require.NoError(c, err)
		c.wait(d)
	case "sent":
		c.collect()
		require.Equal(c, strings.Split(rest, " | "), c.actor.got)
		c.actor.got = nil
	case "read":
		c.collect()
		require.Equal(c, strings.Split(rest, " | "), c.events)
		c.events = nil
	case "peers":
		require.Equal(c, rest, fmt.Sprint(len(c.host.Conns())))
	default:
		c.Fatalf("no step is called %q", words[0])
	}
}

// seal seals frames, and edits the datagram by what stands behind a slash.
func (c *secureCase) seal(text, end string) {
	frames, edits, _ := strings.Cut(text, " / ")
	c.give(edit(c.T, c.actor.seals(frames), strings.Fields(edits)), end)
}

func (c *secureCase) settings(words []string) {
	c.config = udp.Config{
		Driving: udp.GameLoop, Key: hostKey, Name: lobby, TokenKeys: []sealing.TokenKey{issuer}, Plain: udp.PlainPrivateLAN,
		Seed: [32]byte{1}, UnixTime: func() int64 { return unixStart + c.now()/int64(time.Second) }, Poison: true,
	}
	for _, word := range words {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "require-token":
			c.config.RequireToken = true
		case "max":
			c.config.MaxPeers = int(number(c.T, value))
		default:
			c.Fatalf("no setting is called %q", name)
		}
	}
}

func (c *secureCase) startHost(words []string) {
	c.settings(words)
	c.hosts()
	c.from("stranger", nil)
}

// startClient puts a client under test, and somebody scripted of some sort in the place of its host.
func (c *secureCase) startClient(sort string) {
	a := &actor{byHand: &byHand{T: c.T, now: c.now}, socket: c.socket("scripted")}
	config, ok := map[string]sealing.HostConfig{
		"": {Static: hostKey}, "another-key": {Static: sealing.Secret{3}}, "rekeys": {Static: hostKey, RekeyAfter: 4},
		"decides": {Static: hostKey, Peers: oneLater{}},
	}[sort]
	require.True(c, ok, "no host is called %q", sort)
	a.beHost(config)
	c.actors["host"], c.actor = a, a
	c.settings(nil)
	c.config.HostKey = hostKey.Public()
	c.dials(a.address())
	c.collect()
}

var (
	issuer = sealing.TokenKey{ID: 7, Key: sealing.Secret{0x70}}
	lobby  = [16]byte([]byte("lobby 17........"))
)

// from finds or makes the client that speaks from now on: NAME [key=OF] [token=SORT], or NAME as=OTHER.
func (c *secureCase) from(name string, words []string) {
	c.Helper()
	if c.actors[name] == nil {
		a := &actor{byHand: &byHand{T: c.T, now: c.now}, socket: c.socket(name)}
		a.config = sealing.ClientConfig{HostKey: hostKey.Public(), Static: keyOf(name)}
		for _, word := range words {
			switch what, value, _ := strings.Cut(word, "="); what {
			case "as":
				a.byHand = c.actors[value].byHand
			case "key":
				a.config.Static = keyOf(value)
			case "token":
				a.config.Token, a.config.PSK = tokenOf(c.T, value, a.config.Static.Public())
			default:
				c.Fatalf("no property is called %q", what)
			}
		}
		c.actors[name] = a
		if a.client == nil {
			a.begin(byte(len(c.actors)))
		}
	}
	c.actor = c.actors[name]
}

func keyOf(name string) (s sealing.Secret) {
	copy(s[:], name)
	return s
}

// tokenOf issues a token of some sort for a client key.
func tokenOf(t *testing.T, sort string, client sealing.Key) ([]byte, sealing.Secret) {
	t.Helper()
	key, claims := issuer, sealing.Claims{Host: lobby, Player: [16]byte{1}, Issued: unixStart, Expires: unixStart + 60, Client: client}
	switch sort {
	case "good", "broken":
	case "unknown-key":
		key.ID = 8
	case "expired":
		claims.Issued, claims.Expires = unixStart-91, unixStart-31
	case "other-host":
		claims.Host = [16]byte{1}
	case "other-client":
		claims.Client = keyOf("nobody").Public()
	case "unbound":
		claims.Client = sealing.Key{}
	default:
		t.Fatalf("no token is called %q", sort)
	}
	token, psk, err := key.Issue(rand.NewChaCha8([32]byte{5}), claims)
	require.NoError(t, err)
	if sort == "broken" {
		token[len(token)-1] ^= 1
	}
	return token, psk
}

// joins makes a session, as a client that is heard or as a host.
func (c *secureCase) joins() {
	c.Helper()
	a := c.actor
	if a.host != nil {
		c.give(a.made["challenge"], "accepted")
		c.give(a.made["accept"], "accepted")
		c.collect()
		require.NotNil(c, a.session)
		c.give(a.seals("heartbeat"), "accepted")
	} else {
		c.give(a.made["hello"], "accepted")
		c.collect()
		c.give(a.made["auth"], "accepted")
		c.collect()
		c.give(a.seals("heartbeat"), "accepted")
	}
	c.collect()
	a.got = nil
	require.NotEmpty(c, c.events)
	require.Contains(c, c.events[len(c.events)-1], "connected")
	c.events = nil
}

// give sends one datagram, which must end in the counter and in no other.
func (c *secureCase) give(d []byte, end string) {
	c.Helper()
	require.Equal(c, end, c.ending(c.actor, d), "% x", d[:min(len(d), 60)])
	c.last, c.lastEnd = d, end
	c.collect()
}

// collect takes everything that was sent to the actors.
func (c *secureCase) collect() {
	c.Helper()
	c.allThatWasSent(func() (n int) {
		for _, a := range c.actors {
			for _, d := range a.read() {
				n++
				if text := a.takes(d); text != "" {
					a.got = append(a.got, text)
				}
			}
		}
		return n
	})
}

func (c *secureCase) wait(d time.Duration) { c.lets(d, c.collect) }
