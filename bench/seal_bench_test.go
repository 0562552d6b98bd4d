package bench

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/secure"
)

// onePeer keeps the one session of a host.
type onePeer struct{}

func (onePeer) TakePeerID(uint16) uint16                          { return 1 }
func (onePeer) FreePeerID(uint16)                                 {}
func (onePeer) HasSession(uint32) bool                            { return false }
func (onePeer) Admits(netip.AddrPort, *secure.Identity, int) bool { return true }

// sealers are the two sides of a session.
func sealers(tb testing.TB) (client, host *secure.Session) {
	h, err := secure.NewHost(0, secure.HostConfig{Seed: secure.Secret{1}, Static: townKey, Peers: onePeer{}})
	require.NoError(tb, err)
	c, err := secure.NewClient(0, secure.ClientConfig{Seed: secure.Secret{2}, HostKey: townKey.Public()})
	require.NoError(tb, err)
	joined := (*secure.Joined)(nil)
	for joined == nil {
		answer, drop := h.Handle(0, townUnix, nil, c.PollDatagram(0, nil), addressOf(0))
		require.Equal(tb, framing.Accepted, drop)
		require.Equal(tb, framing.Accepted, c.HandleDatagram(0, answer))
		joined, err = c.Outcome()
		require.NoError(tb, err)
	}
	h.Handle(0, townUnix, nil, joined.Session.Seal(nil, []byte{0}, 0), addressOf(0))
	j, ok := h.Poll()
	require.True(tb, ok)
	return joined.Session, j.Session
}

// sealing seals a packet at one side and opens it at the other, again and again.
func sealing(tb testing.TB, size int) func() {
	client, host := sealers(tb)
	packet, d, plain := make([]byte, size), make([]byte, 0, framing.MaxDatagram), make([]byte, 0, framing.MaxDatagram)
	number := int64(0)
	return func() {
		number++
		d = client.Seal(d[:0], packet, number)
		if _, _, drop := host.Open(plain, d, -1); drop != framing.Accepted {
			tb.Fatal(drop)
		}
	}
}

// What the seal of a packet costs both sides. x-bare is that over what the cipher takes by itself, measured in turns.
func BenchmarkSealAndOpen(b *testing.B) {
	for _, size := range sealedSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ours, bare := sealing(b, size), bareCipher(b, size)
			const turn = 100
			var spent, spentBare stopwatch.Watch
			b.ReportAllocs()
			for b.Loop() {
				spent.Time(turn, ours)
				spentBare.Time(turn, bare)
			}
			b.ReportMetric(spent.Per(float64(b.N*turn)), "ns/op")
			b.ReportMetric(float64(spent.Total())/float64(spentBare.Total()), "x-bare")
		})
	}
}
