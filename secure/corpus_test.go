package secure

import (
	"bytes"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flynn/noise"
	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/mutants"
)

// oneOfEach are a datagram of each kind of the secure protocol. Their session is that of m.
func oneOfEach(m *meeting) (all [][]byte) {
	keep := func(d []byte) []byte { all = append(all, bytes.Clone(d)); return d }
	m.toHost, m.toClient = keep, keep
	joined, j := m.joined()
	return append(all, j.Session.Seal(nil, []byte("x"), 0), joined.Session.Seal(nil, []byte("x"), 1),
		handshake.AppendReset(nil, &handshake.Reset{HostID: j.Session.ID(), Token: m.host.resets.token(j.Session.ID(), m.from.Addr())}),
		handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: m.client.who, Code: handshake.RefusedFull}))
}

// mutantsOf are those of one datagram of each kind.
func mutantsOf(t testing.TB, samples [][]byte) (all []mutants.Mutant) {
	seen := map[byte]bool{}
	for _, d := range samples {
		if seen[d[0]] {
			continue
		}
		seen[d[0]] = true
		some, err := mutants.Of(d, mutants.Layouts[d[0]])
		require.NoError(t, err, handshake.Name(framing.Kind(d[0])))
		all = append(all, some...)
	}
	return all
}

// vectors are the fields of testdata/handshake.txt, by their names.
func vectors(t testing.TB) map[string][]byte {
	text, err := os.ReadFile("testdata/handshake.txt")
	require.NoError(t, err)
	all := map[string][]byte{}
	for line := range strings.Lines(string(text)) {
		name, digits, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || name == "#" {
			continue
		}
		all[name], err = hex.DecodeString(digits)
		require.NoError(t, err)
	}
	return all
}

// The seeds of FuzzSecure have all kinds of a handshake, and get as far as each check that does not need another time, key or token.
func TestTheMutantsOfAHandshakeFailInEachCheck(t *testing.T) {
	m := meet(t, withToken(t, nil))
	samples := oneOfEach(m)
	for kind := handshake.KindHello; kind <= handshake.KindSecureRefuse; kind++ {
		require.True(t, slices.ContainsFunc(samples, func(d []byte) bool { return framing.Kind(d[0]) == kind }), handshake.Name(kind))
	}
	m.hostDrops = framing.Drops{}
	for _, mutant := range mutantsOf(t, samples) {
		m.now += 100 * ms // within the rate of an address
		if m.now > 1_009_000*ms {
			m.now = 1_000_500 * ms // within the life of the cookie
		}
		m.give(mutant.Datagram)
	}
	for _, drop := range []framing.Drop{
		framing.DropSize, framing.DropVersion, framing.DropVersionEmpty, framing.DropVersionLong, framing.DropBadID, framing.DropPadding,
		framing.DropCookie, framing.DropTokenSize, framing.DropTokenAuth, framing.DropNoise, framing.DropDirection,
	} {
		require.NotZero(t, m.hostDrops[drop], "%v: %v", drop, m.hostDrops)
	}
	require.Len(t, m.joins, 1, "nobody joins by a mutant")
}

// With any bit of it flipped, what was protected from fixed keys opens nothing.
func TestNoVectorWithABitFlippedIsTaken(t *testing.T) {
	v := vectors(t)
	_, drop := openToken([]TokenKey{issuerKey}, v["token"], epoch0)
	require.Equal(t, framing.Accepted, drop)
	eachBit(v["token"], func(d []byte, at int) {
		_, drop := openToken([]TokenKey{issuerKey}, d, epoch0)
		require.NotEqual(t, framing.Accepted, drop, "the token, byte %d", at)
	})
	for _, sealed := range []struct {
		name, key string
		number    uint64
	}{
		{"sealed_to_host_0", "key_to_host_0", 0}, {"sealed_to_client_0", "key_to_client_0", 0},
		{"sealed_to_host_1", "key_to_host_1", 1<<30 + 7}, {"sealed_to_client_1", "key_to_client_1", 1<<30 + 5},
	} {
		open := func(d []byte) ([]byte, error) {
			state := noise.UnsafeNewCipherState(suite(noise.DH25519), Secret(v[sealed.key]), sealed.number)
			return state.Decrypt(nil, d[:handshake.SealedHead], d[handshake.SealedHead:])
		}
		plain, err := open(v[sealed.name])
		require.NoError(t, err)
		require.Equal(t, v["packet"], plain)
		eachBit(v[sealed.name], func(d []byte, at int) {
			_, err := open(d)
			require.Error(t, err, "%s, byte %d", sealed.name, at)
		})
	}
	for _, name := range []string{"payload_1", "payload_2"} {
		eachBit(v[name], func(d []byte, _ int) { requireReadsSoundly(t, d) })
	}
}

// eachBit calls f with each bit of d flipped.
func eachBit(d []byte, f func(d []byte, at int)) {
	for at := range d {
		for bit := range 8 {
			other := bytes.Clone(d)
			other[at] ^= 1 << bit
			f(other, at)
		}
	}
}
