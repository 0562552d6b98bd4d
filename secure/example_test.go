package secure_test

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gannet-net/gannet/secure"
)

// table keeps the sessions of the host. A real one has more.
type table struct{ next uint16 }

func (t *table) TakePeerID(uint16) uint16 { t.next++; return t.next }
func (t *table) FreePeerID(uint16)        {}
func (t *table) HasSession(uint32) bool   { return false }

func (t *table) Admits(netip.AddrPort, *secure.Identity, int) bool { return true }

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
	// 512 bytes there, 88 back, accepted
	// peer 1, known by its key, sealed packet 0: a packet
}

// A host that players invite to has a code that they paste.
func ExampleInvite() {
	static := secure.Secret{31: 1}
	code := secure.Invite{HostKey: static.Public(), Addresses: []string{"play.example.org:7777"}}.String()
	fmt.Println(code)

	invite, err := secure.ParseInvite(code)
	fmt.Println(invite.HostKey.Fingerprint(), invite.Addresses, err)
	_, err = secure.ParseInvite(strings.Replace(code, "7777", "7778", 1))
	fmt.Println(err)
	// Output:
	// gannet-invite1:7uzyjyjsvubkk3dy6rkup3saaog4peacxegst3mq4cho45rk44ktkiewwu@play.example.org:7777
	// 5uyhg-epbze-fepjo-uf3m4 [play.example.org:7777] <nil>
	// secure: a character of an invite code is wrong or missing: copy the line again
}

// A matchmaker lets a player in for a minute. What it hands over is one line, which nobody else may see.
func ExampleTokenKey_IssuePass() {
	key := secure.TokenKey{ID: 1, Key: secure.Secret{7}} // from a file that hosts have too
	host := secure.Invite{HostKey: secure.Secret{31: 1}.Public(), Addresses: []string{"play.example.org:7777"}}
	now := int64(1_800_000_000)
	pass, err := key.IssuePass(rand.Reader, host, secure.Claims{Player: [16]byte{1: 42}, Issued: now, Expires: now + 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	line := pass.Reveal()

	// The client puts what it reads into its configuration: HostKey, Token, PSK.
	got, err := secure.ParsePass(line)
	fmt.Println(got, got.Addresses[0], len(got.Token), err)
	claims, err := key.Open(got.Token)
	fmt.Println(claims.Player[1], claims.Expires-claims.Issued, err)
	// Output:
	// (secret) play.example.org:7777 161 <nil>
	// 42 60 <nil>
}
