package secure

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

const (
	ms     = int64(time.Millisecond)
	epoch0 = int64(1_800_000_000) // Unix seconds when the tests play
)

var clientAddr = netip.MustParseAddrPort("203.0.113.7:40000")

func newRandom(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// peers keeps the sessions of a host in a test.
type peers struct {
	next uint16
	free []uint16
	live map[uint32]bool
	full bool
	// decides is whether it judges clients whose sessions were confirmed
	decides bool
}

func (p *peers) TakePeerID(wanted uint16) uint16 {
	if p.full {
		return 0
	}
	if i := slices.Index(p.free, wanted); i >= 0 {
		p.free = slices.Delete(p.free, i, i+1)
		return wanted
	}
	p.next++
	return p.next
}

func (p *peers) FreePeerID(id uint16)      { p.free = append(p.free, id) }
func (p *peers) HasSession(id uint32) bool { return p.live[id] }

func (p *peers) Admits(netip.AddrPort, *Identity, int) bool { return !p.decides }

// meeting is a host and a client with nothing between them but the test. Time jumps from deadline to deadline; a datagram takes a
// millisecond.
type meeting struct {
	t    testing.TB
	now  int64
	unix int64

	peers  *peers
	host   *Host
	client *Client
	from   netip.AddrPort

	toHost, toClient func(d []byte) []byte // what becomes of a datagram on its way; nil is lost
	hostDrops        framing.Drops
	clientDrops      framing.Drops
	sent             map[framing.Kind]int

	joins  []Join
	number int64 // of the client's next packet
}

var (
	hostStatic   = Secret{0: 0xA0, 31: 1}
	clientStatic = Secret{0: 0xC0, 31: 2}
	issuerKey    = TokenKey{ID: 7, Key: Secret{0: 0x70, 31: 3}}
	hostName     = [16]byte([]byte("lobby 17........"))
)

func hostConfig(p Peers) HostConfig {
	return HostConfig{Seed: [32]byte{1}, Static: hostStatic, Peers: p, Name: hostName, TokenKeys: []TokenKey{issuerKey}, Fingerprint: [8]byte{0xF0}}
}

func clientConfig() ClientConfig {
	return ClientConfig{Seed: [32]byte{2}, Static: clientStatic, HostKey: hostStatic.Public(), ConnectData: []byte("data"), Fingerprint: [8]byte{0xF1}}
}

// needFastKeys skips a test of thousands of key exchanges where a processor is emulated.
func needFastKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of key exchanges: not with -short")
	}
}

// rounds is how often a test tries something that is slow where a processor is emulated: n times, or a tenth of that with -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// meet makes a meeting. change may be nil.
func meet(t testing.TB, change func(h *HostConfig, c *ClientConfig)) *meeting {
	p := &peers{live: map[uint32]bool{}}
	h, c := hostConfig(p), clientConfig()
	if change != nil {
		change(&h, &c)
	}
	pass := func(d []byte) []byte { return d }
	m := &meeting{
		t: t, now: 1_000_000 * ms, unix: epoch0, peers: p, from: clientAddr,
		toHost: pass, toClient: pass, sent: map[framing.Kind]int{},
	}
	m.host = m.newHost(h)
	m.client = m.newClient(c)
	return m
}

func (m *meeting) newHost(c HostConfig) *Host {
	h, err := NewHost(m.now, c)
	require.NoError(m.t, err)
	return h
}

func (m *meeting) newClient(c ClientConfig) *Client {
	k, err := NewClient(m.now, c)
	require.NoError(m.t, err)
	return k
}

// give hands a datagram to the host and gives its answer and what became of it.
func (m *meeting) give(d []byte) ([]byte, framing.Drop) {
	answer, drop := m.host.Handle(m.now, m.unix, nil, d, m.from)
	require.LessOrEqual(m.t, len(answer), len(d), "no answer is larger than what it answers")
	m.hostDrops.Count(drop)
	for j, ok := m.host.Poll(); ok; j, ok = m.host.Poll() {
		m.peers.live[j.Session.ID()] = true
		m.joins = append(m.joins, j)
	}
	return answer, drop
}

// carry takes a datagram of the client to the host, and the answer back.
func (m *meeting) carry(d []byte) {
	m.sent[framing.Kind(d[0])]++
	m.now += ms
	if d = m.toHost(d); d == nil {
		return
	}
	answer, _ := m.give(d)
	if len(answer) == 0 {
		return
	}
	m.sent[framing.Kind(answer[0])]++
	m.now += ms
	if answer = m.toClient(answer); answer != nil {
		m.clientDrops.Count(m.client.HandleDatagram(m.now, answer))
	}
}

// play runs until both sides have the session, the client gives up, or a minute is over. A client that joined seals a packet every 250 ms.
func (m *meeting) play() *meeting {
	for end := m.now + 60_000*ms; m.now < end && !m.bothJoined(); {
		for d := m.client.PollDatagram(m.now, nil); len(d) > 0; d = m.client.PollDatagram(m.now, nil) {
			m.carry(d)
		}
		switch joined, err := m.client.Outcome(); {
		case err != nil:
			return m
		case joined != nil:
			m.carry(m.seal())
			m.now += 250 * ms
		default:
			m.now = max(m.now, m.client.NextDeadline())
		}
		m.host.Tick(m.now)
	}
	return m
}

func (m *meeting) bothJoined() bool {
	joined, _ := m.client.Outcome()
	return joined != nil && len(m.joins) > 0
}

// seal makes the client's next packet.
func (m *meeting) seal() []byte {
	joined, _ := m.client.Outcome()
	m.number++
	return joined.Session.Seal(nil, binary.LittleEndian.AppendUint64(nil, uint64(m.number)), m.number-1)
}

// joined plays and requires that both sides have the same session.
func (m *meeting) joined() (*Joined, *Join) {
	m.play()
	joined, err := m.client.Outcome()
	require.NoError(m.t, err, "host dropped %v, client %v", m.hostDrops, m.clientDrops)
	require.NotNil(m.t, joined)
	require.Len(m.t, m.joins, 1)
	m.requireSameView()
	return joined, &m.joins[0]
}

// requireSameView fails the test unless what the two sides believe of their session is the same.
func (m *meeting) requireSameView() {
	joined, _ := m.client.Outcome()
	j := &m.joins[len(m.joins)-1]
	require.Equal(m.t, joined.Session.Binding(), j.Session.Binding())
	require.Equal(m.t, joined.Session.remote, j.Session.local)
	require.Equal(m.t, joined.Session.local, j.Session.remote)
	require.Equal(m.t, joined.PeerID, j.PeerID)
	require.Equal(m.t, m.host.Key(), joined.HostKey)
	require.Equal(m.t, m.client.cfg.Static.Public(), j.Identity.Key)
	require.Equal(m.t, m.client.cfg.ConnectData, j.ConnectData)
	require.Equal(m.t, m.client.cfg.Fingerprint, j.Fingerprint)
	require.Equal(m.t, m.host.cfg.Fingerprint, joined.Fingerprint)
}

// failed plays and gives the error with which the client gave up.
func (m *meeting) failed() *DialError {
	m.play()
	var err *DialError
	_, outcome := m.client.Outcome()
	require.ErrorAs(m.t, outcome, &err)
	require.Empty(m.t, m.joins)
	return err
}

// ask gives the client's Hello to the host and gives the Challenge.
func (m *meeting) ask() []byte {
	answer, drop := m.give(m.client.PollDatagram(m.now, nil))
	require.Equal(m.t, framing.Accepted, drop)
	require.Len(m.t, answer, handshake.ChallengeSize)
	return answer
}

// auth takes the client to its Auth.
func (m *meeting) auth() []byte {
	require.Equal(m.t, framing.Accepted, m.client.HandleDatagram(m.now, m.ask()))
	d := m.client.PollDatagram(m.now, nil)
	require.Equal(m.t, byte(handshake.KindAuth), d[0])
	return d
}

// withToken changes a meeting to one where the client has a token. claims may be nil.
func withToken(t testing.TB, change func(k *TokenKey, c *Claims)) func(*HostConfig, *ClientConfig) {
	key, claims := issuerKey, Claims{
		Host: hostName, Player: [16]byte([]byte("player 1........")), Roles: 5, Issued: epoch0, Expires: epoch0 + 60,
		Client: clientStatic.Public(), UserData: []byte("user data"),
	}
	if change != nil {
		change(&key, &claims)
	}
	token, psk, err := key.Issue(newRandom(9), claims)
	require.NoError(t, err)
	return func(_ *HostConfig, c *ClientConfig) { c.Token, c.PSK = token, psk }
}
