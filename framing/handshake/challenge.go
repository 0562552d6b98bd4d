package handshake

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Challenge is the answer to a Hello.
type Challenge struct {
	To      Asker
	Cookie  [CookieSize]byte
	HostKey [KeySize]byte // static public key
}

// AppendChallenge appends a Challenge to b.
func AppendChallenge(b []byte, c *Challenge) []byte {
	b = appendAsker(appendKind(b, KindChallenge), c.To)
	b = append(b, c.Cookie[:]...)
	return append(b, c.HostKey[:]...)
}

// ParseChallenge reads a Challenge.
func ParseChallenge(d []byte) (c Challenge, drop framing.Drop) {
	if drop := checkSize(d, ChallengeSize); drop != framing.Accepted {
		return Challenge{}, drop
	}
	r := wire.NewReader(d[kindSize:])
	c.To = readAsker(&r)
	copy(c.Cookie[:], r.Raw(CookieSize))
	copy(c.HostKey[:], r.Raw(KeySize))
	if c.To.ID == 0 {
		return Challenge{}, framing.DropBadID
	}
	return c, framing.Accepted
}

// checkSize checks a datagram of a kind that has one size.
func checkSize(d []byte, size int) framing.Drop {
	switch {
	case len(d) < size:
		return framing.DropShort
	case len(d) > size:
		return framing.DropTrailing
	}
	return framing.Accepted
}
