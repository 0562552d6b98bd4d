package secure

import (
	"io"

	"github.com/flynn/noise"

	"github.com/gannet-net/gannet/internal/x25519"
)

// suite is the one set of algorithms of GANNET-1, PROTOCOL.md 16.
func suite(dh noise.DHFunc) noise.CipherSuite {
	return noise.NewCipherSuite(dh, noise.CipherAESGCM, noise.HashSHA256)
}

// exchange is one side of Noise_IKpsk2_25519_AESGCM_SHA256, PROTOCOL.md 18.3: the client writes message 1 and reads message 2, the
// host the other way round. A message that is refused leaves it as it was.
type exchange struct {
	state  *noise.HandshakeState
	client bool
	keys   trafficKeys // once both messages are through
}

// trafficKeys are what an exchange ends with.
type trafficKeys struct {
	toHost, toClient Secret   // of epoch 0
	binding          [32]byte // the handshake hash
}

// beginAsClient starts an exchange with a host. The ephemeral key comes from random, and from nowhere else.
func beginAsClient(random io.Reader, static x25519.Private, host Key, psk *Secret, prologue []byte) *exchange {
	return begin(static, noise.Config{
		Random: random, Prologue: prologue,
		Initiator: true, PeerStatic: host[:], PresharedKey: psk[:],
	})
}

// beginAsHost starts an exchange with whoever comes. usePSK belongs between its two messages.
func beginAsHost(random io.Reader, static x25519.Private, prologue []byte) *exchange {
	return begin(static, noise.Config{Random: random, Prologue: prologue})
}

func begin(static x25519.Private, c noise.Config) *exchange {
	c.CipherSuite, c.StaticKeypair = suite(&pairs{DHFunc: noise.DH25519, static: static}), keyOf(static)
	c.Pattern, c.PresharedKeyPlacement = noise.HandshakeIK, 2
	state, err := noise.NewHandshakeState(c)
	if err != nil {
		panic("BUG: secure: " + err.Error())
	}
	return &exchange{state: state, client: c.Initiator}
}

func (x *exchange) usePSK(psk *Secret) {
	if err := x.state.SetPresharedKey(psk[:]); err != nil {
		panic("BUG: secure: " + err.Error())
	}
}

// write appends the next message to dst.
func (x *exchange) write(dst, payload []byte) ([]byte, error) {
	dst, toHost, toClient, err := x.state.WriteMessage(dst, payload)
	x.split(toHost, toClient)
	return dst, err
}

// read takes the next message of the other side and appends its payload to dst.
func (x *exchange) read(dst, message []byte) ([]byte, error) {
	dst, toHost, toClient, err := x.state.ReadMessage(dst, message)
	x.split(toHost, toClient)
	return dst, err
}

// peer is the static key of the other side. A host has it once message 1 was read.
func (x *exchange) peer() Key { return Key(x.state.PeerStatic()) }

func (x *exchange) split(toHost, toClient *noise.CipherState) {
	if toHost == nil {
		return
	}
	x.keys = trafficKeys{toHost.UnsafeKey(), toClient.UnsafeKey(), [32]byte(x.state.ChannelBinding())}
}
