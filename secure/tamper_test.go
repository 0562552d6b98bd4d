package secure

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// samples are one datagram of each kind of a handshake.
func samples(t *testing.T) map[framing.Kind][]byte {
	m, all := meet(t, withToken(t, nil)), map[framing.Kind][]byte{}
	keep := func(d []byte) []byte { all[framing.Kind(d[0])] = bytes.Clone(d); return d }
	m.toHost, m.toClient = keep, keep
	m.joined()
	return all
}

// TestWhoeverChangesAHandshakeGetsNoSession changes each byte of each datagram, each time that it comes by. Clients that know the key of the
// host and such that do not are tried.
func TestWhoeverChangesAHandshakeGetsNoSession(t *testing.T) {
	completed := 0
	for kind, sample := range samples(t) {
		if kind == handshake.KindSealed {
			continue
		}
		for i := range sample {
			if kind == handshake.KindHello && i > 30 && i < handshake.HelloSize-3 {
				continue // zeros, of which the first and last do for all
			}
			if testing.Short() && i%10 != 0 {
				continue
			}
			m := meet(t, func(h *HostConfig, c *ClientConfig) {
				withToken(t, nil)(h, c)
				c.DialTimeout = 400 * time.Millisecond // Hello and Auth are repeated once
				if i%2 == 0 {
					c.HostKey = Key{}
				}
			})
			edit := func(d []byte) []byte {
				if framing.Kind(d[0]) == kind {
					d = bytes.Clone(d)
					d[i] ^= 1 << (i % 8)
				}
				return d
			}
			m.toHost, m.toClient = edit, edit
			if m.play(); m.bothJoined() {
				completed++
				m.requireSameView()
			}
			joined, _ := m.client.Outcome()
			require.Nil(t, joined, "%s, byte %d", handshake.Name(kind), i)
		}
	}
	require.Zero(t, completed)
}

func TestAnEditedChallengeDoesNotLockAClientOut(t *testing.T) {
	m := meet(t, func(_ *HostConfig, c *ClientConfig) { c.HostKey = Key{} })
	edited := false
	m.toClient = func(d []byte) []byte {
		if framing.Kind(d[0]) == handshake.KindChallenge && !edited {
			edited = true
			d = bytes.Clone(d)
			d[40] ^= 1 // of the host's key
		}
		return d
	}
	start := m.now
	m.joined()
	require.True(t, edited)
	require.Less(t, m.now-start, 3000*ms)
}

func TestASessionRecordedBeforeCannotBePlayedAgain(t *testing.T) {
	m := meet(t, nil)
	var recorded [][]byte
	m.toHost = func(d []byte) []byte { recorded = append(recorded, bytes.Clone(d)); return d }
	m.joined()
	session := m.joins[0].Session
	requireOpens(t, session, recorded[len(recorded)-1], 0)
	for number := range int64(100) {
		d := m.seal()
		recorded = append(recorded, d)
		requireOpens(t, session, d, number+1)
	}
	for range 3 {
		for _, d := range recorded {
			if framing.Kind(d[0]) == handshake.KindSealed {
				_, _, drop := session.Open(nil, d, -1)
				require.Equal(t, framing.DropDuplicate, drop)
			} else {
				m.give(d)
			}
		}
	}
	require.Len(t, m.joins, 1)

	c := hostConfig(m.peers)
	c.Seed = [32]byte{88}
	m.host = m.newHost(c) // nor at the host after a restart
	for _, d := range recorded {
		m.give(d)
	}
	require.Len(t, m.joins, 1)
	require.Zero(t, m.host.Exchanges())
}
