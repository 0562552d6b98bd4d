package main

import (
	"encoding/binary"
	"fmt"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/secure"
)

// judge reads a datagram as the side does that it can be for.
func judge(d []byte) (framing.Frame, framing.Drop) {
	f, drop := framing.Parse(d, framing.Host)
	if drop == framing.DropDirection {
		return framing.Parse(d, framing.Client)
	}
	return f, drop
}

// verdict is what became of a datagram.
type verdict uint8

const (
	fine      verdict = iota
	malformed         // every receiver drops it
	unopened          // it is sealed, and there is no key that opens it
)

// words says what a datagram is, or why every receiver drops it. keys, which may be nil, opens those that are sealed.
func words(d []byte, keys *secure.Unsealer) (text string, v verdict) {
	if isSecure(d) {
		return secureWords(d, keys)
	}
	f, drop := judge(d)
	if drop != framing.Accepted {
		return fmt.Sprintf("malformed (%v): %s", drop, complaint(d, drop)), malformed
	}
	if f.Kind == framing.KindAccept && (f.PeerID == 0 || f.PeerID > framing.MaxPeerID) {
		return fmt.Sprintf("malformed (%v): %v: ids are 1 to %d", framing.DropBadID, f, framing.MaxPeerID), malformed
	}
	return f.String(), fine
}

// complaint says what is wrong with a datagram that fails a check.
func complaint(d []byte, drop framing.Drop) string {
	switch drop {
	case framing.DropEmpty:
		return "no bytes"
	case framing.DropOversize:
		return fmt.Sprintf("%d bytes, at most %d are allowed", len(d), framing.MaxDatagram)
	case framing.DropKind:
		return fmt.Sprintf("there is no kind %d", d[0])
	}
	kind := framing.Kind(d[0])
	if kind != framing.KindConnect && kind != framing.KindRefuse {
		return fmt.Sprintf("%v of %d bytes, %d are needed", kind, len(d), fixedSize(kind))
	}
	return textComplaint(kind, d[1:], drop)
}

// fixedSize is the size of a kind without a text, or the least one if a message follows.
func fixedSize(kind framing.Kind) int {
	switch kind {
	case framing.KindAccept:
		return len(framing.AppendAccept(nil, 1))
	case framing.KindReliable, framing.KindAck:
		return framing.ReliableHeader
	}
	return 1
}

// textComplaint is about Connect and Refuse, whose body is a length and a text.
func textComplaint(kind framing.Kind, body []byte, drop framing.Drop) string {
	if len(body) < 2 {
		return fmt.Sprintf("%v ends within the length of its text", kind)
	}
	size, text := int(binary.LittleEndian.Uint16(body)), body[2:]
	switch drop {
	case framing.DropShort:
		return fmt.Sprintf("%v claims a text of %d bytes, %d are there", kind, size, len(text))
	case framing.DropTrailing:
		return fmt.Sprintf("%v has %d bytes after its text", kind, len(text)-size)
	case framing.DropVersionEmpty:
		return fmt.Sprintf("%v with a version of 0 bytes", kind)
	case framing.DropVersionLong:
		return fmt.Sprintf("%v with a version of %d bytes, at most %d are allowed", kind, size, framing.MaxVersion)
	case framing.DropVersionChars:
		return fmt.Sprintf("%v with the version %q, which is not printable ASCII without spaces", kind, text)
	}
	return fmt.Sprintf("%v with the reason %q, which is not UTF-8", kind, text)
}
