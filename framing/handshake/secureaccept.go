package handshake

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// SecureAccept opens a session.
type SecureAccept struct {
	ClientID uint32
	Message2 []byte // Message2Size bytes
}

// AppendSecureAcceptHead appends a SecureAccept up to message 2 to b. Message 2 belongs behind it.
func AppendSecureAcceptHead(b []byte, clientID uint32) []byte {
	return wire.AppendUint32(appendKind(b, KindSecureAccept), clientID)
}

// ParseSecureAccept reads a SecureAccept.
func ParseSecureAccept(d []byte) (SecureAccept, framing.Drop) {
	if drop := checkSize(d, SecureAcceptSize); drop != framing.Accepted {
		return SecureAccept{}, drop
	}
	r := wire.NewReader(d[kindSize:])
	return SecureAccept{ClientID: r.Uint32(), Message2: r.Rest()}, framing.Accepted
}
