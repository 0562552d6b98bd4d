// Package x25519 makes the shared secrets of X25519, RFC 7748. Everything in it is a function of its arguments alone: it draws no randomness, and keeps callers from
// what crypto/ecdh draws.
package x25519

import "crypto/ecdh"

// Private is a private key that is ready for use. To make one takes as long as to make a secret with it, so whoever uses a key twice keeps it. It may be used by several
// goroutines at once.
type Private struct{ key *ecdh.PrivateKey }

// NewPrivate makes a private key of any 32 bytes.
func NewPrivate(scalar [32]byte) Private {
	key, err := ecdh.X25519().NewPrivateKey(scalar[:])
	if err != nil {
		panic("BUG: x25519: " + err.Error())
	}
	return Private{key}
}

// Bytes gives the bytes that the key was made of.
func (p Private) Bytes() []byte { return p.key.Bytes() }

// Public gives the public key that belongs to it, 32 bytes.
func (p Private) Public() []byte { return p.key.PublicKey().Bytes() }

// Secret gives the 32 bytes that only the owners of p and of the private key behind public can compute. It fails for a public key that is not 32 bytes long, or is of
// low order.
func (p Private) Secret(public []byte) ([]byte, error) {
	theirs, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	return p.key.ECDH(theirs)
}
