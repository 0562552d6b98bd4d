package secure

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/wire"
)

// FuzzSecure gives any bytes to a host with a session that is unconfirmed and one that is confirmed, to clients in each state, and to both ends of
// a session. Whatever they are, no answer is larger, nobody joins, and nothing opens or is reset. The same bytes are put behind a good cookie, as a token and as a
// message 1: no token that is bad costs a public key. And they are read as what ciphers protect, which mutations of a datagram never reach.
func FuzzSecure(f *testing.F) {
	m := meet(f, withToken(f, nil))
	genuine := map[string]bool{} // what a fuzzer may send again
	keep := func(d []byte) []byte {
		genuine[string(d)] = true
		f.Add(d)
		return d
	}
	samples := oneOfEach(m)
	for _, d := range samples {
		keep(d)
	}
	for _, mutant := range mutantsOf(f, samples) {
		f.Add(mutant.Datagram)
	}
	for _, v := range vectors(f) {
		keep(v)
		v = bytes.Clone(v)
		v[len(v)/2] ^= 1
		f.Add(v)
	}
	addProtected(f)
	joined, _ := m.client.Outcome()
	j := &m.joins[0]
	m.toHost, m.toClient = keep, keep

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
		requireCheapWhenBad(t, m, d)
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

// addProtected adds payloads and claims, small and large, and each with a byte less, a byte more, and other lengths inside.
func addProtected(f *testing.F) {
	for _, n := range []int{0, 4, handshake.MaxConnectData} {
		p := handshake.AppendPayload1(nil, &handshake.Payload1{TimeoutMS: uint32(n), ConnectData: make([]byte, n)}, handshake.AuthHead)
		f.Add(p)
		f.Add(p[:len(p)-1])
		f.Add(append(p, 0))
		for _, length := range []uint16{0, 1, uint16(n - 1), uint16(n + 1), uint16(len(p) - handshake.Payload1Head), handshake.MaxConnectData + 1, 0xFFFF} {
			other := slices.Clone(p)
			binary.LittleEndian.PutUint16(other[handshake.Payload1Head-2:], length)
			f.Add(other)
		}
	}
	p := handshake.AppendPayload2(nil, &handshake.Payload2{HostID: 1, PeerID: handshake.MaxPeerID, Admitted: true})
	for _, last := range []byte{0, 1, 2, 0xFF} {
		f.Add(append(p[:len(p)-1:len(p)-1], last))
	}
	f.Add(p[:len(p)-1])
	f.Add(append(p, 0))
	for _, data := range []int{0, 1, ticketHead, MaxUserData} {
		f.Add(appendClaims(nil, &Claims{Issued: epoch0, UserData: make([]byte, data)}, &Secret{1}))
	}
}

// requireCheapWhenBad gives the host an Auth with a good cookie that has d as its token, and one that has it as its message 1.
func requireCheapWhenBad(t *testing.T, m *meeting, d []byte) {
	who := handshake.Asker{ID: 9, Random: [8]byte{9}}
	cookie := m.host.cookies.bake(m.now, who, m.from)
	token := d[:min(len(d), handshake.MaxToken)]
	_, bad := openToken(m.host.tokenKeys, token, m.unix)
	tried := m.host.Exchanges()
	_, drop := m.give(fullAuth(handshake.AppendAuthHead(nil, who, &cookie, token), nil))
	require.NotEqual(t, framing.Accepted, drop)
	if len(token) > 0 && bad != framing.Accepted {
		require.Equal(t, tried, m.host.Exchanges(), "a key exchange for a token that ends as %v", bad)
	}
	_, drop = m.give(fullAuth(handshake.AppendAuthHead(nil, who, &cookie, nil), d))
	require.NotEqual(t, framing.Accepted, drop, "message 1 is sealed to the host")
}

// fullAuth appends a message 1 to the head of an Auth, cut or filled to a size that an Auth can have.
func fullAuth(head, message1 []byte) []byte {
	d := append(head, message1[:min(len(message1), handshake.MaxAuth-len(head))]...)
	return append(d, make([]byte, max(0, max(handshake.MinAuth, len(head)+handshake.MinMessage1)-len(d)))...)
}

// requireReadsSoundly reads d as what only who has the keys can send.
func requireReadsSoundly(t *testing.T, d []byte) {
	if p, ok := handshake.ParsePayload1(d, handshake.AuthHead); ok {
		require.Equal(t, d, handshake.AppendPayload1(nil, &p, handshake.AuthHead))
	}
	if p, ok := handshake.ParsePayload2(d); ok {
		require.Equal(t, d, handshake.AppendPayload2(nil, &p))
	}
	claims := parseClaims(d)
	if len(d) >= tokenFixed {
		require.Equal(t, d, appendClaims(nil, &claims.Claims, &claims.psk))
	}
	claims.ticket = true
	who := identity(&claims, Key{})
	require.LessOrEqual(t, len(who.UserData), len(d))
	if len(claims.UserData) >= ticketHead {
		require.Equal(t, claims.UserData, append(wire.AppendUint16([]byte{byte(who.Kind)}, who.Resumed), who.UserData...))
	}
}
