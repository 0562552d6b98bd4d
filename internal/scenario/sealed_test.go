package scenario

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	sealing "github.com/gannet-net/gannet/secure"
)

// onePeer has room for one client.
type onePeer struct{}

func (onePeer) TakePeerID(uint16) uint16 { return 1 }
func (onePeer) FreePeerID(uint16)        {}
func (onePeer) HasSession(uint32) bool   { return false }

func (onePeer) Admits(netip.AddrPort, *sealing.Identity, int) bool { return true }

// connect runs a handshake, after which the host begins an epoch every so many packets, and makes the endpoints of both sides. The first message
// of the client confirms the session.
func (l *sealedLink) connect(epoch int64) {
	static := sealing.Secret{31: 1}
	host, err := sealing.NewHost(0, sealing.HostConfig{Seed: sealing.Secret{2}, Static: static, Peers: onePeer{}, RekeyAfter: epoch})
	require.NoError(l.t, err)
	client, err := sealing.NewClient(0, sealing.ClientConfig{Seed: sealing.Secret{3}, HostKey: static.Public()})
	require.NoError(l.t, err)
	from := netip.MustParseAddrPort("192.0.2.1:4000")
	give := func(d []byte) []byte {
		answer, drop := host.Handle(0, 0, nil, d, from)
		require.Equal(l.t, framing.Accepted, drop)
		return answer
	}
	for range 2 {
		require.Equal(l.t, framing.Accepted, client.HandleDatagram(0, give(client.PollDatagram(0, nil))))
	}
	joined, err := client.Outcome()
	require.NoError(l.t, err)

	l.ends[0] = reliable.New(0, reliable.Config{Role: framing.Client, PeerID: joined.PeerID, Sealer: joined.Session, Seed: [32]byte{4}})
	l.seals[0] = joined.Session
	l.send(0, 0)
	first := l.ends[0].PollDatagram(0, nil)
	give(first)
	join, ok := host.Poll()
	require.True(l.t, ok)
	l.seals[1] = join.Session
	l.ends[1] = reliable.New(0, reliable.Config{Role: framing.Host, PeerID: join.PeerID, Sealer: join.Session, Seed: [32]byte{5}})
	require.Equal(l.t, framing.Accepted, l.ends[1].HandleDatagram(0, first))
	l.send(1, 0)
}

func (l *sealedLink) send(i, n int) {
	require.NoError(l.t, l.ends[i].Send(l.now, []byte(fmt.Sprint(n)), reliable.SendOptions{Mode: reliable.ReliableOrdered}))
}

// sealedLink is two endpoints on a link with a delay of 20 ms that loses 30 of 100 datagrams each way, and keeps all for somebody who plays them again.
type sealedLink struct {
	t      *testing.T
	now    int64
	ends   [2]*reliable.Endpoint
	seals  [2]*sealing.Session
	air    [2][][]byte // on the way to each end
	old    [2][][]byte
	random *rand.Rand
	got    [2]int
	epochs int
	bits   byte
}

func (l *sealedLink) step() {
	var leaving [2][][]byte
	for i, end := range l.ends {
		for d := end.PollDatagram(l.now, nil); len(d) > 0; d = end.PollDatagram(l.now, nil) {
			leaving[1-i] = append(leaving[1-i], d)
			if bits := d[8] >> 6; i == 1 && bits != l.bits {
				l.bits = bits
				l.epochs++
			}
		}
	}
	l.now += 20 * int64(time.Millisecond)
	for i, end := range l.ends {
		for _, d := range l.air[i] {
			l.old[i] = append(l.old[i], d)
			if l.random.Uint64()%100 >= 30 {
				end.HandleDatagram(l.now, d)
			}
		}
		for range min(len(l.old[i]), 3) {
			end.HandleDatagram(l.now, l.old[i][l.random.Uint64()%uint64(len(l.old[i]))])
		}
		l.air[i] = leaving[i]
		l.take(i, end)
	}
}

// take requires that the messages at one end come in order, each once.
func (l *sealedLink) take(i int, end *reliable.Endpoint) {
	for ev, ok := end.PollEvent(); ok; ev, ok = end.PollEvent() {
		switch ev.Kind {
		case reliable.EventMessage:
			require.Equal(l.t, fmt.Sprint(l.got[i]), string(ev.Payload))
			l.got[i]++
			end.Recycle(ev.Payload)
		case reliable.EventDisconnected:
			require.Fail(l.t, "disconnected", "%v", ev)
		}
	}
}

func TestNoReliableMessageIsLostWhileKeysChangeUnderLoss(t *testing.T) {
	l := &sealedLink{t: t, random: rand.New(rand.NewPCG(1, 7))}
	l.connect(64)
	const messages = 3000
	for n := 1; n < messages; n++ {
		l.send(0, n)
		l.send(1, n)
		l.step()
	}
	for range 500 {
		l.step()
	}
	require.Equal(t, [2]int{messages, messages}, l.got)
	require.Greater(t, l.epochs, 50)
	require.NotZero(t, l.ends[0].Stats().Drops[framing.DropDuplicate], "what was played again")
}
