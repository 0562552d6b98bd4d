package transport

// Authenticated is a Conn that can say whether what it hands out is proved to be from its peer. A Conn that cannot say so, and is not Local,
// may hand out what a stranger sent under the address of its peer, as on the base protocol.
type Authenticated interface {
	Conn
	Authenticated() bool
}
