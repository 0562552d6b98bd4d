package udp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
)

// easy is a host that takes everybody.
type easy struct{}

func (easy) TakePeerID(uint16) uint16                          { return 1 }
func (easy) FreePeerID(uint16)                                 {}
func (easy) HasSession(uint32) bool                            { return false }
func (easy) Admits(netip.AddrPort, *secure.Identity, int) bool { return true }

func TestAClientIsNotInThoughAHostWithAnotherCatalogueSaysSo(t *testing.T) {
	now := int64(0)
	host, err := secure.NewHost(0, secure.HostConfig{Seed: secure.Secret{1}, Static: secure.Secret{2}, Peers: easy{}})
	require.NoError(t, err)
	c, err := Config{
		Driving: GameLoop, Socket: new(mute), Clock: func() int64 { return now }, UnixTime: func() int64 { return 1 },
		Catalogue: transport.Catalogue{Fingerprint: [8]byte{1}, Description: "mine", Explain: func(string) error { return nil }},
	}.check()
	require.NoError(t, err)
	e, err := newEngine(c, framing.Client, "", "")
	require.NoError(t, err)
	conn := e.ask("host", []netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:7000")})

	client, from := conn.session.client, netip.MustParseAddrPort("192.0.2.2:4000")
	for joined, _ := client.Outcome(); joined == nil; joined, _ = client.Outcome() {
		d := client.PollDatagram(now, nil)
		answer, drop := host.Handle(now, 0, nil, d, from)
		require.Equal(t, framing.Accepted, drop)
		require.Equal(t, framing.Accepted, client.HandleDatagram(now, answer))
	}
	joined, _ := client.Outcome()
	require.True(t, joined.Admitted)
	joined.Fingerprint = [8]byte{2} // which a host of this library does not say together
	e.enter()
	e.settle(e.joined(conn))
	e.leave()
	_, ok := conn.Next()
	require.False(t, ok)
	require.Equal(t, transport.ErrNotConnected, conn.Send(nil, transport.SendOptions{}))
	now += int64(6 * time.Second)
	conn.Poll()
	ev, ok := conn.Next()
	for end := now + int64(5*time.Second); !ok && now < end; ev, ok = conn.Next() {
		now += int64(100 * time.Millisecond)
		conn.Poll()
	}
	require.Equal(t, transport.DialFailed, ev.Kind)
	require.ErrorAs(t, ev.Err, new(*transport.CatalogueError))
}
