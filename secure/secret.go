package secure

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
)

// Secret is 32 bytes that nobody else may know: a private key, a psk, the key of a token. No verb of fmt and no encoding shows them.
type Secret [32]byte

// Format writes "(secret)" for every verb.
func (Secret) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// MarshalText gives "(secret)", so that logs in JSON do not show the bytes either.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

const hidden = "(secret)"

// Public is the static public key that belongs to s as an X25519 private key.
func (s Secret) Public() Key { return Key(s.pair().Public()) }

// derive makes another secret for the purpose that the label names.
func (s Secret) derive(label string) Secret {
	mac := hmac.New(sha256.New, s[:])
	io.WriteString(mac, label)
	return Secret(mac.Sum(nil))
}

func (s Secret) isZero() bool { return s == Secret{} }

// drawSecret takes the next bytes of a source that never fails.
func drawSecret(random io.Reader) (s Secret) {
	draw(random, s[:])
	return s
}

// drawHashKey likewise, of which a hash takes half.
func drawHashKey(random io.Reader) [16]byte {
	s := drawSecret(random)
	return [16]byte(s[:16])
}

func draw(random io.Reader, b []byte) {
	if _, err := io.ReadFull(random, b); err != nil {
		panic("BUG: secure: the source of randomness failed: " + err.Error())
	}
}

// Key is a static public key: of a host, who it is; of a client, that two sessions are of the same one.
type Key [32]byte

// opaque, embedded, keeps fmt from showing the fields of a struct.
type opaque struct{}

// Format writes "(secret)" for every verb.
func (opaque) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }
