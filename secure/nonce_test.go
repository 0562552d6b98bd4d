package secure

import (
	"crypto/cipher"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/testflag"
)

// usage is what was sealed under one key. Numbers that grow are numbers that are used once.
type usage struct {
	newest  int64 // -1 if nothing was
	packets int64
}

// spy is a cipher that notes what is sealed under its key.
type spy struct {
	cipher.AEAD
	t testing.TB
	*usage
}

func (s *spy) Seal(dst, nonce, plain, additional []byte) []byte {
	number := binary.BigEndian.Uint64(nonce[4:])
	switch {
	case number == math.MaxUint64: // REKEY, which each side does for both directions
		require.Equal(s.t, make([]byte, 32), plain)
	case binary.BigEndian.Uint32(nonce) != 0 || int64(number) <= s.newest:
		require.Fail(s.t, "a key and nonce that may have been used before", "%x after %d", nonce, s.newest)
	default:
		s.newest = int64(number)
		s.packets++
	}
	return s.AEAD.Seal(dst, nonce, plain, additional)
}

// spies makes ciphers that know all uses of their key, whichever side of whichever session has it.
type spies struct {
	t    testing.TB
	uses map[Secret]*usage
}

func (s *spies) newCipher(key *Secret) cipher.AEAD {
	u := s.uses[*key]
	if u == nil {
		u = &usage{newest: -1}
		s.uses[*key] = u
	}
	return &spy{newAESGCM(key), s.t, u}
}

// lives is a host that is restarted again and again, with one static key, and a client that comes back each time with its own: what both seal, and
// how many epochs that had.
type lives struct {
	spies
	random         *rand.ChaCha8
	packets, keys  int64
	epochs, number int
}

// newSessions lets the client join the host after a restart, and makes both sides of the session anew from the keys that they logged, with spies
// for ciphers.
func (l *lives) newSessions() (client, host *Session) {
	_, joined, j, log := logged(l.t, func(h *HostConfig, c *ClientConfig) {
		h.Seed, c.Seed = drawSecret(l.random), drawSecret(l.random)
	})
	line, err := parseKeyLogLine(log)
	require.NoError(l.t, err)
	client = newSession(framing.Client, &line.keys, joined.ID(), j.ID(), l.newCipher)
	host = newSession(framing.Host, &line.keys, j.ID(), joined.ID(), l.newCipher)
	return client, host
}

// live plays one session over a link that loses 30 of 100 packets, delays others, and now and then all for a while.
func (l *lives) live(packets, epoch int64) {
	client, host := l.newSessions()
	host.limit = epoch
	link := &lossy{t: l.t, client: client, host: host, random: rand.New(l.random), loss: 30}
	for link.sealed < packets {
		if l.random.Uint64()%20_000 == 0 {
			link.outage = int(l.random.Uint64() % 900)
		}
		link.step()
	}
	l.packets += link.sealed
	l.keys += int64(host.sealing.number) + int64(client.sealing.number) + 2
	if client.sealing.cipher.(*spy).newest < 0 { // it has followed, and sealed nothing since
		l.keys--
	}
	l.epochs += int(host.sealing.number)
	l.number++
}

// TestNoKeyAndNonceAreUsedTwice plays sessions of many epochs and hosts that are restarted. Within a key numbers grow, and there are as many keys that
// sealed something as epochs were begun: none came up twice.
func TestNoKeyAndNonceAreUsedTwice(t *testing.T) {
	packets, each, epoch := int64(1_000_000), int64(100_000), int64(64)
	switch {
	case testflag.Long():
		packets, each, epoch = 100_000_000, 1_000_000, 500
	case testing.Short(), strconv.IntSize == 32: // where Go has AES in software alone
		packets, each = 100_000, 20_000
	}
	workers := make([]*lives, runtime.GOMAXPROCS(0))
	t.Run("seals", func(t *testing.T) {
		for i := range workers {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				l := &lives{spies: spies{t, map[Secret]*usage{}}, random: newRandom(byte(100 + i))}
				for workers[i] = l; l.packets < packets/int64(len(workers)); {
					l.live(each, epoch)
				}
			})
		}
	})
	requireNoKeyTwice(t, workers, packets)
}

func requireNoKeyTwice(t *testing.T, workers []*lives, packets int64) {
	seen := map[Secret]bool{}
	var sealed, keys, epochs, sessions, noted int64
	for _, l := range workers {
		for key, u := range l.uses {
			if u.newest < 0 {
				continue // made ahead of its time
			}
			require.False(t, seen[key], "a key of two sessions")
			seen[key] = true
			noted += u.packets
		}
		sealed, keys, epochs, sessions = sealed+l.packets, keys+l.keys, epochs+int64(l.epochs), sessions+int64(l.number)
	}
	require.GreaterOrEqual(t, sealed, packets)
	require.Equal(t, sealed, noted, "each packet was sealed by a spy")
	require.EqualValues(t, keys, len(seen), "each epoch of each direction has its own key")
	require.Greater(t, epochs, packets/2000)
	require.GreaterOrEqual(t, sessions, int64(5))
	t.Logf("%d packets, %d sessions, %d epochs, %d keys", sealed, sessions, epochs, len(seen))
}
