package secure

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

func TestAHostLearnsWhatATokenSays(t *testing.T) {
	_, j := meet(t, withToken(t, nil)).joined()
	require.Equal(t, Identity{
		Kind: ByToken, Key: clientStatic.Public(), Player: [16]byte([]byte("player 1........")), Roles: 5, Expires: epoch0 + 60,
		UserData: []byte("user data"),
	}, j.Identity)
}

func TestATokenHasTheBytesOfTheProtocol(t *testing.T) {
	c := Claims{Host: hostName, Player: [16]byte{2}, Roles: 3, Issued: 4, Expires: 5, Client: Key{6}, UserData: []byte("u")}
	b, psk, err := issuerKey.Issue(newRandom(9), c)
	require.NoError(t, err)
	require.Len(t, b, 162)
	require.Equal(t, []byte{1, 7, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0}, b[:13])

	plain, err := newXChaCha(&issuerKey.Key).Open(nil, b[13:37], b[37:], b[:37])
	require.NoError(t, err)
	want := bytes.Join([][]byte{hostName[:], c.Player[:], {3, 0, 0, 0}, {4, 0, 0, 0, 0, 0, 0, 0}, psk[:], c.Client[:], []byte("u")}, nil)
	require.Equal(t, want, plain)

	opened, drop := openToken([]TokenKey{issuerKey}, b, 0)
	require.Equal(t, framing.Accepted, drop)
	require.Equal(t, c, opened.Claims)
	require.Equal(t, psk, opened.psk)
}

func TestTokensThatTheHostDoesNotTake(t *testing.T) {
	cases := map[string]struct {
		change func(k *TokenKey, c *Claims)
		drop   framing.Drop
	}{
		"of an unknown key id":     {func(k *TokenKey, _ *Claims) { k.ID = 8 }, framing.DropTokenKey},
		"of another key":           {func(k *TokenKey, _ *Claims) { k.Key[5] ^= 1 }, framing.DropTokenAuth},
		"for another host":         {func(_ *TokenKey, c *Claims) { c.Host[0] ^= 1 }, framing.DropTokenHost},
		"for another client":       {func(_ *TokenKey, c *Claims) { c.Client = Secret{0x33}.Public() }, framing.DropTokenClient},
		"31 s after it expired":    {func(_ *TokenKey, c *Claims) { c.Expires = epoch0 - 31 }, framing.DropTokenExpired},
		"30 s after it expired":    {func(_ *TokenKey, c *Claims) { c.Expires = epoch0 - 30 }, framing.Accepted},
		"long before it can exist": {func(_ *TokenKey, c *Claims) { c.Expires = -1 << 63 }, framing.DropTokenExpired},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := meet(t, withToken(t, c.change))
			answer, drop := m.give(m.auth())
			require.Equal(t, c.drop, drop)
			refused := handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: m.client.who, Code: handshake.RefusedExpired})
			require.Equal(t, drop == framing.DropTokenExpired, bytes.Equal(refused, answer))
			require.Equal(t, c.drop == framing.Accepted || c.drop == framing.DropTokenClient, m.host.Exchanges() > 0)
		})
	}
}

func TestAHostWithoutTokenKeysTakesNoToken(t *testing.T) {
	m := meet(t, withToken(t, nil))
	require.NoError(t, m.host.SetTokenKeys())
	_, drop := m.give(m.auth())
	require.Equal(t, framing.DropTokenKey, drop)
}

func TestEveryByteOfATokenCounts(t *testing.T) {
	b, _, err := issuerKey.Issue(newRandom(9), Claims{Host: hostName, Expires: 1 << 40, Client: Key{6}})
	require.NoError(t, err)
	for i := range b {
		forged := bytes.Clone(b)
		forged[i] ^= 1
		_, drop := openToken([]TokenKey{issuerKey}, forged, 0)
		require.NotEqual(t, framing.Accepted, drop, "byte %d", i)
	}
	for n := range b {
		_, drop := openToken([]TokenKey{issuerKey}, b[:n], 0)
		require.Equal(t, framing.DropTokenSize, drop, "%d bytes", n)
	}
	_, drop := openToken([]TokenKey{issuerKey}, append(b, make([]byte, 132)...), 0)
	require.Equal(t, framing.DropTokenSize, drop)
}

func TestAWrongPSKOpensNoSession(t *testing.T) {
	m := meet(t, func(h *HostConfig, c *ClientConfig) {
		withToken(t, nil)(h, c)
		c.PSK[0] ^= 1
	})
	require.True(t, m.failed().Challenged)
	require.NotZero(t, m.clientDrops[framing.DropNoise])
}

func TestATokenWorksWhileItsKeyIsReplaced(t *testing.T) {
	next := TokenKey{ID: 8, Key: Secret{0x88}}
	m := meet(t, withToken(t, nil))
	require.NoError(t, m.host.SetTokenKeys(next, issuerKey))
	m.joined()

	m = meet(t, withToken(t, func(k *TokenKey, _ *Claims) { *k = next }))
	require.NoError(t, m.host.SetTokenKeys(next, issuerKey))
	m.joined()

	m = meet(t, withToken(t, nil))
	require.NoError(t, m.host.SetTokenKeys(next))
	_, drop := m.give(m.auth())
	require.Equal(t, framing.DropTokenKey, drop, "the old key is gone")
}

func TestATokenIsForOneClientKey(t *testing.T) {
	u := usedTokens{}
	one := &token{Claims: Claims{Expires: 100}, tag: tokenTag{1}}
	for range 1000 {
		require.Equal(t, framing.Accepted, u.take(one, Key{1}, 0), "the same client may retry")
		require.Equal(t, framing.DropTokenUsed, u.take(one, Key{2}, 0))
	}
	require.Len(t, u.uses, 1)
}

func TestATokenThatNamesNoClientIsKeptByTheFirstThatComesInWithIt(t *testing.T) {
	unbound := withToken(t, func(_ *TokenKey, c *Claims) { c.Client = Key{} })
	m := meet(t, unbound)
	thief := clientConfig()
	thief.Static, thief.Seed = Secret{0x33}, [32]byte{3}
	thief.Token, thief.PSK = m.client.cfg.Token, Secret{1} // it saw the token, but not the psk
	genuine := m.client
	m.client = m.newClient(thief)
	_, drop := m.give(m.auth())
	require.Equal(t, framing.Accepted, drop)
	require.Empty(t, m.host.used.uses, "nobody has come in yet")

	m.client = genuine
	m.joined()
	require.Len(t, m.host.used.uses, 1)
	again := clientConfig()
	unbound(nil, &again)
	again.Seed = [32]byte{4}
	m.client = m.newClient(again)
	_, drop = m.give(m.auth())
	require.Equal(t, framing.Accepted, drop, "the same client may come again")

	thief.PSK, thief.Seed = again.PSK, [32]byte{5}
	m.client = m.newClient(thief)
	_, drop = m.give(m.auth())
	require.Equal(t, framing.DropTokenUsed, drop)
}

func TestOfTwoClientsWithOneTokenTheFasterComesIn(t *testing.T) {
	unbound := withToken(t, func(_ *TokenKey, c *Claims) { c.Client = Key{} })
	m := meet(t, unbound)
	answer, _ := m.give(m.auth())
	require.Equal(t, framing.Accepted, m.client.HandleDatagram(m.now, answer))
	slow := m.seal()

	other := clientConfig()
	unbound(nil, &other)
	other.Static, other.Seed = Secret{0x33}, [32]byte{3}
	m.client, m.number = m.newClient(other), 0
	m.joined()
	_, drop := m.give(slow)
	require.Equal(t, framing.DropTokenUsed, drop)
	require.Len(t, m.joins, 1)
}

func TestATokenThatNamesItsClientTakesNoRoom(t *testing.T) {
	m := meet(t, withToken(t, nil))
	m.joined()
	require.Empty(t, m.host.used.uses)
}

func TestTheTableOfUsedTokensIsBounded(t *testing.T) {
	u := usedTokens{}
	for i := range maxUsedTokens {
		require.Equal(t, framing.Accepted, u.take(&token{Claims: Claims{Expires: int64(100 + i%2)}, tag: tokenTag{byte(i), byte(i >> 8)}}, Key{1}, 0))
	}
	one := &token{Claims: Claims{Expires: 300}, tag: tokenTag{15: 1}}
	require.Equal(t, framing.DropTokenFull, u.take(one, Key{1}, 130), "all are in force, with the 30 s that clocks may differ")
	require.Equal(t, framing.Accepted, u.take(one, Key{1}, 131))
	require.Len(t, u.uses, maxUsedTokens/2+1, "those that expired are forgotten, and only those")
	require.Len(t, u.places, maxUsedTokens/2+1)
	require.Equal(t, framing.DropTokenUsed, u.take(&token{tag: tokenTag{1}}, Key{2}, 131))
	require.Equal(t, framing.Accepted, u.take(&token{Claims: Claims{Expires: 300}, tag: tokenTag{0}}, Key{2}, 131))
}

func TestAClientComesBackWithATicket(t *testing.T) {
	m := meet(t, withToken(t, nil))
	_, j := m.joined()
	ticket, psk := m.host.Ticket(m.unix, j.Identity, j.PeerID)

	c := hostConfig(m.peers)
	c.Seed, c.RequireToken = [32]byte{42}, true // the host was restarted, and has its static key from before
	again := meet(t, func(h *HostConfig, k *ClientConfig) { *h, k.Token, k.PSK = c, ticket, psk })
	again.unix += 600
	_, back := again.joined()
	require.Equal(t, j.PeerID, back.Identity.Resumed)
	back.Identity.Resumed, back.Identity.Expires = 0, j.Identity.Expires
	require.Equal(t, j.Identity, back.Identity)
}

func TestATicketIsOfNoUseToOthersOrElsewhereOrLater(t *testing.T) {
	m := meet(t, nil)
	_, j := m.joined()
	ticket, psk := m.host.Ticket(m.unix, j.Identity, j.PeerID)
	for want, change := range map[framing.Drop]func(h *HostConfig, c *ClientConfig){
		framing.DropTokenClient: func(_ *HostConfig, c *ClientConfig) { c.Static = Secret{0x33} },
		framing.DropTokenAuth:   func(h *HostConfig, c *ClientConfig) { h.Static = Secret{0x44}; c.HostKey = h.Static.Public() },
	} {
		other := meet(t, func(h *HostConfig, c *ClientConfig) { c.Token, c.PSK = ticket, psk; change(h, c) })
		_, drop := other.give(other.auth())
		require.Equal(t, want, drop)
	}
	late := meet(t, func(_ *HostConfig, c *ClientConfig) { c.Token, c.PSK = ticket, psk })
	late.unix += 600 + 31
	_, drop := late.give(late.auth())
	require.Equal(t, framing.DropTokenExpired, drop)
}

func TestATicketDoesNotMakeAClientMoreThanItWas(t *testing.T) {
	m := meet(t, nil)
	_, j := m.joined()
	ticket, psk := m.host.Ticket(m.unix, j.Identity, j.PeerID)
	_, back := meet(t, func(_ *HostConfig, c *ClientConfig) { c.Token, c.PSK = ticket, psk }).joined()
	require.Equal(t, ByKey, back.Identity.Kind)
	require.Zero(t, back.Identity.Player)

	strict := meet(t, func(h *HostConfig, c *ClientConfig) { c.Token, c.PSK, h.RequireToken = ticket, psk, true })
	_, drop := strict.give(strict.auth())
	require.Equal(t, framing.DropTokenMissing, drop)
}

func TestMistakesOfAnIssuerAreExplained(t *testing.T) {
	for want, change := range map[string]func(k *TokenKey, c *Claims){
		"TokenKey.ID is 0":     func(k *TokenKey, _ *Claims) { k.ID = 0 },
		"TokenKey.Key is zero": func(k *TokenKey, _ *Claims) { k.Key = Secret{} },
		"129 bytes is more":    func(_ *TokenKey, c *Claims) { c.UserData = make([]byte, 129) },
	} {
		k, c := issuerKey, Claims{Client: Key{1}}
		change(&k, &c)
		_, _, err := k.Issue(newRandom(1), c)
		require.ErrorContains(t, err, want)
	}
}

func TestWhereATokenIsNeededNobodyComesWithout(t *testing.T) {
	m := meet(t, func(h *HostConfig, c *ClientConfig) { withToken(t, nil)(h, c); h.RequireToken = true })
	m.joined()
	m = meet(t, func(h *HostConfig, _ *ClientConfig) { h.RequireToken = true })
	require.ErrorContains(t, m.failed(), "refused: token")
}

func TestIdentityKindsHaveNames(t *testing.T) {
	require.Equal(t, []string{"plain", "token", "key"}, []string{IdentityKind(0).String(), ByToken.String(), ByKey.String()})
}
