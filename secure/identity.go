package secure

// How a client is known.
const (
	ByNothing IdentityKind = iota // it came on the base protocol, which proves nothing
	ByToken                       // an issuer that the host trusts says who it is
	ByKey                         // by its static key alone: whoever it is, it is the same one each time
)

// IdentityKind is how a client is known to a host.
type IdentityKind uint8

// String gives the name of k.
func (k IdentityKind) String() string {
	switch k {
	case ByNothing:
		return "plain"
	case ByToken:
		return "token"
	case ByKey:
		return "key"
	}
	return "unknown"
}

// Identity is who a client is, as far as a host can know. The peer id is none: it is given to whoever comes.
type Identity struct {
	Kind IdentityKind
	Key  Key // the client's static public key, proved

	// What the token says; zero without one.
	Player   [16]byte
	Roles    uint32
	Expires  int64  // Unix seconds
	UserData []byte // 0 to MaxUserData bytes

	// Resumed is the peer id that the client had in a session before, if it came with a resume ticket, else 0.
	Resumed uint16
}
