package secure

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/testflag"
)

func TestAFloodOfHellosLeavesNothingBehind(t *testing.T) {
	m := meet(t, nil)
	d := handshake.AppendHello(nil, handshake.Asker{ID: 1})
	var answer []byte
	id := uint32(0)
	one := func() {
		id++
		m.now += 20_000 // 50,000 a second
		binary.LittleEndian.PutUint32(d[11:], id)
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(id >> 16), byte(id >> 8), byte(id)}), 4000)
		var drop framing.Drop
		if answer, drop = m.host.Handle(m.now, m.unix, answer[:0], d, from); drop != framing.Accepted || len(answer) != handshake.ChallengeSize {
			require.Fail(t, "no challenge", "%v", drop)
		}
	}
	one()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	hellos := 100_000
	if testflag.Long() {
		hellos = 1_000_000
	}
	for range hellos {
		one()
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.Mallocs-before.Mallocs, uint64(100), "in all Hellos together")
	require.Zero(t, m.peers.next, "no peer id")
	require.Empty(t, m.host.unconfirmed.rows)
	require.Zero(t, m.host.Exchanges())
	m.client = m.newClient(clientConfig())
	m.joined()
}

func TestAHostAnswersNoMoreStrangersThanItCanBear(t *testing.T) {
	m := meet(t, nil)
	d := handshake.AppendHello(nil, handshake.Asker{ID: 1})
	answered := 0
	for range 400_000 { // in one second
		m.now += 2500
		if answer, drop := m.host.Handle(m.now, m.unix, nil, d, clientAddr); drop == framing.Accepted && len(answer) > 0 {
			answered++
		} else {
			require.Equal(t, framing.DropRate, drop)
		}
	}
	require.InDelta(t, 110_000, answered, 10)
	m.now += 1000 * ms
	m.joined()
}

func TestBadAuthsCostNoPublicKeys(t *testing.T) {
	for want, spoil := range map[framing.Drop]func(d []byte) []byte{
		framing.DropCookie:    func(d []byte) []byte { d[30] ^= 1; return d },
		framing.DropCookieOld: func(d []byte) []byte { d[23] += 200; return d },
		framing.DropTokenKey:  func(d []byte) []byte { d[46] ^= 1; return d },
		framing.DropTokenAuth: func(d []byte) []byte { d[100] ^= 1; return d },
		framing.DropTokenSize: func(d []byte) []byte { d[44] = 0xFF; return d },
	} {
		m := meet(t, withToken(t, nil))
		d, wants := spoil(m.auth()), uint64(rounds(10_000))
		for range wants {
			m.now += 11_000 // 90,000 a second: as many as are looked at
			if _, drop := m.host.Handle(m.now, m.unix, nil, d, m.from); drop != want {
				require.Equal(t, want, drop)
			}
		}
		for range wants {
			m.host.Handle(m.now, m.unix, nil, d, m.from) // and more than that
		}
		require.Zero(t, m.host.Exchanges(), "%v", want)
	}
}

func TestAnAddressGetsFewExchangesASecond(t *testing.T) {
	needFastKeys(t)
	m := meet(t, nil)
	for i := range 200 { // in 10 s
		m.now += 50 * ms / 2
		c := clientConfig()
		c.Seed = [32]byte{byte(i), 1}
		m.client = m.newClient(c)
		m.give(m.auth())
	}
	require.InDelta(t, 20*5+5, float64(m.host.Exchanges()), 2)
	require.InDelta(t, 200-105, float64(m.hostDrops[framing.DropRate]), 2)

	m.from = netip.MustParseAddrPort("127.0.0.1:4000")
	for range 50 {
		m.give(m.auth2(t))
	}
	require.InDelta(t, 105+50, float64(m.host.Exchanges()), 2, "loopback has no budget of its own")
}

// auth2 is the Auth of a client that has not asked yet.
func (m *meeting) auth2(t *testing.T) []byte {
	c := clientConfig()
	c.Seed = [32]byte{byte(m.host.Exchanges()), 2}
	m.client = m.newClient(c)
	return m.auth()
}

func TestAHostComputesFewExchangesASecondInAll(t *testing.T) {
	needFastKeys(t)
	m := meet(t, nil)
	for i := range 300 {
		m.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 4000)
		c := clientConfig()
		c.Seed = [32]byte{byte(i), byte(i >> 8), 3}
		m.client = m.newClient(c)
		m.now += ms // 1000 a second
		m.give(m.auth())
	}
	require.InDelta(t, 0.3*500+100, float64(m.host.Exchanges()), 2)
}

// One customer may have 65,536 networks of IPv6, each with the budget of an address. The host has room for others all the same.
func TestAnIPv6SiteGetsAShareOfTheExchanges(t *testing.T) {
	needFastKeys(t)
	m := meet(t, nil)
	attempt := func(site, network byte) uint64 {
		before := m.host.Exchanges()
		m.from = netip.AddrPortFrom(netip.AddrFrom16([16]byte{0x20, 1, 0xD, 0xB8, 0, site, 0, network, 15: 1}), 4000)
		m.give(m.auth2(t))
		return m.host.Exchanges() - before
	}
	crowd, others := uint64(0), uint64(0)
	for i := range 1000 { // in one second
		m.now += ms
		crowd += attempt(1, byte(i))
		if i%10 == 0 {
			others += attempt(byte(2+i/10), 0)
		}
	}
	require.InDelta(t, 100+25, float64(crowd), 2)
	require.EqualValues(t, 100, others)
}

func TestAnUnconfirmedSessionEndsAndGivesItsPeerIDBack(t *testing.T) {
	m := meet(t, nil)
	m.give(m.auth())
	require.Len(t, m.host.unconfirmed.rows, 1)
	require.Equal(t, m.now+5000*ms, m.host.NextDeadline())

	m.now += 5000*ms - 1
	m.host.Tick(m.now)
	require.Empty(t, m.peers.free)
	m.now++
	m.host.Tick(m.now)
	require.Equal(t, []uint16{1}, m.peers.free)
	require.Empty(t, m.host.unconfirmed.rows)
	require.Equal(t, int64(never), m.host.NextDeadline())
}

func TestTheOldestUnconfirmedSessionMakesRoom(t *testing.T) {
	needFastKeys(t)
	m := meet(t, nil)
	for i := range maxUnconfirmed + 10 {
		m.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 4000)
		c := clientConfig()
		c.Seed, c.Static = [32]byte{byte(i), byte(i >> 8), 4}, Secret{byte(i), byte(i >> 8), 5}
		m.client = m.newClient(c)
		m.now += 3 * ms
		_, drop := m.give(m.auth())
		require.Equal(t, framing.Accepted, drop)
	}
	require.Len(t, m.host.unconfirmed.rows, maxUnconfirmed)
	require.Equal(t, []uint16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, m.peers.free)
}

// When everybody comes back at once, those who are through must not push out those who are not.
func TestSessionsThatAreConfirmedMakeRoomFirst(t *testing.T) {
	needFastKeys(t)
	m := meet(t, nil)
	accept, _ := m.give(m.auth())
	slow, from := m.client, m.from
	for i := range maxUnconfirmed + 50 {
		m.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 4000)
		c := clientConfig()
		c.Seed, c.Static = [32]byte{byte(i), byte(i >> 8), 4}, Secret{byte(i), byte(i >> 8), 5}
		m.client, m.number = m.newClient(c), 0
		m.now += 3 * ms
		answer, _ := m.give(m.auth())
		require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, answer))
		m.give(m.seal())
	}
	require.Len(t, m.host.unconfirmed.rows, maxUnconfirmed)
	m.client, m.from, m.number = slow, from, 0
	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, accept))
	_, drop := m.give(m.seal())
	require.Equal(t, framing.Accepted, drop)
	require.Len(t, m.joins, maxUnconfirmed+51)
}

func TestTheSameAuthGetsTheSameAnswer(t *testing.T) {
	m := meet(t, nil)
	d := m.auth()
	first, _ := m.give(d)
	for range 10 {
		m.now += 250 * ms
		again, drop := m.give(d)
		require.Equal(t, framing.Accepted, drop)
		require.Equal(t, first, again)
	}
	require.Equal(t, uint64(1), m.host.Exchanges())
	require.Equal(t, uint16(1), m.peers.next)
}

func TestANewAuthOfTheSameClientReplacesWhatIsUnconfirmed(t *testing.T) {
	m := meet(t, nil)
	m.give(m.auth())
	m.client.attempt = nil
	m.client.helloAt = m.now
	m.joined()
	require.Equal(t, []uint16{1}, m.peers.free)
	require.Len(t, m.host.unconfirmed.rows, 1, "what is left answers the same Auth")
}

func TestALateAuthReplacesNothing(t *testing.T) {
	m := meet(t, nil)
	late := m.auth()
	m.now += 3000 * ms // by now it is stale: the client sends a Hello beside it
	m.client.PollDatagram(m.now, nil)
	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, m.ask()))
	answer, _ := m.give(m.client.PollDatagram(m.now, nil))
	_, drop := m.give(late)
	require.Equal(t, framing.DropDuplicate, drop)

	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, answer))
	m.give(m.seal())
	require.Len(t, m.joins, 1)
	m.requireSameView()
}

func TestAnAuthRecordedBeforeDisturbsNoSession(t *testing.T) {
	m := meet(t, nil)
	var auth []byte
	m.toHost = func(d []byte) []byte {
		if framing.Kind(d[0]) == handshake.KindAuth {
			auth = bytes.Clone(d)
		}
		return d
	}
	m.joined()
	for range 40 { // for 10 s, after which its cookie is too old
		m.now += 251 * ms
		m.give(auth)
	}
	require.Len(t, m.joins, 1, "nobody confirms what nobody has the keys of")
	require.LessOrEqual(t, m.host.Exchanges(), uint64(3), "one more each time that an unconfirmed session ends")
	m.now += 1000 * ms
	_, drop := m.give(auth)
	require.Equal(t, framing.DropCookieOld, drop)
}

func TestOnlyAPacketThatOpensConfirmsASession(t *testing.T) {
	m := meet(t, nil)
	answer, _ := m.give(m.auth())
	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, answer))
	d := m.seal()
	for i := range d {
		forged := bytes.Clone(d)
		forged[i] ^= 1
		m.give(forged)
	}
	require.Empty(t, m.joins)

	m.from = netip.AddrPortFrom(clientAddr.Addr(), 1)
	_, drop := m.give(d)
	require.Equal(t, framing.DropNoPeer, drop, "from another port than that which was proved")
	require.Empty(t, m.joins)

	m.from = clientAddr
	_, drop = m.give(d)
	require.Equal(t, framing.Accepted, drop)
	require.Len(t, m.joins, 1)
	packet, _, drop := m.joins[0].Session.Open(nil, d, -1)
	require.Equal(t, framing.Accepted, drop, "what confirmed it is not opened yet")
	require.Len(t, packet, 8)
}

func TestAHostWithoutAFreePeerIDSaysThatItIsFull(t *testing.T) {
	m := meet(t, nil)
	m.peers.full = true
	require.ErrorContains(t, m.failed(), "refused: full")
	require.NotZero(t, m.hostDrops[framing.DropFull])
}

func TestAHostOfAnotherVersionSaysSo(t *testing.T) {
	m := meet(t, nil)
	d := m.client.PollDatagram(m.now, nil)
	d[10] = '2'
	answer, drop := m.give(d)
	require.Equal(t, framing.DropVersion, drop)
	require.Equal(t, handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: m.client.who, Code: handshake.RefusedVersion}), answer)
}

func TestTwoHostsDoNotTalkToEachOther(t *testing.T) {
	a := meet(t, nil)
	answers := [][]byte{a.ask()}
	a.now += 250 * ms
	auth, _ := a.give(a.auth())
	a.now += 6000 * ms
	reset, _ := a.give(append([]byte{13, 1, 2, 3, 4}, make([]byte, 60)...))
	d := handshake.AppendHello(nil, handshake.Asker{ID: 1})
	d[10] = '2'
	refusal, _ := a.give(d)
	b := meet(t, nil)
	for _, d := range append(answers, auth, reset, refusal) {
		require.NotEmpty(t, d)
		answer, drop := b.give(d)
		require.Equal(t, framing.DropDirection, drop)
		require.Empty(t, answer)
	}
}

func TestNoAnswerIsLargerThanWhatItAnswers(t *testing.T) {
	for name, unproved := range map[string][]byte{
		"hello":              handshake.AppendHello(nil, handshake.Asker{ID: 5}),
		"smallest sealed":    append([]byte{13, 1, 2, 3, 4}, make([]byte, 21)...),
		"largest sealed":     append([]byte{13, 1, 2, 3, 4}, make([]byte, 1195)...),
		"auth without proof": append(append([]byte{11, 8, 0}, "GANNET-1\x01"...), make([]byte, 600)...),
	} {
		m := meet(t, nil)
		sent, got := 0, 0
		for range 100 {
			m.now += ms
			answer, _ := m.give(unproved)
			sent, got = sent+len(answer), got+len(unproved)
		}
		require.LessOrEqual(t, sent, got, name)
		if name == "hello" {
			require.Equal(t, 100*handshake.ChallengeSize, sent)
		}
	}
	for kind := range 256 { // and any kind with any size
		m := meet(t, nil)
		for _, size := range []int{1, 2, 20, 21, 22, 26, 87, 512, 1199, 1200, 1201} {
			d := make([]byte, size)
			d[0] = byte(kind)
			m.give(d) // which checks it
		}
	}
}

func TestEveryDatagramEndsInTheCounterOfTheProtocol(t *testing.T) {
	zero := func(d []byte, i int) []byte { d[i] = 0; return d }
	cases := []struct {
		name  string
		setup func(h *HostConfig, c *ClientConfig)
		make  func(m *meeting) []byte
		drop  framing.Drop
		code  handshake.Code // of the answer, 0 for none
	}{
		{"auth from another address", nil, func(m *meeting) []byte { d := m.auth(); m.from = otherAddr; return d }, framing.DropCookie, 0},
		{"auth from another port", nil, func(m *meeting) []byte {
			d := m.auth()
			m.from = netip.AddrPortFrom(clientAddr.Addr(), 40001)
			return d
		}, framing.DropCookie, 0},
		{"auth 10 s after its cookie", nil, func(m *meeting) []byte { d := m.auth(); m.now += 10_000 * ms; return d }, framing.Accepted, 0},
		{"auth 11 s after its cookie", nil, func(m *meeting) []byte { d := m.auth(); m.now += 11_000 * ms; return d }, framing.DropCookieOld, 0},
		{"auth with another client id", nil, func(m *meeting) []byte { d := m.auth(); d[11] ^= 1; return d }, framing.DropCookie, 0},
		{"auth with another random", nil, func(m *meeting) []byte { d := m.auth(); d[15] ^= 1; return d }, framing.DropCookie, 0},
		{"auth of another version", nil, func(m *meeting) []byte { d := m.auth(); d[10] = '2'; return d }, framing.DropVersion, 0},
		{"auth with its message 1 changed", nil, func(m *meeting) []byte { d := m.auth(); d[200] ^= 1; return d }, framing.DropNoise, 0},
		{"auth with an ephemeral key of zeros", nil, func(m *meeting) []byte {
			d := m.auth()
			for i := range 32 {
				zero(d, handshake.AuthHead+i)
			}
			return d
		}, framing.DropNoise, 0},
		{"auth for another host key", func(_ *HostConfig, c *ClientConfig) { c.HostKey = Key{} }, func(m *meeting) []byte {
			challenge := m.ask()
			other := Secret{0x66}.Public()
			copy(challenge[handshake.ChallengeSize-32:], other[:])
			m.client.HandleDatagram(m.now, challenge)
			return m.client.PollDatagram(m.now, nil)
		}, framing.DropNoise, 0},
		{"auth with a payload that breaks its layout", nil, func(m *meeting) []byte { return m.authWith(make([]byte, 400)) }, framing.DropPayload, 0},
		{"no token where one is needed", func(h *HostConfig, _ *ClientConfig) { h.RequireToken = true }, (*meeting).auth, framing.DropTokenMissing, handshake.RefusedToken},
		{"sealed of nobody", nil, func(*meeting) []byte { return append([]byte{13, 1, 2, 3, 4}, make([]byte, 40)...) }, framing.DropNoPeer, 0},
		{"connect of the base protocol", nil, func(*meeting) []byte { return framing.AppendConnect(nil, framing.BaseVersion) }, framing.DropKind, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := meet(t, c.setup)
			answer, drop := m.give(c.make(m))
			require.Equal(t, c.drop, drop)
			if c.code != 0 {
				r, drop := handshake.ParseSecureRefuse(answer)
				require.Equal(t, framing.Accepted, drop)
				require.Equal(t, c.code, r.Code)
			}
		})
	}
}

// authWith is an Auth with any payload 1.
func (m *meeting) authWith(payload []byte) []byte {
	ch, drop := handshake.ParseChallenge(m.ask())
	require.Equal(m.t, framing.Accepted, drop)
	head := handshake.AppendAuthHead(nil, m.client.who, &ch.Cookie, nil)
	d, err := beginAsClient(newRandom(5), m.client.static, ch.HostKey, new(Secret), head).write(head, payload)
	require.NoError(m.t, err)
	return d
}

func TestAClockThatStandsStillOrGoesBackHarmsNothing(t *testing.T) {
	m := meet(t, nil)
	m.give(m.auth())
	m.now -= 500 * ms
	m.host.Tick(m.now)
	require.Len(t, m.host.unconfirmed.rows, 1)
	m.joined()
	require.Less(t, time.Duration(0), time.Duration(m.host.now))
}

func TestAHostPromisesAdmissionOnlyWhereNothingCanSpeakAgainstIt(t *testing.T) {
	for name, row := range map[string]struct {
		with     func(*HostConfig, *ClientConfig)
		admitted bool
	}{
		"nothing speaks against it":      {func(*HostConfig, *ClientConfig) {}, true},
		"a token of this client":         {withToken(t, nil), true},
		"a token that others may claim":  {withToken(t, func(_ *TokenKey, c *Claims) { c.Client = Key{} }), false},
		"the application decides":        {func(h *HostConfig, _ *ClientConfig) { h.Peers.(*peers).decides = true }, false},
		"fingerprints differ":            {func(h *HostConfig, c *ClientConfig) { h.Fingerprint, c.Fingerprint = [8]byte{1}, [8]byte{2} }, false},
		"the client has no fingerprint":  {func(h *HostConfig, _ *ClientConfig) { h.Fingerprint = [8]byte{1} }, true},
		"both have the same fingerprint": {func(h *HostConfig, c *ClientConfig) { h.Fingerprint, c.Fingerprint = [8]byte{1}, [8]byte{1} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			joined, _ := meet(t, func(h *HostConfig, c *ClientConfig) {
				h.Fingerprint, c.Fingerprint = [8]byte{}, [8]byte{}
				row.with(h, c)
			}).joined()
			require.Equal(t, row.admitted, joined.Admitted)
		})
	}
}
