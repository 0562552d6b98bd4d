package main

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	frames "github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/secure"
)

// isSecure reports whether a datagram has a kind of the secure protocol.
func isSecure(d []byte) bool {
	return len(d) > 0 && len(d) <= framing.MaxDatagram && handshake.Name(framing.Kind(d[0])) != ""
}

// secureWords says what a datagram of the secure protocol is. keys, which may be nil, opens those that are sealed.
func secureWords(d []byte, keys *secure.Unsealer) (text string, v verdict) {
	text, drop := "", framing.Accepted
	switch framing.Kind(d[0]) {
	case handshake.KindHello:
		text, drop = helloWords(d)
	case handshake.KindChallenge:
		text, drop = challengeWords(d)
	case handshake.KindAuth:
		text, drop = authWords(d)
	case handshake.KindSecureAccept:
		text, drop = acceptWords(d)
	case handshake.KindSealed:
		return sealedWords(d, keys)
	case handshake.KindReset:
		text, drop = resetWords(d)
	case handshake.KindSecureRefuse:
		text, drop = refuseWords(d)
	}
	if drop != framing.Accepted {
		return secureComplaint(d, drop), malformed
	}
	return text, fine
}

func askerWords(a handshake.Asker) string {
	return fmt.Sprintf("client %08x, random %x", a.ID, a.Random)
}

func cookieWords(cookie *[handshake.CookieSize]byte) string {
	return fmt.Sprintf("cookie of second %d of the host", binary.LittleEndian.Uint32(cookie[:]))
}

func helloWords(d []byte) (string, framing.Drop) {
	a, drop := handshake.ParseHello(d)
	if drop == framing.DropVersion {
		size := int(binary.LittleEndian.Uint16(d[1:]))
		return fmt.Sprintf("Hello of version %q, %s", d[3:3+size], askerWords(a)), framing.Accepted
	}
	return "Hello from " + askerWords(a), drop
}

func challengeWords(d []byte) (string, framing.Drop) {
	c, drop := handshake.ParseChallenge(d)
	return fmt.Sprintf("Challenge for %s: %s, host key %v", askerWords(c.To), cookieWords(&c.Cookie), secure.Key(c.HostKey)), drop
}

func authWords(d []byte) (string, framing.Drop) {
	a, drop := handshake.ParseAuth(d)
	return fmt.Sprintf("Auth from %s: %s, %s, %d bytes of message 1", askerWords(a.From), cookieWords(&a.Cookie), tokenWords(a.Token), len(a.Message1)), drop
}

// tokenWords is what everybody can see of a token.
func tokenWords(token []byte) string {
	if len(token) == 0 {
		return "no token"
	}
	head, err := secure.ReadToken(token)
	if err != nil {
		return fmt.Sprintf("%d bytes that are no token", len(token))
	}
	kind := fmt.Sprintf("token of key id %d", head.KeyID)
	if head.KeyID == 0 {
		kind = "resume ticket"
	}
	return fmt.Sprintf("%s, %d bytes, expires %s", kind, head.Size, unixWords(head.Expires))
}

// unixWords is a time in words, as long as it has any.
func unixWords(seconds int64) string {
	if seconds < 0 || seconds >= 1<<37 { // in the year 6325
		return fmt.Sprintf("at Unix time %d", seconds)
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}

func acceptWords(d []byte) (string, framing.Drop) {
	a, drop := handshake.ParseSecureAccept(d)
	return fmt.Sprintf("SecureAccept for client %08x: %d bytes of message 2", a.ClientID, len(a.Message2)), drop
}

func resetWords(d []byte) (string, framing.Drop) {
	r, drop := handshake.ParseReset(d)
	return fmt.Sprintf("Reset of session %08x of the host", r.HostID), drop
}

func refuseWords(d []byte) (string, framing.Drop) {
	r, drop := handshake.ParseSecureRefuse(d)
	return fmt.Sprintf("SecureRefuse for %s: %v", askerWords(r.To), r.Code), drop
}

// sealedWords says what is in a sealed datagram, or why that cannot be seen.
func sealedWords(d []byte, keys *secure.Unsealer) (string, verdict) {
	head, drop := handshake.ParseSealed(d)
	if drop != framing.Accepted {
		return secureComplaint(d, drop), malformed
	}
	text := fmt.Sprintf("Sealed for session %08x, packet ..%d, epoch ..%d, %d bytes", head.ID, head.Word&(1<<30-1), head.Word>>30, len(d)-handshake.SealedOverhead)
	if keys == nil {
		return text, unopened
	}
	s, err := keys.Open(nil, d)
	if err != nil {
		return fmt.Sprintf("%s: %v", text, err), unopened
	}
	to := "client"
	if s.ToHost {
		to = "host"
	}
	inside, v := packetWords(s.Packet)
	return fmt.Sprintf("Sealed to the %s, session %08x/%08x, packet %d, epoch %d: %s", to, s.ClientID, s.HostID, s.Number, s.Epoch, inside), v
}

// packetWords says which frames a packet has.
func packetWords(packet []byte) (string, verdict) {
	var parser frames.Parser
	var f frames.Frame
	var all []string
	for parser.Reset(packet); parser.Next(&f); {
		all = append(all, f.String())
	}
	if fault := parser.Fault(); fault != frames.Valid {
		return fmt.Sprintf("malformed packet (%v) of %d bytes, after %d frames", fault, len(packet), len(all)), malformed
	}
	return strings.Join(all, "; "), fine
}

// secureComplaint says what is wrong with a datagram of the secure protocol.
func secureComplaint(d []byte, drop framing.Drop) string {
	name := handshake.Name(framing.Kind(d[0]))
	what := ""
	switch drop {
	case framing.DropSize:
		what = fmt.Sprintf("%s of %d bytes: Hello has %d, Auth %d to %d", name, len(d), handshake.HelloSize, handshake.MinAuth, handshake.MaxAuth)
	case framing.DropBadID:
		what = name + " with client id 0"
	case framing.DropPadding:
		what = "Hello with something else than zeros at its end"
	case framing.DropTokenSize:
		what = fmt.Sprintf("Auth with a token that is longer than %d bytes, or than the datagram", handshake.MaxToken)
	case framing.DropVersion, framing.DropVersionEmpty, framing.DropVersionLong, framing.DropVersionChars:
		what = name + " with another version than " + handshake.Version
	default:
		what = fmt.Sprintf("%s of %d bytes, %s", name, len(d), sizeWords(framing.Kind(d[0])))
	}
	return fmt.Sprintf("malformed (%v): %s", drop, what)
}

// sizeWords is how many bytes a kind has that has one size, or the least size of others.
func sizeWords(kind framing.Kind) string {
	switch kind {
	case handshake.KindChallenge:
		return fmt.Sprintf("%d are needed", handshake.ChallengeSize)
	case handshake.KindSecureAccept:
		return fmt.Sprintf("%d are needed", handshake.SecureAcceptSize)
	case handshake.KindReset:
		return fmt.Sprintf("%d are needed", handshake.ResetSize)
	case handshake.KindSecureRefuse:
		return fmt.Sprintf("%d are needed", handshake.SecureRefuseSize)
	case handshake.KindSealed:
		return fmt.Sprintf("at least %d are needed", handshake.MinSealed)
	}
	return "and too few for its fields"
}
