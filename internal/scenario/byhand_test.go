package scenario

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/framing/packet"
	sealing "github.com/gannet-net/gannet/secure"
)

// byHand is one side of the secure protocol that a test scripts datagram by datagram. It has the keys of a peer, and sends what a peer must not.
type byHand struct {
	*testing.T
	now func() int64

	config sealing.ClientConfig // of a client
	client *sealing.Client
	host   *sealing.Host // of a host

	made    map[string][]byte // the newest datagram of each sort that may be sent
	session *sealing.Session
	before  []*sealing.Session // of dials before
	number  int64              // of the next packet
	accepts [][]byte
	check   packet.Path // that came last
}

// byHand is a client at the attacker's own address.
func (a *attacker) byHand() *byHand {
	b := &byHand{T: a.T, now: a.w.nw.Now, config: sealing.ClientConfig{HostKey: hostKey.Public()}}
	b.begin(1)
	return b
}

// begin starts a dial of its own.
func (b *byHand) begin(seed byte) {
	b.config.Seed[0]++
	b.config.Seed[1] = seed
	var err error
	b.client, err = sealing.NewClient(b.now(), b.config)
	require.NoError(b, err)
	b.made = map[string][]byte{"hello": b.client.PollDatagram(b.now(), nil)}
	if b.session != nil {
		b.before = append(b.before, b.session)
	}
	b.session, b.number = nil, 0
}

// beHost makes it a host.
func (b *byHand) beHost(c sealing.HostConfig) {
	c.Seed = sealing.Secret{9}
	if c.Peers == nil {
		c.Peers = onePeer{}
	}
	var err error
	b.host, err = sealing.NewHost(b.now(), c)
	require.NoError(b, err)
	b.made = map[string][]byte{}
}

// oneLater has room for one client, and does not say so at once.
type oneLater struct{ onePeer }

func (oneLater) Admits(netip.AddrPort, *sealing.Identity, int) bool { return false }

// takes reads an answer of the other side, and gives it in words.
func (b *byHand) takes(d []byte) string {
	b.Helper()
	if b.host != nil {
		return b.takesAsHost(d)
	}
	switch kindOf(d) {
	case handshake.KindChallenge:
		if b.client.HandleDatagram(b.now(), d) == framing.Accepted {
			b.made["auth"] = b.client.PollDatagram(b.now(), nil)
		}
		return "challenge"
	case handshake.KindSecureAccept:
		b.client.HandleDatagram(b.now(), d)
		if joined, _ := b.client.Outcome(); joined != nil && b.session == nil {
			b.session = joined.Session
		}
		return "secure-accept " + b.count(d)
	case handshake.KindSecureRefuse:
		r, _ := handshake.ParseSecureRefuse(d)
		return fmt.Sprintf("secure-refuse %v", r.Code)
	case handshake.KindReset:
		return "reset"
	case handshake.KindSealed:
		return b.opens(d)
	}
	return decode(d)
}

// count tells the SecureAccepts apart: a, b and so on.
func (b *byHand) count(d []byte) string {
	i := slices.IndexFunc(b.accepts, func(a []byte) bool { return string(a) == string(d) })
	if i < 0 {
		i, b.accepts = len(b.accepts), append(b.accepts, slices.Clone(d))
	}
	return string(rune('a' + i))
}

func (b *byHand) takesAsHost(d []byte) string {
	b.Helper()
	from := local(4000)
	name := strings.ToLower(handshake.Name(kindOf(d)))
	if name == "sealed" && b.session != nil {
		return b.opens(d)
	}
	answer, _ := b.host.Handle(b.now(), unixStart, nil, d, from)
	if len(answer) > 0 {
		b.made[map[framing.Kind]string{handshake.KindChallenge: "challenge", handshake.KindSecureAccept: "accept"}[kindOf(answer)]] = answer
	}
	if j, ok := b.host.Poll(); ok {
		b.session = j.Session
		return b.opens(d)
	}
	return name
}

// opens gives what matters of a packet: "" if it is only acks, heartbeats and the like.
func (b *byHand) opens(d []byte) string {
	b.Helper()
	var plain []byte
	drop := framing.DropNoPeer
	for _, s := range append(b.before, b.session) {
		if s != nil && drop == framing.DropNoPeer {
			plain, _, drop = s.Open(nil, d, -1)
		}
	}
	require.Equal(b, framing.Accepted, drop)
	var words []string
	var p packet.Parser
	p.Reset(plain)
	for f := (packet.Frame{}); p.Next(&f); {
		switch f.Kind {
		case framing.KindDisconnect:
			words = append(words, strings.TrimSpace(fmt.Sprintf("disconnect %x %s", f.Disconnect.Code, f.Disconnect.Text)))
		case packet.KindPathChallenge:
			b.check = f.Path
			words = append(words, "check")
		case packet.KindPathResponse:
			words = append(words, fmt.Sprintf("response %x", f.Path.Random))
		case framing.KindUnreliable:
			words = append(words, "unreliable "+string(f.Unreliable.Payload))
		case framing.KindReliable:
			words = append(words, "reliable "+string(f.Reliable.Payload))
		}
	}
	return strings.Join(words, ", ")
}

// makesAuth lets a client come as far as its Auth, by asking a host through exchange.
func (b *byHand) makesAuth(exchange func(d []byte) [][]byte) []byte {
	b.Helper()
	for _, d := range exchange(b.made["hello"]) {
		b.takes(d)
	}
	require.NotEmpty(b, b.made["auth"], "no challenge came")
	return b.made["auth"]
}

// seals makes the next packet, of frames in words or of bytes.
func (b *byHand) seals(text string) []byte {
	b.Helper()
	require.NotNil(b, b.session, "there is no session to seal in")
	if text == "answer" {
		text = "response " + string(b.check.Random[:])
	}
	d := b.session.Seal(nil, packetOf(b.T, text), b.number)
	b.number++
	return d
}

// packetOf is a packet with one frame, such as "unreliable hello", or with any bytes: "hex 04 41".
func packetOf(t *testing.T, text string) []byte {
	t.Helper()
	var p packet.Builder
	p.Reset(nil, packet.MaxPacket)
	word, rest, _ := strings.Cut(text, " ")
	ok := true
	switch word {
	case "hex":
		return unhex(t, rest)
	case "heartbeat":
		ok = p.AppendHeartbeat()
	case "unreliable":
		ok = p.AppendUnreliable(packet.Unreliable{Payload: []byte(rest)})
	case "reliable":
		seq, payload, _ := strings.Cut(rest, " ")
		ok = p.AppendReliable(packet.Reliable{
			Stream: packet.StreamOf(0, packet.Ordered), Seq: uint16(number(t, seq)), First: true, Last: true, Payload: []byte(payload),
		})
	case "ack":
		ok = p.AppendAck(packet.Ack{Largest: uint16(number(t, rest))})
	case "disconnect":
		ok = p.AppendDisconnect(packet.Disconnect{Text: []byte(rest)})
	case "challenge":
		ok = p.AppendPathChallenge(packet.Path{Random: [8]byte([]byte(rest))})
	case "response":
		ok = p.AppendPathResponse(packet.Path{Random: [8]byte([]byte(rest))})
	default:
		t.Fatalf("no frame is called %q", word)
	}
	require.True(t, ok)
	return p.Bytes()
}

// edit changes a datagram as words say: size=N cuts or lengthens it, xor=AT:HEX and put=AT:HEX change bytes, AT counting from the end if negative.
func edit(t *testing.T, d []byte, words []string) []byte {
	t.Helper()
	d = slices.Clone(d)
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		where, digits, _ := strings.Cut(value, ":")
		at := int(number(t, where))
		if name == "size" {
			d = append(d, make([]byte, max(0, at-len(d)))...)[:at]
			continue
		}
		if at < 0 {
			at += len(d)
		}
		bytes, err := hex.DecodeString(digits)
		require.NoError(t, err)
		for i, x := range bytes {
			switch name {
			case "xor":
				d[at+i] ^= x
			case "put":
				d[at+i] = x
			default:
				t.Fatalf("no edit is called %q", name)
			}
		}
	}
	return d
}
