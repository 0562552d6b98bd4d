package handshake

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Auth is what a client answers to a Challenge.
type Auth struct {
	From     Asker
	Cookie   [CookieSize]byte
	Token    []byte // 0 to MaxToken bytes
	Message1 []byte

	// Head is all that stands before Message1: the prologue of the exchange. AppendAuthHead makes it.
	Head []byte
}

// AppendAuthHead appends an Auth up to message 1 to b. Message 1 belongs behind it.
func AppendAuthHead(b []byte, from Asker, cookie *[CookieSize]byte, token []byte) []byte {
	if len(token) > MaxToken {
		panic("BUG: handshake: token above MaxToken")
	}
	b = appendAsker(appendVersion(appendKind(b, KindAuth)), from)
	b = append(b, cookie[:]...)
	b = wire.AppendUint16(b, uint16(len(token)))
	return append(b, token...)
}

// ParseAuth reads an Auth.
func ParseAuth(d []byte) (a Auth, drop framing.Drop) {
	if len(d) < MinAuth || len(d) > MaxAuth {
		return Auth{}, framing.DropSize
	}
	r := wire.NewReader(d[kindSize:])
	if drop := readVersion(&r); drop != framing.Accepted {
		return Auth{}, drop
	}
	a.From = readAsker(&r)
	copy(a.Cookie[:], r.Raw(CookieSize))
	size := int(r.Uint16())
	switch {
	case a.From.ID == 0:
		return Auth{}, framing.DropBadID
	case size > MaxToken, size > r.Len():
		return Auth{}, framing.DropTokenSize
	case r.Len()-size < MinMessage1:
		return Auth{}, framing.DropShort
	}
	a.Token = r.Raw(size)
	a.Head = d[: len(d)-r.Len() : len(d)-r.Len()]
	a.Message1 = r.Rest()
	return a, framing.Accepted
}
