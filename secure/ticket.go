package secure

import (
	"io"

	"github.com/gannet-net/gannet/wire"
)

const (
	ticketLabel = "GANNET-1 ticket"
	ticketLife  = 10 * 60 // seconds
	ticketHead  = 1 + 2   // kind and peer id before the user data
)

// ticketKey is the key of a host's resume tickets. It comes from the static key, so that tickets survive a restart.
func ticketKey(static *Secret) TokenKey { return TokenKey{ticketKeyID, static.derive(ticketLabel)} }

// issueTicket makes the token by which a client comes back, PROTOCOL.md 19.2.
func issueTicket(key *TokenKey, random io.Reader, unix int64, who *Identity, peerID uint16) (ticket []byte, psk Secret) {
	data := wire.AppendUint16([]byte{byte(who.Kind)}, peerID)
	return key.seal(random, Claims{
		Player: who.Player, Roles: who.Roles, Client: who.Key,
		Issued: unix, Expires: unix + ticketLife,
		UserData: append(data, who.UserData...),
	})
}

// identity is who came with a token, or with none.
func identity(t *token, client Key) Identity {
	if t == nil {
		return Identity{Kind: ByKey, Key: client}
	}
	who := Identity{Kind: ByToken, Key: client, Player: t.Player, Roles: t.Roles, Expires: t.Expires, UserData: t.UserData}
	if t.ticket {
		r := wire.NewReader(t.UserData)
		who.Kind, who.Resumed, who.UserData = IdentityKind(r.Uint8()), r.Uint16(), r.Rest()
	}
	return who
}
