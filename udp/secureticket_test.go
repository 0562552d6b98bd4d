package udp_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/udp"
)

var (
	hostName  = [16]byte([]byte("lobby 17........"))
	issuerKey = secure.TokenKey{ID: 7, Key: secure.Secret{0: 0x70, 31: 3}}
	ada       = [16]byte([]byte("ada............."))
)

// gated is a host that takes nobody without a token.
func gated() udp.Config {
	c := keyed()
	c.Name, c.TokenKeys, c.RequireToken = hostName, []secure.TokenKey{issuerKey}, true
	return c
}

// issue gives a client a token for the gated host. change may be nil.
func issue(t *testing.T, change func(*secure.Claims)) udp.Config {
	claims := secure.Claims{Host: hostName, Player: ada, Roles: 5, Issued: epoch, Expires: epoch + 60, Client: clientKey.Public(), UserData: []byte("red team")}
	if change != nil {
		change(&claims)
	}
	token, psk, err := issuerKey.Issue(randomness(9), claims)
	require.NoError(t, err)
	return udp.Config{ClientKey: clientKey, Token: token, PSK: psk}
}

func TestAConnectTokenSaysWhoComes(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(gated())
	c := w.client("ada", h, issue(t, nil))
	w.run(time.Second)
	c.wants("1 connected")
	require.True(t, c.conn.HostVerified(), "only who opens the token has its psk")
	require.Equal(t, secure.Identity{
		Kind: secure.ByToken, Key: clientKey.Public(), Player: ada, Roles: 5, Expires: epoch + 60, UserData: []byte("red team"),
	}, h.host.Find(c.conn.LocalAddr()).Identity())
}

func TestATokenThatIsNoGoodLetsNobodyIn(t *testing.T) {
	stolen := func(c udp.Config) udp.Config {
		c.ClientKey = secure.Secret{66}
		return c
	}
	for _, row := range []struct {
		what   string
		client udp.Config
		drop   framing.Drop
		says   string
	}{
		{"none", knows(), framing.DropTokenMissing, "the host refused: token"},
		{"expired", issue(t, func(c *secure.Claims) { c.Expires = epoch - 31 }), framing.DropTokenExpired, "the host refused: expired"},
		{"for another host", issue(t, func(c *secure.Claims) { c.Host[0]++ }), framing.DropTokenHost, "opened no session"},
		{"stolen", stolen(issue(t, nil)), framing.DropTokenClient, "opened no session"},
	} {
		t.Run(row.what, func(t *testing.T) {
			w := newSecureWorld(t)
			h := w.host(gated())
			c := w.client("client", h, row.client)
			w.run(11 * time.Second)
			require.Len(t, c.errs, 1)
			require.ErrorContains(t, c.errs[0], row.says)
			require.Positive(t, h.drops(row.drop))
			require.Empty(t, h.log)
		})
	}
}

func TestATokenIsGoodForOneClient(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(gated())
	shared := issue(t, func(c *secure.Claims) { c.Client = secure.Key{} })
	first := w.client("first", h, shared)
	w.run(time.Second)
	first.wants("1 connected")
	thief := shared
	thief.ClientKey = secure.Secret{66}
	second := w.client("second", h, thief)
	w.run(11 * time.Second)
	require.ErrorContains(t, second.errs[0], "opened no session")
	require.Positive(t, h.drops(framing.DropTokenUsed))
	h.wants("1 connected")
}

func TestAPlayerTakesOverWithAnotherTokenAndAnotherKey(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(gated())
	w.client("laptop", h, issue(t, nil))
	w.run(time.Second)
	phone := issue(t, func(c *secure.Claims) { c.Client = secure.Secret{44}.Public() })
	phone.ClientKey = secure.Secret{44}
	w.client("phone", h, phone)
	w.run(time.Second)
	h.wants("1 connected", "1 disconnected: connection replaced by a newer one of the same player", "2 connected")
}

func TestAClientWithATicketComesBackToARestartedHost(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(gated())
	w.client("first", h, issue(t, func(c *secure.Claims) { c.Player[0]++ }))
	w.run(time.Second)
	c := w.client("ada", h, issue(t, nil))
	w.run(time.Second)
	c.wants("2 connected")
	h = w.restart(h, gated())
	w.run(2 * time.Minute)
	c.wants("2 disconnected: connection forgotten by the host, which was restarted")

	ticket, ok := c.conn.Ticket()
	require.True(t, ok)
	back := w.client("back", h, udp.Config{Resume: &ticket})
	w.run(time.Second)
	back.wants("2 connected")
	who := h.host.Find(back.conn.LocalAddr()).Identity()
	require.Equal(t, ada, who.Player)
	require.Equal(t, uint16(2), who.Resumed)
	require.True(t, back.conn.HostVerified())
}

func TestAClientThatCrashedComesBackWithTheBytesOfItsTicket(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("crashed", h, udp.Config{})
	w.run(time.Second)
	ticket, ok := c.conn.Ticket()
	require.True(t, ok)
	kept, err := ticket.MarshalBinary()
	require.NoError(t, err)
	c.node.Kill()

	var read udp.Ticket
	require.NoError(t, read.UnmarshalBinary(kept))
	require.Equal(t, ticket, read)
	back := w.client("back", h, udp.Config{Resume: &read})
	w.run(time.Second)
	back.wants("2 connected")
	h.wants("1 connected", "1 disconnected: connection replaced by a newer one of the same player", "2 connected")
	require.False(t, back.conn.HostVerified(), "nobody knew it before")
	require.Error(t, read.UnmarshalBinary(nil))
	require.Error(t, read.UnmarshalBinary(make([]byte, 300)))
	require.Equal(t, "(secret) (secret)", fmt.Sprintf("%v %#v", read, &read))
}

func TestATicketWithoutItsKeysIsAnErrorAndNoPanic(t *testing.T) {
	w := newSecureWorld(t)
	c := w.client("client", w.host(keyed()), knows())
	w.run(time.Second)
	ticket, ok := c.conn.Ticket()
	require.True(t, ok)
	kept, err := ticket.MarshalBinary()
	require.NoError(t, err)
	for _, at := range []int{2, 34, 66} { // of the key of the host, that of the client, and the psk
		damaged := slices.Clone(kept)
		clear(damaged[at : at+32])
		var read udp.Ticket
		require.ErrorContains(t, read.UnmarshalBinary(damaged), "damaged")
		_, err = udp.Dial(t.Context(), "127.0.0.1:1", udp.Config{Driving: udp.GameLoop, Resume: &read})
		require.ErrorContains(t, err, "Config.Resume")
	}
}

func TestATicketOfARogueHostThatIsOfNoUseIsNotKept(t *testing.T) {
	w := newSecureWorld(t)
	r := w.rogueHost(func(now int64, ep *reliable.Endpoint) {
		require.NoError(t, ep.SendTicket(now, secure.Secret{}, []byte("a token without a psk")))
	})
	c := w.client("client", &member{TB: t, w: w, node: r.node}, knows())
	w.run(time.Second)
	c.wants("1 connected")
	_, ok := c.conn.Ticket()
	require.False(t, ok, "a dial with it could not be made")
}

func TestALongSessionAlwaysHasATicketThatIsGood(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(gated())
	c := w.client("ada", h, issue(t, nil))
	w.run(31 * time.Minute)
	c.wants("1 connected")
	ticket, ok := c.conn.Ticket()
	require.True(t, ok)
	require.NoError(t, c.conn.Close())
	c.node.Wake()
	back := w.client("back", h, udp.Config{Resume: &ticket})
	w.run(time.Second)
	back.wants("1 connected")
}

func TestOfAHostThereIsNoTicket(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	w.client("client", h, knows())
	w.run(time.Second)
	_, ok := h.host.Conns()[0].(*udp.Conn).Ticket()
	require.False(t, ok)
}

func TestWhoHasATokenIsNotCountedByAddress(t *testing.T) {
	w := newSecureWorld(t)
	config := gated()
	config.MaxPeersPerAddress, config.RequireToken = 1, false
	h := w.host(config)
	node := w.member("house", nil).node
	join := func(c udp.Config) *member {
		m := w.clientOn(node, h, c)
		w.run(time.Second)
		return m
	}
	for i := range byte(3) {
		client := issue(t, func(c *secure.Claims) { c.Player[0], c.Client = i, secure.Secret{i + 1}.Public() })
		client.ClientKey = secure.Secret{i + 1}
		join(client)
	}
	require.Len(t, h.host.Conns(), 3)
	join(knows()).wants("4 connected")
	join(knows()).wants("0 dial failed: refused by the host: too many clients of one address")
}

func TestTokenKeysAreReplacedWhileAHostRuns(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(gated())
	newer := issuerKey
	newer.ID, newer.Key[0] = 8, 0x71
	require.NoError(t, h.host.SetTokenKeys(newer))
	require.Error(t, h.host.SetTokenKeys(secure.TokenKey{}), "which changes nothing")
	old := w.client("old", h, issue(t, nil))
	w.run(11 * time.Second)
	require.Len(t, old.errs, 1)
	require.Positive(t, h.drops(framing.DropTokenKey))

	require.NoError(t, h.host.SetTokenKeys(newer, issuerKey))
	w.client("both", h, issue(t, nil))
	w.run(time.Second)
	h.wants("1 connected")

	plain := listen(t, udp.Config{Protocol: udp.Base})
	require.ErrorContains(t, plain.SetTokenKeys(newer), "base protocol")
	require.Zero(t, plain.Key())
}
