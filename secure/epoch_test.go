package secure

import (
	"math/rand/v2"
	"testing"

	"github.com/flynn/noise"
	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// lossy lets both sides of a session seal packets, of which some get lost and others come late.
type lossy struct {
	t            testing.TB
	client, host *Session
	random       *rand.Rand
	loss         uint64 // per cent

	toClient, toHost int64 // next numbers
	late             []late
	sealed, opened   int64
	outage           int // packets that all get lost, as while an address changes
}

type late struct {
	to     *Session
	d      []byte
	number int64
	epoch  uint32
}

// step seals a packet on one side.
func (l *lossy) step() {
	one := late{to: l.host, number: l.toHost}
	if l.random.Uint64()%2 == 0 {
		one.to, one.number = l.client, l.toClient
		one.d, one.epoch = l.host.Seal(nil, []byte("x"), one.number), l.host.sealing.number
		l.toClient += 1 + int64(l.random.Uint64()%2)
	} else {
		one.d, one.epoch = l.client.Seal(nil, []byte("x"), one.number), l.client.sealing.number
		l.toHost++
	}
	l.sealed++
	switch {
	case l.outage > 0:
		l.outage--
	case l.random.Uint64()%100 < l.loss:
	case l.random.Uint64()%4 == 0:
		l.late = append(l.late, one)
	default:
		l.open(one)
	}
	if len(l.late) > 20 {
		i := l.random.Uint64() % 20
		l.open(l.late[i])
		l.late = append(l.late[:i], l.late[i+1:]...)
	}
}

func (l *lossy) open(one late) {
	_, number, drop := one.to.Open(nil, one.d, -1)
	if drop != framing.Accepted && (one.epoch+1 < one.to.opening || one.to.Highest()-one.number >= windowSpan) {
		return // so late that it counts as lost: two epochs have passed, or the window
	}
	if drop != framing.Accepted || number != one.number {
		require.Fail(l.t, "a genuine packet was dropped", "%v: epoch of host %d, of client %d", drop, l.host.sealing.number, l.client.sealing.number)
	}
	l.opened++
	if l.host.sealing.number-l.client.sealing.number > 1 {
		require.Fail(l.t, "the host is two epochs ahead")
	}
}

func TestNothingGenuineIsDroppedWhileEpochsChange(t *testing.T) {
	for loss := range uint64(4) {
		client, host := pair()
		host.limit = 64
		l := &lossy{t: t, client: client, host: host, random: rand.New(newRandom(byte(loss))), loss: 20 * loss}
		for range 20_000 {
			l.step()
		}
		require.Greater(t, host.sealing.number, uint32(80), "about one epoch each 64 packets that were counted")
		require.Greater(t, l.opened, 20_000*int64(90-20*loss)/100)
	}
}

func TestAnEpochEndsAfterSoMuchOrSoLong(t *testing.T) {
	for name, reach := range map[string]func(s *Session){
		"packets": func(s *Session) { s.sealing.packets = epochPackets - 1 },
		"bytes":   func(s *Session) { s.sealing.bytes = epochBytes - 1 },
		"time":    func(s *Session) { s.Tick(s.sealing.since + epochTime) },
	} {
		client, host := pair()
		requireOpens(t, host, client.Seal(nil, []byte("x"), 0), 0)
		requireOpens(t, client, host.Seal(nil, []byte("x"), 0), 0)
		reach(host)
		requireOpens(t, client, host.Seal(nil, []byte("x"), 1), 1)
		requireOpens(t, client, host.Seal(nil, []byte("x"), 2), 2)
		require.Equal(t, uint32(1), host.sealing.number, name)
		require.Equal(t, uint32(1), client.sealing.number, "the client follows")
		requireOpens(t, host, client.Seal(nil, []byte("x"), 1), 1)
		require.Equal(t, uint32(1), host.opening)
		require.Less(t, host.sealing.bytes, int64(100), "counting starts anew")
	}
}

func TestAHostWaitsUntilTheClientHasFollowed(t *testing.T) {
	client, host := pair()
	host.limit = 1
	for number := range int64(5) {
		host.Seal(nil, []byte("x"), number)
	}
	require.Zero(t, host.sealing.number, "nothing of the client came yet")

	requireOpens(t, host, client.Seal(nil, []byte("x"), 0), 0)
	for number := range int64(500) { // all lost
		host.Seal(nil, []byte("x"), 10+number)
	}
	require.Equal(t, uint32(1), host.sealing.number, "and then not a second time")
	requireOpens(t, host, client.Seal(nil, []byte("x"), 1), 1)
	requireOpens(t, client, host.Seal(nil, []byte("x"), 1000), 1000)
}

func TestAClientNeverBeginsAnEpoch(t *testing.T) {
	client, host := pair()
	client.limit = 1
	requireOpens(t, client, host.Seal(nil, []byte("x"), 0), 0)
	for number := range int64(10) {
		requireOpens(t, host, client.Seal(nil, []byte("x"), number), number)
	}
	require.Zero(t, client.sealing.number)
}

func TestPacketsOfTheEpochBeforeOpenUntilTheWindowHasLeftThem(t *testing.T) {
	client, host := pair()
	requireOpens(t, host, client.Seal(nil, []byte("x"), 0), 0)
	late := [][]byte{client.Seal(nil, []byte("x"), 1), client.Seal(nil, []byte("x"), 2)}
	host.sealing.packets = epochPackets
	requireOpens(t, client, host.Seal(nil, []byte("x"), 0), 0)
	requireOpens(t, host, client.Seal(nil, []byte("x"), 3), 3)
	require.NotNil(t, host.before)

	requireOpens(t, host, late[0], 1)
	requireOpens(t, host, client.Seal(nil, []byte("x"), 3+1023), 3+1023)
	require.Nil(t, host.before, "nothing can come under it any more")
	requireDrops(t, framing.DropEpoch, host, late[1])
}

func TestTheEpochBeforeIsOfNoUseForNewNumbers(t *testing.T) {
	client, host := pair()
	thief, _ := pair() // who has the key of epoch 0
	requireOpens(t, host, client.Seal(nil, []byte("x"), 0), 0)
	host.sealing.packets = epochPackets
	requireOpens(t, client, host.Seal(nil, []byte("x"), 0), 0)
	requireOpens(t, host, client.Seal(nil, []byte("x"), 3), 3)
	requireDrops(t, framing.DropEpoch, host, thief.Seal(nil, []byte("x"), 4))
}

func TestTheKeyOfTheNextEpochIsThatOfNoise(t *testing.T) {
	client, _ := pair()
	state := noiseState(testKeys.toHost)
	next := newAESGCM(&testKeys.toHost)
	for range 3 {
		state.Rekey()
		next = client.after(next)
		key := Secret(state.UnsafeKey())
		nonce := make([]byte, 12)
		require.Equal(t, newAESGCM(&key).Seal(nil, nonce, []byte("x"), nil), next.Seal(nil, nonce, []byte("x"), nil))
	}
}

// noiseState is the cipher state that Noise has after Split.
func noiseState(key Secret) *noise.CipherState {
	return noise.UnsafeNewCipherState(suite(noise.DH25519), key, 0)
}
