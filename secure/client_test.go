package secure

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

func TestAClientJoinsInTwoRoundTrips(t *testing.T) {
	m := meet(t, nil)
	start := m.now
	joined, j := m.joined()
	require.Equal(t, map[framing.Kind]int{
		handshake.KindHello: 1, handshake.KindChallenge: 1, handshake.KindAuth: 1, handshake.KindSecureAccept: 1, handshake.KindSealed: 1,
	}, m.sent)
	require.Equal(t, 5*ms+250*ms, m.now-start, "five datagrams, and the wait after the last")
	require.Equal(t, 2*time.Millisecond, joined.RTT)
	require.Equal(t, 2*time.Millisecond, j.RTT)
	require.True(t, joined.Verified)
	require.Equal(t, ByKey, j.Identity.Kind)
	require.Equal(t, clientAddr, j.From)
	require.Zero(t, m.hostDrops)
	require.Zero(t, m.clientDrops)
}

func TestEachSideLearnsWhenTheOtherGivesUp(t *testing.T) {
	m := meet(t, func(h *HostConfig, c *ClientConfig) { h.Silence, c.Silence = 10*time.Second, 1500*time.Millisecond })
	joined, j := m.joined()
	require.Equal(t, 10*time.Second, joined.Silence)
	require.Equal(t, 1500*time.Millisecond, j.Silence)
}

func TestASessionCarriesPacketsBothWays(t *testing.T) {
	joined, j := meet(t, nil).joined()
	there := joined.Session.Seal(nil, []byte("there"), 100)
	packet, number, drop := j.Session.Open(nil, there, -1)
	require.Equal(t, framing.Accepted, drop)
	require.Equal(t, "there", string(packet))
	require.Equal(t, int64(100), number)

	packet, _, drop = joined.Session.Open(nil, j.Session.Seal(nil, []byte("back"), 0), -1)
	require.Equal(t, framing.Accepted, drop)
	require.Equal(t, "back", string(packet))
}

func TestAClientThatKnowsNoHostKeyTakesTheOneItGetsAndIsUnverified(t *testing.T) {
	m := meet(t, func(_ *HostConfig, c *ClientConfig) { c.HostKey = Key{} })
	joined, _ := m.joined()
	require.False(t, joined.Verified)
	require.Equal(t, m.host.Key(), joined.HostKey)
}

func TestAClientWithoutAStaticKeyMakesOneForTheDial(t *testing.T) {
	m := meet(t, func(_ *HostConfig, c *ClientConfig) { c.Static = Secret{} })
	_, j := m.joined()
	require.NotZero(t, j.Identity.Key)

	again := meet(t, func(_ *HostConfig, c *ClientConfig) { c.Static, c.Seed = Secret{}, [32]byte{99} })
	_, other := again.joined()
	require.NotEqual(t, j.Identity.Key, other.Identity.Key)
}

func TestAHostWithAnotherKeyIsNotJoined(t *testing.T) {
	m := meet(t, func(h *HostConfig, _ *ClientConfig) { h.Static = Secret{0x55} })
	err := m.failed()
	require.True(t, err.OtherKey)
	require.ErrorContains(t, err, "another key")
	require.Zero(t, m.sent[handshake.KindAuth], "nothing of the client goes to it")
	require.NotZero(t, m.clientDrops[framing.DropHostKey])
}

func TestADialWithoutAnAnswerEndsAfterItsTime(t *testing.T) {
	m := meet(t, func(_ *HostConfig, c *ClientConfig) { c.DialTimeout = 3 * time.Second })
	m.toHost = func([]byte) []byte { return nil }
	start := m.now
	require.Equal(t, &DialError{}, m.failed())
	require.GreaterOrEqual(t, m.now-start, 3000*ms)
	require.Less(t, m.now-start, 3100*ms)
	require.Equal(t, 12, m.sent[handshake.KindHello], "one every 250 ms")
	require.Equal(t, int64(never), m.client.NextDeadline())
	require.Empty(t, m.client.PollDatagram(m.now, nil))
}

func TestARefusalIsAHintThatDoesNotEndTheDial(t *testing.T) {
	m := meet(t, nil)
	refusal := handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: m.client.who, Code: handshake.RefusedFull})
	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, refusal))
	m.joined()

	m = meet(t, nil)
	m.toHost = func([]byte) []byte { return nil }
	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, refusal))
	require.ErrorContains(t, m.failed(), "refused: full")
}

func TestEachStepMayGetLostOrComeTwice(t *testing.T) {
	kinds := []framing.Kind{
		handshake.KindHello, handshake.KindChallenge, handshake.KindAuth, handshake.KindSecureAccept, handshake.KindSealed,
	}
	for _, kind := range kinds {
		for lost := range 4 {
			m := meet(t, nil)
			left := lost
			lose := func(d []byte) []byte {
				if framing.Kind(d[0]) == kind && left > 0 {
					left--
					return nil
				}
				return d
			}
			m.toHost, m.toClient = lose, lose
			m.joined()
			require.Zero(t, left)
			require.Empty(t, m.peers.free, "one peer id was taken")
			require.Equal(t, uint16(1), m.peers.next, "one peer id was taken")
		}
		m := meet(t, nil)
		m.toHost = func(d []byte) []byte {
			if framing.Kind(d[0]) == kind {
				m.give(d)
			}
			return d
		}
		m.joined()
		require.Equal(t, uint16(1), m.peers.next, "%s twice", handshake.Name(kind))
	}
}

func TestAHostThatIsRestartedInTheMiddleIsJoinedWithin3s(t *testing.T) {
	m := meet(t, nil)
	start := m.now
	restarted := false
	m.toHost = func(d []byte) []byte {
		if framing.Kind(d[0]) == handshake.KindAuth && !restarted {
			restarted = true
			c := hostConfig(m.peers)
			c.Seed = [32]byte{77}
			m.host = m.newHost(c)
		}
		return d
	}
	m.joined()
	require.NotZero(t, m.hostDrops[framing.DropCookie])
	require.Less(t, m.now-start, 3000*ms)
}

func TestAnAuthThatIsLostForLongIsMadeAnewWithAFreshCookie(t *testing.T) {
	m := meet(t, func(_ *HostConfig, c *ClientConfig) { c.DialTimeout = 30 * time.Second })
	start := m.now
	m.toHost = func(d []byte) []byte {
		if framing.Kind(d[0]) == handshake.KindAuth && m.now-start < 14_000*ms {
			return nil
		}
		return d
	}
	m.joined()
	require.Zero(t, m.hostDrops[framing.DropCookieOld])
}

func TestAClientBehindALongPathJoins(t *testing.T) {
	for _, delay := range []int64{0, 300, 1500, 2000} {
		requireJoinsOver(t, meet(t, func(_ *HostConfig, c *ClientConfig) { c.DialTimeout = 30 * time.Second }), delay*ms)
	}
}

// requireJoinsOver plays with a delay each way, datagrams overtaking nothing.
func requireJoinsOver(t *testing.T, m *meeting, delay int64) {
	type onWay struct {
		at     int64
		d      []byte
		toHost bool
	}
	var way []onWay
	for end := m.now + 30_000*ms; m.now < end && len(m.joins) == 0; m.now += 10 * ms {
		for d := m.client.PollDatagram(m.now, nil); len(d) > 0; d = m.client.PollDatagram(m.now, nil) {
			way = append(way, onWay{m.now + delay, d, true})
		}
		if joined, _ := m.client.Outcome(); joined != nil && m.number == 0 {
			way = append(way, onWay{m.now + delay, m.seal(), true})
		}
		for len(way) > 0 && way[0].at <= m.now {
			one := way[0]
			way = way[1:]
			if !one.toHost {
				m.client.HandleDatagram(m.now, one.d)
			} else if answer, _ := m.give(one.d); len(answer) > 0 {
				way = append(way, onWay{m.now + delay, answer, false})
			}
		}
	}
	require.Len(t, m.joins, 1, "over a delay of %d ms: host %v, client %v", delay/ms, m.hostDrops, m.clientDrops)
	m.requireSameView()
}

func TestJoinsSurviveLossInBursts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds(200) {
		m := meet(t, func(_ *HostConfig, c *ClientConfig) { c.DialTimeout = 30 * time.Second })
		burst := 0
		lose := func(d []byte) []byte {
			if burst == 0 && random.Uint64()%100 < 13 { // 13 % begin a burst of 3: about 30 % are lost
				burst = 3
			}
			if burst > 0 {
				burst--
				return nil
			}
			return d
		}
		m.toHost, m.toClient = lose, lose
		m.play()
		require.True(t, m.bothJoined(), "host %v, client %v", m.hostDrops, m.clientDrops)
		require.Len(t, m.joins, 1)
		m.requireSameView()
	}
}

func TestJoinsSurviveDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range rounds(200) {
		m := meet(t, func(_ *HostConfig, c *ClientConfig) {
			c.DialTimeout = 30 * time.Second
			if i%2 == 0 {
				c.HostKey = Key{}
			}
		})
		damage := func(d []byte) []byte {
			if random.Uint64()%100 < 30 {
				d = bytes.Clone(d)
				d[random.Uint64()%uint64(len(d))] ^= 1 << (random.Uint64() % 8)
			}
			return d
		}
		m.toHost, m.toClient = damage, damage
		m.joined()
	}
}

func TestDatagramsThatAClientDidNotAskForAreDropped(t *testing.T) {
	m := meet(t, nil)
	challenge := m.ask()
	other := bytes.Clone(challenge)
	other[5] ^= 1
	require.Equal(t, framing.DropEcho, m.client.HandleDatagram(m.now, other), "another random")
	other = bytes.Clone(challenge)
	other[1] ^= 1
	require.Equal(t, framing.DropEcho, m.client.HandleDatagram(m.now, other), "another client id")

	accept := append(handshake.AppendSecureAcceptHead(nil, m.client.who.ID), make([]byte, handshake.Message2Size)...)
	require.Equal(t, framing.DropEarly, m.client.HandleDatagram(m.now, accept))
	require.Equal(t, framing.DropEarly, m.client.HandleDatagram(m.now, append([]byte{13}, make([]byte, 40)...)))
	require.Equal(t, framing.DropEarly, m.client.HandleDatagram(m.now, append([]byte{14}, make([]byte, 20)...)))

	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, challenge))
	require.Equal(t, framing.DropEarly, m.client.HandleDatagram(m.now, accept), "no Auth has left yet")
	m.client.PollDatagram(m.now, nil)
	require.Equal(t, framing.DropNoise, m.client.HandleDatagram(m.now, accept))
	require.Equal(t, framing.DropDuplicate, m.client.HandleDatagram(m.now, challenge))
	accept[1] ^= 1
	require.Equal(t, framing.DropEcho, m.client.HandleDatagram(m.now, accept), "another client id")

	m.joined()
	require.Equal(t, framing.DropLateAccept, m.client.HandleDatagram(m.now, challenge))
	accept[1] ^= 1
	require.Equal(t, framing.DropLateAccept, m.client.HandleDatagram(m.now, accept))
	refusal := handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: m.client.who, Code: handshake.RefusedFull})
	require.Equal(t, framing.DropLateRefuse, m.client.HandleDatagram(m.now, refusal))
	refusal[5] ^= 1
	require.Equal(t, framing.DropEcho, m.client.HandleDatagram(m.now, refusal))
}

func TestMistakesInAConfigAreExplained(t *testing.T) {
	for want, change := range map[string]func(h *HostConfig, c *ClientConfig){
		"ClientConfig.Seed":          func(_ *HostConfig, c *ClientConfig) { c.Seed = [32]byte{} },
		"ClientConfig.Token has 513": func(_ *HostConfig, c *ClientConfig) { c.Token = make([]byte, 513) },
		"set both or none":           func(_ *HostConfig, c *ClientConfig) { c.PSK = Secret{1} },
		"ConnectData has 257":        func(_ *HostConfig, c *ClientConfig) { c.ConnectData = make([]byte, 257) },
		"must not be negative":       func(_ *HostConfig, c *ClientConfig) { c.DialTimeout = -1 },
		"HostConfig.Seed":            func(h *HostConfig, _ *ClientConfig) { h.Seed = [32]byte{} },
		"HostConfig.Static":          func(h *HostConfig, _ *ClientConfig) { h.Static = Secret{} },
		"HostConfig.Peers":           func(h *HostConfig, _ *ClientConfig) { h.Peers = nil },
		"RekeyAfter 0 to 2^24":       func(h *HostConfig, _ *ClientConfig) { h.RekeyAfter = 1<<24 + 1 },
		"a TokenKey has ID 0":        func(h *HostConfig, _ *ClientConfig) { h.TokenKeys = []TokenKey{{Key: Secret{1}}} },
		"a Key of zeros":             func(h *HostConfig, _ *ClientConfig) { h.TokenKeys = []TokenKey{{ID: 1}} },
		"the same ID":                func(h *HostConfig, _ *ClientConfig) { h.TokenKeys = []TokenKey{issuerKey, issuerKey} },
	} {
		h, c := hostConfig(&peers{}), clientConfig()
		change(&h, &c)
		_, err := NewHost(0, h)
		if err == nil {
			_, err = NewClient(0, c)
		}
		require.ErrorContains(t, err, want)
	}
	m := meet(t, nil)
	require.Error(t, m.host.SetTokenKeys(TokenKey{}))
	require.NoError(t, m.host.SetTokenKeys())
}

func TestOneSeedIsOneRun(t *testing.T) {
	run := func() (all [][]byte) {
		m := meet(t, nil)
		keep := func(d []byte) []byte { all = append(all, bytes.Clone(d)); return d }
		m.toHost, m.toClient = keep, keep
		m.joined()
		return all
	}
	require.Equal(t, run(), run())
}

var otherAddr = netip.MustParseAddrPort("198.51.100.9:40000")
