package secure

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

	"github.com/gannet-net/gannet/framing"
)

// minimal is a client made from PROTOCOL.md 16 to 20 and the Noise specification alone: it calls nothing of this package, of framing or of
// flynn/noise.
type minimal struct {
	t                         *testing.T
	static, ephemeral         *ecdh.PrivateKey
	hostKey                   []byte
	clientID, random          []byte
	ck, h, k                  []byte
	n                         uint64
	toHost, toClient          []byte
	hostID                    []byte
	payload2, handshakeDigest []byte
}

func private(t *testing.T, b []byte) *ecdh.PrivateKey {
	k, err := ecdh.X25519().NewPrivateKey(b)
	require.NoError(t, err)
	return k
}

func (c *minimal) hello() []byte {
	d := append([]byte("\x09\x08\x00GANNET-1"), c.clientID...)
	return append(append(d, c.random...), make([]byte, 1177)...)
}

// auth answers a Challenge. With no pinned key, the client takes the one in it.
func (c *minimal) auth(challenge, token, payload []byte) []byte {
	require.Len(c.t, challenge, 65)
	require.Equal(c.t, append(append([]byte{10}, c.clientID...), c.random...), challenge[:13])
	cookie := challenge[13:33]
	c.hostKey = challenge[33:]

	d := append([]byte("\x0B\x08\x00GANNET-1"), c.clientID...)
	d = append(append(d, c.random...), cookie...)
	d = binary.LittleEndian.AppendUint16(d, uint16(len(token)))
	d = append(d, token...)

	c.h = []byte("Noise_IKpsk2_25519_AESGCM_SHA256") // of 32 bytes, so Noise does not hash it
	c.ck = bytes.Clone(c.h)
	c.mixHash(d)
	c.mixHash(c.hostKey)

	public := c.ephemeral.PublicKey().Bytes()
	d = append(d, public...)
	c.mixHash(public)
	c.mixKey(public)
	c.mixKey(c.dh(c.ephemeral, c.hostKey))
	d = append(d, c.encrypt(c.static.PublicKey().Bytes())...)
	c.mixKey(c.dh(c.static, c.hostKey))
	if missing := 512 - len(d) - len(payload) - 16; missing > 0 {
		payload = append(payload, make([]byte, missing)...)
	}
	return append(d, c.encrypt(payload)...)
}

func (c *minimal) accept(d, psk []byte) {
	require.Len(c.t, d, 88)
	require.Equal(c.t, append([]byte{12}, c.clientID...), d[:5])
	ephemeral := d[5:37]
	c.mixHash(ephemeral)
	c.mixKey(ephemeral)
	c.mixKey(c.dh(c.ephemeral, ephemeral))
	c.mixKey(c.dh(c.static, ephemeral))
	out := hkdf(c.ck, psk, 3)
	c.ck = out[0]
	c.mixHash(out[1])
	c.k, c.n = out[2], 0
	c.payload2 = c.decrypt(d[37:])
	c.hostID = c.payload2[:4]
	c.handshakeDigest = c.h
	keys := hkdf(c.ck, nil, 2)
	c.toHost, c.toClient = keys[0], keys[1]
}

// seal makes a Sealed of an epoch.
func (c *minimal) seal(packet []byte, number uint64, epoch uint32) []byte {
	d := append([]byte{13}, c.hostID...)
	d = binary.LittleEndian.AppendUint32(d, uint32(number&(1<<30-1))|epoch<<30)
	return append(d, gcm(c.toHost).Seal(nil, nonceOf(number), packet, d)...)
}

func (c *minimal) open(d []byte, number uint64) []byte {
	packet, err := gcm(c.toClient).Open(nil, nonceOf(number), d[9:], d[:9])
	require.NoError(c.t, err)
	return packet
}

// rekey moves both directions to the next epoch.
func (c *minimal) rekey() {
	c.toHost = gcm(c.toHost).Seal(nil, nonceOf(1<<64-1), make([]byte, 32), nil)[:32]
	c.toClient = gcm(c.toClient).Seal(nil, nonceOf(1<<64-1), make([]byte, 32), nil)[:32]
}

func (c *minimal) dh(k *ecdh.PrivateKey, public []byte) []byte {
	p, err := ecdh.X25519().NewPublicKey(public)
	require.NoError(c.t, err)
	shared, err := k.ECDH(p)
	require.NoError(c.t, err)
	return shared
}

func (c *minimal) mixHash(b []byte) {
	sum := sha256.Sum256(append(bytes.Clone(c.h), b...))
	c.h = sum[:]
}

func (c *minimal) mixKey(b []byte) {
	out := hkdf(c.ck, b, 2)
	c.ck, c.k, c.n = out[0], out[1], 0
}

func (c *minimal) encrypt(plain []byte) []byte {
	b := gcm(c.k).Seal(nil, nonceOf(c.n), plain, c.h)
	c.n++
	c.mixHash(b)
	return b
}

func (c *minimal) decrypt(b []byte) []byte {
	plain, err := gcm(c.k).Open(nil, nonceOf(c.n), b, c.h)
	require.NoError(c.t, err)
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

func TestAPeerMadeFromThePageAloneJoinsAndFollowsEpochs(t *testing.T) {
	m := meet(t, func(h *HostConfig, _ *ClientConfig) { h.RekeyAfter = 2 })
	c := &minimal{
		t: t, static: private(t, bytes.Repeat([]byte{0x51}, 32)), ephemeral: private(t, bytes.Repeat([]byte{0x52}, 32)),
		clientID: []byte{1, 2, 3, 4}, random: []byte("random8!"),
	}
	challenge, _ := m.give(c.hello())
	payload := append([]byte("finger-1"), 0x10, 0x27, 0, 0, 4, 0, 'd', 'a', 't', 'a')
	accept, drop := m.give(c.auth(challenge, nil, payload))
	require.Equal(t, framing.Accepted, drop)
	c.accept(accept, make([]byte, 32))

	first := c.seal([]byte{7}, 0, 0)
	_, drop = m.give(first)
	require.Equal(t, framing.Accepted, drop)
	require.Len(t, m.joins, 1)
	j := m.joins[0]
	require.Equal(t, "data", string(j.ConnectData))
	require.Equal(t, [8]byte([]byte("finger-1")), j.Fingerprint)
	require.Equal(t, c.static.PublicKey().Bytes(), j.Identity.Key[:])
	require.Equal(t, j.Session.Binding(), [32]byte(c.handshakeDigest))
	require.Equal(t, j.PeerID, binary.LittleEndian.Uint16(c.payload2[4:]))

	requireOpens(t, j.Session, first, 0)
	require.Equal(t, "one", string(c.open(j.Session.Seal(nil, []byte("one"), 0), 0)))
	d := j.Session.Seal(nil, []byte("two"), 1) // the host begins epoch 1
	require.Equal(t, byte(0x40), d[8])
	c.rekey()
	require.Equal(t, "two", string(c.open(d, 1)))
	requireOpens(t, j.Session, c.seal([]byte{7}, 1, 1), 1)
}

// TestTheVectorsAreThoseOfThePage computes testdata/handshake.txt anew from its keys, as somebody would who writes a peer.
func TestTheVectorsAreThoseOfThePage(t *testing.T) {
	v := readFields(t, "handshake.txt")[0]
	c := &minimal{
		t: t, static: private(t, v["client_static"]), ephemeral: private(t, v["client_ephemeral"]),
		clientID: v["client_id"], random: v["client_random"],
	}
	require.Equal(t, v["hello"], c.hello())
	require.Equal(t, v["auth"], c.auth(v["challenge"], v["token"], v["payload_1"]))
	c.accept(v["secure_accept"], v["psk"])
	require.Equal(t, v["payload_2"], c.payload2)
	require.Equal(t, v["handshake_hash"], c.handshakeDigest)
	require.Equal(t, v["key_to_host_0"], c.toHost)
	require.Equal(t, v["key_to_client_0"], c.toClient)
	require.Equal(t, v["sealed_to_host_0"], c.seal(v["packet"], 0, 0))
	require.Equal(t, v["packet"], c.open(v["sealed_to_client_0"], 0))
	c.rekey()
	require.Equal(t, v["key_to_host_1"], c.toHost)
	require.Equal(t, v["key_to_client_1"], c.toClient)
	require.Equal(t, v["packet"], c.open(v["sealed_to_client_1"], 1<<30+5))
	require.Equal(t, v["sealed_to_host_1"], c.seal(v["packet"], 1<<30+7, 1))
	require.Equal(t, v["host_public"], private(t, v["host_static"]).PublicKey().Bytes())
	require.Equal(t, v["host_ephemeral_public"], v["secure_accept"][5:37])
}
