package handshake

import (
	"strconv"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Code is why a host opens no session.
type Code uint8

// The codes of PROTOCOL.md 17.
const (
	RefusedVersion Code = iota + 1 // the host speaks another version
	RefusedExpired                 // the token's time is over
	RefusedToken                   // the host takes none without a token
	RefusedFull                    // the host has no peer id
)

var codeNames = [...]string{RefusedVersion: "version", RefusedExpired: "expired", RefusedToken: "token", RefusedFull: "full"}

// String gives the name of c as PROTOCOL.md 17 has it, or "Code(9)" if it has none.
func (c Code) String() string {
	if c > 0 && int(c) < len(codeNames) {
		return codeNames[c]
	}
	return "Code(" + strconv.Itoa(int(c)) + ")"
}

// SecureRefuse turns a client away. Anybody on the path can write one.
type SecureRefuse struct {
	To   Asker
	Code Code
}

// AppendSecureRefuse appends a SecureRefuse to b.
func AppendSecureRefuse(b []byte, r SecureRefuse) []byte {
	return wire.AppendUint8(appendAsker(appendKind(b, KindSecureRefuse), r.To), uint8(r.Code))
}

// ParseSecureRefuse reads a SecureRefuse.
func ParseSecureRefuse(d []byte) (SecureRefuse, framing.Drop) {
	if drop := checkSize(d, SecureRefuseSize); drop != framing.Accepted {
		return SecureRefuse{}, drop
	}
	r := wire.NewReader(d[kindSize:])
	s := SecureRefuse{To: readAsker(&r), Code: Code(r.Uint8())}
	if s.To.ID == 0 {
		return SecureRefuse{}, framing.DropBadID
	}
	return s, framing.Accepted
}
