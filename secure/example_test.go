package secure_test

import (
	"fmt"
	"net/netip"

	"github.com/gannet-net/gannet/secure"
)

// table keeps the sessions of the host. A real one has more.
type table struct{ next uint16 }

func (t *table) TakePeerID(uint16) uint16 { t.next++; return t.next }
func (t *table) FreePeerID(uint16)        {}
func (t *table) HasSession(uint32) bool   { return false }

// A client joins a host whose key it knows. Seeds and keys come from crypto/rand outside of an example.
func Example() {
	static := secure.Secret{31: 1}
	host, err := secure.NewHost(0, secure.HostConfig{Seed: secure.Secret{2}, Static: static, Peers: new(table)})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := secure.NewClient(0, secure.ClientConfig{Seed: secure.Secret{3}, HostKey: static.Public()})
	if err != nil {
		fmt.Println(err)
		return
	}
	from := netip.MustParseAddrPort("192.0.2.1:4000")
	joined, err := client.Outcome()
	for joined == nil && err == nil {
		d := client.PollDatagram(0, nil)
		answer, drop := host.Handle(0, 1_800_000_000, nil, d, from)
		fmt.Printf("%d bytes there, %d back, %v\n", len(d), len(answer), drop)
		client.HandleDatagram(0, answer)
		joined, err = client.Outcome()
	}

	// The first packet tells the host that the client is really there.
	d := joined.Session.Seal(nil, []byte("a packet"), 0)
	host.Handle(0, 1_800_000_000, nil, d, from)
	if j, ok := host.Poll(); ok {
		packet, number, _ := j.Session.Open(nil, d, -1)
		fmt.Printf("peer %d, known by its %v, sealed packet %d: %s\n", j.PeerID, j.Identity.Kind, number, packet)
	}
	// Output:
	// 1200 bytes there, 65 back, accepted
	// 512 bytes there, 87 back, accepted
	// peer 1, known by its key, sealed packet 0: a packet
}
