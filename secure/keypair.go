package secure

import (
	"crypto/hmac"
	"fmt"
	"io"

	"github.com/flynn/noise"

	"github.com/gannet-net/gannet/internal/x25519"
)

// pair makes s ready for use as a private key, which takes as long as an exchange of secrets.
func (s Secret) pair() x25519.Private { return x25519.NewPrivate(s) }

// pairs is noise.DH25519 for one exchange, but keeps the key pairs of its side, where noise.DH25519 makes them anew for each secret.
type pairs struct {
	noise.DHFunc
	static, ephemeral x25519.Private
}

// GenerateKeypair draws the ephemeral key.
func (p *pairs) GenerateKeypair(random io.Reader) (noise.DHKey, error) {
	var s Secret
	if _, err := io.ReadFull(random, s[:]); err != nil {
		return noise.DHKey{}, fmt.Errorf("drawing a key: %w", err)
	}
	p.ephemeral = s.pair()
	return keyOf(p.ephemeral), nil
}

// DH gives the secret of one of the two private keys and a public key.
func (p *pairs) DH(private, public []byte) ([]byte, error) {
	if hmac.Equal(private, p.static.Bytes()) {
		return p.static.Secret(public)
	}
	return p.ephemeral.Secret(public)
}

func keyOf(p x25519.Private) noise.DHKey {
	return noise.DHKey{Private: p.Bytes(), Public: p.Public()}
}
