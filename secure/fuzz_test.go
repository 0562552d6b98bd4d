package secure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// FuzzSecure gives any bytes to a host with a session that is unconfirmed and one that is confirmed, to clients in each state, and to both ends of
// a session. Whatever they are, no answer is larger, nobody joins, and nothing opens or is reset. The same bytes are read as what ciphers
// protect, which mutations of a datagram never reach, and as the texts that people paste.
func FuzzSecure(f *testing.F) {
	m := meet(f, withToken(f, nil))
	genuine := map[string]bool{} // what a fuzzer may send again
	keep := func(d []byte) []byte {
		genuine[string(d)] = true
		f.Add(d)
		return d
	}
	m.toHost, m.toClient = keep, keep
	joined, j := m.joined()
	f.Add([]byte{})
	f.Add(make([]byte, 1201))
	for _, d := range [][]byte{j.Session.Seal(nil, []byte("x"), 0), joined.Session.Seal(nil, []byte("x"), 1)} {
		d[len(d)-1] ^= 1
		f.Add(d)
	}
	f.Add(handshake.AppendPayload1(nil, &handshake.Payload1{ConnectData: []byte("data")}, handshake.AuthHead))
	for _, w := range writings(f, newRandom(1)) {
		f.Add([]byte(w.text))
	}
	f.Add([]byte("GANNET-1-KEYS-1 000000c1 000000b2 " + strings.Repeat("0f", 32) + " " + strings.Repeat("f0", 32)))

	over := m.client
	m.client = m.newClient(clientConfig())
	keep(m.auth())
	authenticating := m.client
	asking := m.newClient(clientConfig())

	f.Fuzz(func(t *testing.T, d []byte) {
		requireReadsSoundly(t, d)
		if genuine[string(d)] {
			return
		}
		m.t = t
		m.now += ms
		m.give(d)
		require.Len(t, m.joins, 1)
		for _, c := range []*Client{asking, authenticating, over} {
			now := *c
			now.HandleDatagram(m.now, d)
			require.Equal(t, c.joined, now.joined)
		}
		for _, s := range []*Session{j.Session, joined.Session} {
			_, _, drop := s.Open(nil, d, -1)
			require.NotEqual(t, framing.Accepted, drop)
			require.NotEqual(t, framing.Accepted, s.HandleReset(d))
		}
	})
}

// requireReadsSoundly reads d as what only who has the keys can send.
func requireReadsSoundly(t *testing.T, d []byte) {
	if p, ok := handshake.ParsePayload1(d, handshake.AuthHead); ok {
		require.Equal(t, d, handshake.AppendPayload1(nil, &p, handshake.AuthHead))
	}
	if p, ok := handshake.ParsePayload2(d); ok {
		require.Equal(t, d, handshake.AppendPayload2(nil, &p))
	}
	who := parseClaims(d)
	who.ticket = true
	require.LessOrEqual(t, len(identity(&who, Key{}).UserData), len(d))
	requireReadsTextSoundly(t, string(d))
}

// requireReadsTextSoundly reads a text as each form: what is accepted is what is written again.
func requireReadsTextSoundly(t *testing.T, text string) {
	line := strings.TrimSpace(text)
	if k, err := ParseKey(text); err == nil {
		require.Equal(t, line, k.String())
	}
	if s, err := ParseSecret(text); err == nil {
		require.Equal(t, line, s.Reveal())
	}
	if i, err := ParseInvite(text); err == nil {
		require.Equal(t, line, i.String())
	}
	if p, err := ParsePass(text); err == nil {
		require.Equal(t, line, p.Reveal())
	}
	if keys, err := ParseTokenKeys(text); err == nil && len(keys) == 1 {
		require.Contains(t, text, keys[0].Reveal())
	}
	if u, err := NewUnsealer(text); err == nil {
		_, err = u.Open(nil, append([]byte("\x0D\xC1\x00\x00\x00"), make([]byte, 40)...))
		require.Error(t, err)
	}
}
