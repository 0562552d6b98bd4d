package handshake

import (
	"bytes"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Asker is how a client names itself before there is a session: what a host repeats in its answers, so that the client takes no other.
type Asker struct {
	ID     uint32 // client id, not 0
	Random [RandomSize]byte
}

// AppendHello appends a Hello to b.
func AppendHello(b []byte, a Asker) []byte {
	start := len(b)
	b = appendAsker(appendVersion(appendKind(b, KindHello)), a)
	return append(b, zeros[:HelloSize-(len(b)-start)]...)
}

// ParseHello reads a Hello. With DropVersion, of a Hello of another version of the protocol, it also tells who asked, so that it can be
// answered.
func ParseHello(d []byte) (Asker, framing.Drop) {
	if len(d) != HelloSize {
		return Asker{}, framing.DropSize
	}
	r := wire.NewReader(d[kindSize:])
	drop := readVersion(&r)
	if drop != framing.Accepted && drop != framing.DropVersion {
		return Asker{}, drop
	}
	a := readAsker(&r)
	switch {
	case drop == framing.DropVersion:
		return a, drop
	case a.ID == 0:
		return Asker{}, framing.DropBadID
	case !AllZero(r.Rest()):
		return Asker{}, framing.DropPadding
	}
	return a, framing.Accepted
}

var zeros [framing.MaxDatagram]byte

// AllZero reports whether b, which is no larger than a datagram, holds nothing but zeros.
func AllZero(b []byte) bool { return bytes.Equal(b, zeros[:len(b)]) }

func appendKind(b []byte, k framing.Kind) []byte { return wire.AppendUint8(b, uint8(k)) }

func appendVersion(b []byte) []byte {
	return append(wire.AppendUint16(b, uint16(len(Version))), Version...)
}

// readVersion reads a version string. DropVersion is a valid string of another version.
func readVersion(r *wire.Reader) framing.Drop {
	version := r.String()
	switch {
	case r.Err() != nil:
		return framing.DropShort
	case len(version) == 0:
		return framing.DropVersionEmpty
	case len(version) > framing.MaxVersion:
		return framing.DropVersionLong
	case string(version) == Version:
		return framing.Accepted
	case framing.CheckVersion(string(version)) != nil:
		return framing.DropVersionChars
	}
	return framing.DropVersion
}

func appendAsker(b []byte, a Asker) []byte {
	if a.ID == 0 {
		panic("BUG: handshake: client id 0")
	}
	return append(wire.AppendUint32(b, a.ID), a.Random[:]...)
}

func readAsker(r *wire.Reader) Asker {
	a := Asker{ID: r.Uint32()}
	copy(a.Random[:], r.Raw(RandomSize))
	return a
}
