package secure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/golden"
)

const transcriptHead = `# A handshake with a token and two epochs after it, from fixed keys (PROTOCOL.md 17 to 20). One field a line, bytes in hex. What begins with
# host_ and is not public is known to the host alone, likewise for client_; packet numbers are 0 in epoch 0, and in epoch 1 0x40000005 to the
# client and 0x40000007 to the host.

`

// transcript is text with a field a line.
type transcript struct{ strings.Builder }

func (s *transcript) add(name string, b []byte) { fmt.Fprintf(s, "%s %x\n", name, b) }

// TestAHandshakeFromFixedKeysHasFixedBytes holds every byte of a handshake. What is random comes from the seeds of the test, and is written
// down as well, so that others need no such source.
func TestAHandshakeFromFixedKeysHasFixedBytes(t *testing.T) {
	m := meet(t, func(h *HostConfig, c *ClientConfig) {
		withToken(t, nil)(h, c)
		h.Silence, c.Silence, h.RekeyAfter = 10_000_000_000, 10_000_000_000, 1
	})
	var s transcript
	s.add("host_static", hostStatic[:])
	s.add("host_public", m.host.public[:])
	s.add("client_static", clientStatic[:])
	s.add("client_public", m.client.static.Public())
	s.add("token_key", issuerKey.Key[:]) // whose id is 7
	s.add("token", m.client.cfg.Token)
	s.add("psk", m.client.cfg.PSK[:])

	hello := m.client.PollDatagram(m.now, nil)
	s.add("client_id", hello[11:15])
	s.add("client_random", hello[15:23])
	s.add("hello", hello)
	challenge, _ := m.give(hello)
	s.add("challenge", challenge)

	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, challenge))
	exchange := m.client.attempt.exchange
	auth := m.client.PollDatagram(m.now, nil)
	s.add("client_ephemeral", exchange.state.LocalEphemeral().Private)
	s.add("payload_1", m.payload1(auth))
	s.add("auth", auth)

	fork := *m.host.random // the host draws its id, and then its ephemeral key
	fork.Uint64()
	hostEphemeral := drawSecret(&fork)
	accept, _ := m.give(auth)
	s.add("host_ephemeral", hostEphemeral[:])
	public := hostEphemeral.Public()
	s.add("host_ephemeral_public", public[:])
	s.add("secure_accept", accept)
	host := m.host.unconfirmed.rows[0].join.Session
	s.add("payload_2", m.payload2(host))

	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, accept))
	joined, _ := m.client.Outcome()
	binding := host.Binding()
	s.add("handshake_hash", binding[:])
	s.addEpochs(joined.Session, host, exchange.keys.toHost, exchange.keys.toClient)
	golden.Equal(t, "handshake.txt", transcriptHead+s.String())
}

// payload1 is payload 1 of an Auth.
func (m *meeting) payload1(auth []byte) []byte {
	a, drop := handshake.ParseAuth(auth)
	require.Equal(m.t, framing.Accepted, drop)
	plain, err := beginAsHost(newRandom(1), m.host.static, a.Head).read(nil, a.Message1)
	require.NoError(m.t, err)
	return plain
}

// payload2 is payload 2 of the session that the host has made.
func (m *meeting) payload2(s *Session) []byte {
	return handshake.AppendPayload2(nil, &handshake.Payload2{
		HostID: s.local, PeerID: 1, TimeoutMS: 10_000, ResetToken: m.host.resets.token(s.local, m.from.Addr()), Fingerprint: m.host.cfg.Fingerprint,
	})
}

// addEpochs adds what is sealed in two epochs, and the keys.
func (s *transcript) addEpochs(client, host *Session, toHost, toClient Secret) {
	packet := []byte("\x04a packet")
	s.add("packet", packet)
	for epoch, numbers := range [][2]int64{{0, 0}, {1<<30 + 7, 1<<30 + 5}} {
		if epoch == 1 {
			toHost, toClient = rekeyed(toHost), rekeyed(toClient)
			host.window.highest = 1 << 30 // as if so much had come
			client.window.highest = 1 << 30
		}
		s.add(fmt.Sprint("key_to_host_", epoch), toHost[:])
		s.add(fmt.Sprint("key_to_client_", epoch), toClient[:])
		back := host.Seal(nil, packet, numbers[1])
		client.Open(nil, back, -1)
		there := client.Seal(nil, packet, numbers[0])
		host.Open(nil, there, -1)
		s.add(fmt.Sprint("sealed_to_client_", epoch), back)
		s.add(fmt.Sprint("sealed_to_host_", epoch), there)
	}
}

func rekeyed(key Secret) Secret {
	state := noiseState(key)
	state.Rekey()
	return state.UnsafeKey()
}
