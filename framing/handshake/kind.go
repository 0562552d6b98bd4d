package handshake

import "github.com/gannet-net/gannet/framing"

// The kinds of the secure protocol, PROTOCOL.md 17.
const (
	KindHello        framing.Kind = iota + 9 // a client asks for a challenge
	KindChallenge                            // the host gives it a cookie
	KindAuth                                 // the client shows the cookie and who it is
	KindSecureAccept                         // the host opens a session
	KindSealed                               // a packet that only the session can read
	KindReset                                // the host does not know the session any more
	KindSecureRefuse                         // the host opens none, and says why
)

// kindInfo is what is known of a kind before its body is read.
type kindInfo struct {
	name             string
	atHost, atClient framing.Drop // what a receiver of that role makes of it
}

var kinds = [...]kindInfo{
	KindHello:        {"Hello", framing.Accepted, framing.DropDirection},
	KindChallenge:    {"Challenge", framing.DropDirection, framing.Accepted},
	KindAuth:         {"Auth", framing.Accepted, framing.DropDirection},
	KindSecureAccept: {"SecureAccept", framing.DropDirection, framing.Accepted},
	KindSealed:       {"Sealed", framing.Accepted, framing.Accepted},
	KindReset:        {"Reset", framing.DropDirection, framing.Accepted},
	KindSecureRefuse: {"SecureRefuse", framing.DropDirection, framing.Accepted},
}

// Name gives the name of a kind of the secure protocol, such as "Hello", and "" of any other.
func Name(k framing.Kind) string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return ""
}

// Head makes the checks of PROTOCOL.md 21 that need the size and the first byte of d only: empty, oversize, kind and direction. The kind
// means something only together with Accepted.
func Head(d []byte, at framing.Role) (framing.Kind, framing.Drop) {
	switch {
	case len(d) == 0:
		return 0, framing.DropEmpty
	case len(d) > framing.MaxDatagram:
		return 0, framing.DropOversize
	case Name(framing.Kind(d[0])) == "":
		return 0, framing.DropKind
	}
	kind := framing.Kind(d[0])
	if at == framing.Host {
		return kind, kinds[kind].atHost
	}
	return kind, kinds[kind].atClient
}
