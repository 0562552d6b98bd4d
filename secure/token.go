package secure

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

const (
	// MaxUserData is the most user data that a token takes, in bytes.
	MaxUserData = 128

	tokenVersion = 1
	tokenHead    = 1 + 4 + 8
	tokenClear   = tokenHead + chacha20poly1305.NonceSizeX
	tokenFixed   = 16 + 16 + 4 + 8 + 32 + 32
	minToken     = tokenClear + tokenFixed + chacha20poly1305.Overhead
	maxToken     = minToken + MaxUserData + ticketHead
	tokenSkew    = 30 // seconds by which clocks may differ

	ticketKeyID = 0
)

// TokenKey seals tokens at the issuer and opens them at hosts. Who has it can let anybody in.
type TokenKey struct {
	ID  uint32 // not 0; names the key among those of the hosts
	Key Secret
}

// Claims are what a token says. A client that shows the token must also have the psk, and the static key.
type Claims struct {
	Host     [16]byte // name of the host or lobby that it is for
	Player   [16]byte
	Roles    uint32
	Issued   int64 // Unix seconds
	Expires  int64 // Unix seconds; a minute later than Issued is usual
	Client   Key   // static public key of the client; zero if the issuer does not know it: then the first client that comes in with it keeps it
	UserData []byte
}

// Issue makes a token, PROTOCOL.md 19.1, and the psk that the client needs with it. Give both to the client over a channel that nobody else can
// read, with the public key of the host. random is crypto/rand.Reader, but in a test.
func (k TokenKey) Issue(random io.Reader, c Claims) (token []byte, psk Secret, err error) {
	switch {
	case k.ID == ticketKeyID:
		return nil, Secret{}, errors.New("secure: TokenKey.ID is 0, which is for resume tickets: take another")
	case k.Key.isZero():
		return nil, Secret{}, errors.New("secure: TokenKey.Key is zero: draw it from crypto/rand")
	case len(c.UserData) > MaxUserData:
		return nil, Secret{}, fmt.Errorf("secure: user data of %d bytes is more than %d", len(c.UserData), MaxUserData)
	}
	token, psk = k.seal(random, c)
	return token, psk, nil
}

func (k TokenKey) seal(random io.Reader, c Claims) (token []byte, psk Secret) {
	var nonce [chacha20poly1305.NonceSizeX]byte
	draw(random, nonce[:])
	psk = drawSecret(random)

	token = wire.AppendUint8(make([]byte, 0, maxToken), tokenVersion)
	token = wire.AppendUint32(token, k.ID)
	token = wire.AppendUint64(token, uint64(c.Expires))
	token = append(token, nonce[:]...)
	return newXChaCha(&k.Key).Seal(token, nonce[:], appendClaims(nil, &c, &psk), token), psk
}

func newXChaCha(key *Secret) cipher.AEAD {
	c, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		panic("BUG: secure: " + err.Error())
	}
	return c
}

func appendClaims(b []byte, c *Claims, psk *Secret) []byte {
	b = append(b, c.Host[:]...)
	b = append(b, c.Player[:]...)
	b = wire.AppendUint32(b, c.Roles)
	b = wire.AppendUint64(b, uint64(c.Issued))
	b = append(b, psk[:]...)
	b = append(b, c.Client[:]...)
	return append(b, c.UserData...)
}

// token is one that was opened.
type token struct {
	Claims
	psk    Secret
	ticket bool
	tag    tokenTag
}

// bound reports whether the token names its client.
func (t *token) bound() bool { return t.Client != Key{} }

// tokenTag tells tokens apart.
type tokenTag [chacha20poly1305.Overhead]byte

// TokenHead is what everybody can read in a token.
type TokenHead struct {
	KeyID   uint32
	Expires int64 // Unix seconds
	Size    int   // bytes of the whole token
}

// ReadToken reads the clear part of a token, which anybody may have written.
func ReadToken(b []byte) (TokenHead, error) {
	if !hasTokenSize(b) {
		return TokenHead{}, fmt.Errorf("secure: not a token: one has %d to %d bytes and begins with a %d", minToken, maxToken, tokenVersion)
	}
	return readTokenHead(b), nil
}

func readTokenHead(b []byte) TokenHead {
	r := wire.NewReader(b[1:])
	return TokenHead{KeyID: r.Uint32(), Expires: r.Int64(), Size: len(b)}
}

func hasTokenSize(b []byte) bool {
	return len(b) >= minToken && len(b) <= maxToken && b[0] == tokenVersion
}

// Open reads what a token says that was sealed with k, whether it has expired or not. It is for whoever looks into tokens; hosts check more.
func (k TokenKey) Open(b []byte) (Claims, error) {
	head, err := ReadToken(b)
	switch {
	case err != nil:
		return Claims{}, err
	case head.KeyID != k.ID:
		return Claims{}, fmt.Errorf("secure: the token was sealed with key id %d, and this is key id %d", head.KeyID, k.ID)
	}
	t, ok := k.open(b, head.Expires)
	if !ok {
		return Claims{}, fmt.Errorf("secure: another key has id %d, or the token was changed", k.ID)
	}
	return t.Claims, nil
}

func (k *TokenKey) open(b []byte, expires int64) (t token, ok bool) {
	plain, err := newXChaCha(&k.Key).Open(nil, b[tokenHead:tokenClear], b[tokenClear:], b[:tokenClear])
	if err != nil {
		return token{}, false
	}
	t = parseClaims(plain)
	t.Expires, t.ticket = expires, k.ID == ticketKeyID
	t.tag = tokenTag(b[len(b)-len(t.tag):])
	return t, true
}

// openToken makes the checks of PROTOCOL.md 19.1 that need no public key. unix is the time in seconds.
func openToken(keys []TokenKey, b []byte, unix int64) (t token, drop framing.Drop) {
	if !hasTokenSize(b) {
		return token{}, framing.DropTokenSize
	}
	head := readTokenHead(b)
	key := findKey(keys, head.KeyID)
	switch {
	case key == nil:
		return token{}, framing.DropTokenKey
	case unix-tokenSkew > head.Expires:
		return token{}, framing.DropTokenExpired
	}
	t, ok := key.open(b, head.Expires)
	if !ok {
		return token{}, framing.DropTokenAuth
	}
	return t, framing.Accepted
}

func findKey(keys []TokenKey, id uint32) *TokenKey {
	for i := range keys {
		if keys[i].ID == id {
			return &keys[i]
		}
	}
	return nil
}

// parseClaims reads what openToken has found to be long enough.
func parseClaims(b []byte) (t token) {
	r := wire.NewReader(b)
	copy(t.Host[:], r.Raw(len(t.Host)))
	copy(t.Player[:], r.Raw(len(t.Player)))
	t.Roles, t.Issued = r.Uint32(), r.Int64()
	copy(t.psk[:], r.Raw(len(t.psk)))
	copy(t.Client[:], r.Raw(len(t.Client)))
	t.UserData = r.Rest()
	return t
}
