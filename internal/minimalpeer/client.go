// Package minimalpeer has what tests need of a peer in another language: the minimal secure peer of PROTOCOL.md 25.
package minimalpeer

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// Client is the secure protocol as a client made from PROTOCOL.md 16 to 20 and the Noise specification alone speaks it: it shares no code with the
// library, and does not use flynn/noise. Whatever is wrong fails its test.
type Client struct {
	T                 testing.TB
	Static, Ephemeral *ecdh.PrivateKey
	ID, Random        []byte // 4 and 8 bytes

	HostKey          []byte // once Auth has read it
	HostID           []byte // from here on once Accept has come
	Payload2, Digest []byte
	ToHost, ToClient []byte // keys of the epoch

	ck, h, k []byte
	n        uint64
}

// Private makes a key of 32 bytes.
func Private(t testing.TB, b []byte) *ecdh.PrivateKey {
	k, err := ecdh.X25519().NewPrivateKey(b)
	require.NoError(t, err)
	return k
}

// Hello makes the first datagram.
func (c *Client) Hello() []byte {
	d := append([]byte("\x09\x08\x00GANNET-1"), c.ID...)
	return append(append(d, c.Random...), make([]byte, 1177)...)
}

// Auth answers a Challenge. With no pinned key, the client takes the one in it.
func (c *Client) Auth(challenge, token, payload []byte) []byte {
	require.Len(c.T, challenge, 65)
	require.Equal(c.T, append(append([]byte{10}, c.ID...), c.Random...), challenge[:13])
	cookie := challenge[13:33]
	c.HostKey = challenge[33:]

	d := append([]byte("\x0B\x08\x00GANNET-1"), c.ID...)
	d = append(append(d, c.Random...), cookie...)
	d = binary.LittleEndian.AppendUint16(d, uint16(len(token)))
	d = append(d, token...)

	c.h = []byte("Noise_IKpsk2_25519_AESGCM_SHA256") // of 32 bytes, so Noise does not hash it
	c.ck = bytes.Clone(c.h)
	c.mixHash(d)
	c.mixHash(c.HostKey)

	public := c.Ephemeral.PublicKey().Bytes()
	d = append(d, public...)
	c.mixHash(public)
	c.mixKey(public)
	c.mixKey(c.dh(c.Ephemeral, c.HostKey))
	d = append(d, c.encrypt(c.Static.PublicKey().Bytes())...)
	c.mixKey(c.dh(c.Static, c.HostKey))
	if missing := 512 - len(d) - len(payload) - 16; missing > 0 {
		payload = append(payload, make([]byte, missing)...)
	}
	return append(d, c.encrypt(payload)...)
}

// Accept takes the SecureAccept.
func (c *Client) Accept(d, psk []byte) {
	require.Len(c.T, d, 88)
	require.Equal(c.T, append([]byte{12}, c.ID...), d[:5])
	ephemeral := d[5:37]
	c.mixHash(ephemeral)
	c.mixKey(ephemeral)
	c.mixKey(c.dh(c.Ephemeral, ephemeral))
	c.mixKey(c.dh(c.Static, ephemeral))
	out := hkdf(c.ck, psk, 3)
	c.ck = out[0]
	c.mixHash(out[1])
	c.k, c.n = out[2], 0
	c.Payload2 = c.decrypt(d[37:])
	c.HostID = c.Payload2[:4]
	c.Digest = c.h
	keys := hkdf(c.ck, nil, 2)
	c.ToHost, c.ToClient = keys[0], keys[1]
}

// Seal makes a Sealed of an epoch.
func (c *Client) Seal(packet []byte, number uint64, epoch uint32) []byte {
	d := append([]byte{13}, c.HostID...)
	d = binary.LittleEndian.AppendUint32(d, uint32(number&(1<<30-1))|epoch<<30)
	return append(d, gcm(c.ToHost).Seal(nil, nonceOf(number), packet, d)...)
}

// Open gives the packet in a Sealed of the epoch, whose number is known.
func (c *Client) Open(d []byte, number uint64) []byte {
	packet, err := gcm(c.ToClient).Open(nil, nonceOf(number), d[9:], d[:9])
	require.NoError(c.T, err)
	return packet
}

// Rekey moves both directions to the next epoch.
func (c *Client) Rekey() {
	c.ToHost = gcm(c.ToHost).Seal(nil, nonceOf(1<<64-1), make([]byte, 32), nil)[:32]
	c.ToClient = gcm(c.ToClient).Seal(nil, nonceOf(1<<64-1), make([]byte, 32), nil)[:32]
}

func (c *Client) dh(k *ecdh.PrivateKey, public []byte) []byte {
	p, err := ecdh.X25519().NewPublicKey(public)
	require.NoError(c.T, err)
	shared, err := k.ECDH(p)
	require.NoError(c.T, err)
	return shared
}

func (c *Client) mixHash(b []byte) {
	sum := sha256.Sum256(append(bytes.Clone(c.h), b...))
	c.h = sum[:]
}

func (c *Client) mixKey(b []byte) {
	out := hkdf(c.ck, b, 2)
	c.ck, c.k, c.n = out[0], out[1], 0
}

func (c *Client) encrypt(plain []byte) []byte {
	b := gcm(c.k).Seal(nil, nonceOf(c.n), plain, c.h)
	c.n++
	c.mixHash(b)
	return b
}

func (c *Client) decrypt(b []byte) []byte {
	plain, err := gcm(c.k).Open(nil, nonceOf(c.n), b, c.h)
	require.NoError(c.T, err)
	c.mixHash(b)
	return plain
}

func hkdf(ck, input []byte, outputs int) (out [][]byte) {
	temp := mac(ck, input)
	var last []byte
	for i := range outputs {
		last = mac(temp, append(bytes.Clone(last), byte(i+1)))
		out = append(out, last)
	}
	return out
}

func mac(key, input []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(input)
	return m.Sum(nil)
}

func gcm(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	c, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return c
}

func nonceOf(number uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4), number) }
