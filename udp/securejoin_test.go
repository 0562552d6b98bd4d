package udp_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestAdmitSeesWhoAClientIsAndWhatItBrings(t *testing.T) {
	w := newSecureWorld(t)
	var asked []udp.Request
	config := keyed()
	config.Admit = func(r udp.Request) *udp.Refusal {
		asked = append(asked, r)
		return nil
	}
	h := w.host(config)
	client := knows()
	client.ClientKey, client.ConnectData, client.Catalogue = clientKey, []byte("name=Ada"), cards("7")
	c := w.client("client", h, client)
	w.run(time.Second)
	c.wants("1 connected")
	require.Len(t, asked, 1)
	require.Equal(t, udp.Request{
		Addr: c.conn.LocalAddr(), Local: h.node.Addr(),
		Encrypted: true, Identity: secure.Identity{Kind: secure.ByKey, Key: clientKey.Public()},
		ConnectData: []byte("name=Ada"), Fingerprint: cards("7").Fingerprint,
	}, asked[0])
}

func TestBothSidesOfASecureConnectionKnowWhoIsThere(t *testing.T) {
	w := newSecureWorld(t)
	config, client := keyed(), knows()
	config.Catalogue, client.Catalogue, client.ClientKey = cards("7"), cards("7"), clientKey
	h := w.host(config)
	c := w.client("client", h, client)
	w.run(time.Second)
	peer := h.host.Find(c.conn.LocalAddr())
	require.Equal(t, secure.Identity{Kind: secure.ByKey, Key: clientKey.Public()}, peer.Identity())
	require.Equal(t, secure.Identity{Kind: secure.ByKey, Key: hostKey.Public()}, c.conn.Identity())
	require.Equal(t, h.host.Key(), hostKey.Public())
	for _, conn := range []*udp.Conn{peer, c.conn} {
		require.True(t, conn.Encrypted())
		require.True(t, conn.Authenticated())
	}
	require.True(t, c.conn.HostVerified())
	require.Equal(t, peer.ChannelBinding(), c.conn.ChannelBinding())
	require.NotZero(t, peer.ChannelBinding())
	require.Equal(t, cards("7").Fingerprint, peer.Fingerprint())
	require.Equal(t, cards("7").Fingerprint, c.conn.Fingerprint())
}

func TestAHostThatNobodyKnewBeforeIsNotVerified(t *testing.T) {
	w := newSecureWorld(t)
	c := w.client("client", w.host(udp.Config{}), udp.Config{})
	w.run(time.Second)
	c.wants("1 connected")
	require.True(t, c.conn.Encrypted())
	require.False(t, c.conn.HostVerified())
}

func TestARefusalByAdmitTakesCodeAndTextToTheClient(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.Admit = func(udp.Request) *udp.Refusal {
		return &udp.Refusal{Code: 77, Text: "the lobby is closed until Tuesday"}
	}
	h := w.host(config)
	c := w.client("client", h, knows())
	w.run(time.Second)
	c.wants("0 dial failed: refused by the host: the lobby is closed until Tuesday")
	require.Equal(t, []error{&transport.RefusedError{Code: 77, Reason: "the lobby is closed until Tuesday"}}, c.errs)
	require.Empty(t, h.log, "the host has no event of it")
	require.Empty(t, h.host.Conns())
	require.Equal(t, uint64(1), h.host.Stats().Refused)
	require.ErrorIs(t, c.conn.Send(nil, ordered), c.errs[0])
}

func TestARefusalArrivesThoughTheNetworkLosesMuch(t *testing.T) {
	w := newSecureWorld(t)
	w.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(40)})
	config := keyed()
	config.Admit = func(udp.Request) *udp.Refusal { return &udp.Refusal{Code: 1} }
	h := w.host(config)
	for i := range 20 {
		c := w.client(fmt.Sprint("client", i), h, knows())
		w.run(8 * time.Second)
		c.wants("0 dial failed: refused by the host: banned")
	}
	require.Empty(t, h.log)
}

// The world has a round trip of 20 ms.
func TestAClientIsConnectedAfterTwoRoundTrips(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(39 * time.Millisecond)
	c.wants()
	w.run(2 * time.Millisecond)
	c.wants("1 connected")
	c.say("hello", transport.SendOptions{Delivery: transport.ReliableOrdered})
	h.wants()
	w.run(10 * time.Millisecond)
	h.wants("1 connected", "1 message hello")
}

func TestAClientThatAdmitDecidesAboutIsConnectedAfterThree(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(deciding())
	c := w.client("client", h, knows())
	w.run(59 * time.Millisecond)
	c.wants()
	w.run(2 * time.Millisecond)
	c.wants("1 connected")
}

func TestOfClientsThatAskAtOnceNoneIsPromisedThePlaceOfAnother(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.MaxPeers = 1
	h := w.host(config)
	first, second := w.client("first", h, knows()), w.client("second", h, knows())
	w.run(time.Second)
	first.wants("1 connected")
	second.wants("0 dial failed: refused by the host: full")
}

func TestAHostThatIsFullSaysSoAtOnce(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.MaxPeers = 1
	h := w.host(config)
	first := w.client("first", h, knows())
	w.run(time.Second)
	second := w.client("second", h, knows())
	w.run(time.Second)
	second.wants("0 dial failed: refused by the host: full")
	require.Equal(t, []error{&transport.RefusedError{Code: transport.CodeFull, Reason: "full"}}, second.errs)
	require.NoError(t, first.conn.Close())
	first.node.Wake()
	w.run(time.Second)
	third := w.client("third", h, knows())
	w.run(time.Second)
	third.wants("3 connected")
	h.wants("1 connected", "1 disconnected: connection closed by the peer", "3 connected")
}

func TestOneAddressHasItsShareOfPeers(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.MaxPeersPerAddress = 2
	h := w.host(config)
	node := w.member("crowd", nil).node
	var last *member
	for range 3 {
		last = w.clientOn(node, h, knows())
		w.run(time.Second)
	}
	require.Len(t, h.host.Conns(), 2)
	last.wants("0 dial failed: refused by the host: too many clients of one address")
}

func TestAllAddressesOfOneIPv6NetworkHaveOneShareOfPeers(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.MaxPeersPerAddress = 2
	h := w.host(config, "2001:db8::1")
	var last *member
	for i := range 3 {
		last = w.client(fmt.Sprint("crowd", i), h, knows(), fmt.Sprintf("2001:db8:1:2::%d", i+1))
		w.run(time.Second)
	}
	require.Len(t, h.host.Conns(), 2)
	last.wants("0 dial failed: refused by the host: too many clients of one address")
	w.client("neighbour", h, knows(), "2001:db8:1:3::1")
	w.run(time.Second)
	require.Len(t, h.host.Conns(), 3)
}

func TestAnotherKeyThanTheOneDialledIsNoHost(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(udp.Config{Key: secure.Secret{5}})
	c := w.client("client", h, knows())
	w.run(11 * time.Second)
	require.Len(t, c.errs, 1)
	require.ErrorIs(t, c.errs[0], os.ErrDeadlineExceeded)
	var timeout *udp.DialTimeoutError
	require.ErrorAs(t, c.errs[0], &timeout)
	var why *secure.DialError
	require.ErrorAs(t, c.errs[0], &why)
	require.True(t, why.OtherKey)
	require.ErrorContains(t, c.errs[0], "another key than the one dialled")
	require.Empty(t, h.log)
	require.Positive(t, c.conn.HostStats().Drops[framing.DropHostKey])
}

func TestASecureDialThatNobodyAnswersSaysWhatMayBeWrong(t *testing.T) {
	w := newSecureWorld(t)
	w.base()
	h := w.host(lan())
	w.protocol = udp.Secure
	c := w.client("client", h, udp.Config{DialTimeout: 3 * time.Second})
	w.run(4 * time.Second)
	c.wants("0 dial failed: udp: dial " + h.node.AddrPort(port).String() +
		": no answer within 3s: nobody listens there, a firewall is in the way, or the host speaks the base protocol alone")
	require.Equal(t, 12, h.drops(framing.DropKind), "it never fell back to a Connect")
}

func TestADialEndsInTimeThoughItsHostFallsSilentInTheSession(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(deciding())
	client := knows()
	client.DialTimeout = 2 * time.Second
	c := w.client("client", h, client)
	w.run(45 * time.Millisecond)
	w.nw.Cut(h.node, c.node)
	w.run(1900 * time.Millisecond)
	require.Empty(t, c.log)
	w.run(200 * time.Millisecond)
	require.Len(t, c.errs, 1)
	require.ErrorAs(t, c.errs[0], new(*udp.DialTimeoutError))
	h.wants("1 connected", "1 disconnected: connection closed by the peer")
}

func TestAClientOfTheBaseProtocolPlaysBesideSecureOnes(t *testing.T) {
	w := newSecureWorld(t)
	var asked []udp.Request
	config := keyed()
	config.Admit = func(r udp.Request) *udp.Refusal {
		asked = append(asked, r)
		return nil
	}
	h := w.host(config)
	safe := w.client("safe", h, knows())
	w.run(time.Second)
	w.base()
	plain := w.client("plain", h, udp.Config{})
	w.run(time.Second)
	safe.wants("1 connected")
	plain.wants("2 connected")
	h.wants("1 connected", "2 connected")
	require.Equal(t, secure.ByNothing, asked[1].Identity.Kind)
	require.False(t, asked[1].Encrypted)
	peer := h.host.Find(plain.conn.LocalAddr())
	require.False(t, peer.Encrypted())
	require.False(t, peer.Authenticated())
	require.Zero(t, peer.MaxPayload(transport.Sequenced))
	require.NoError(t, h.host.Broadcast([]byte("to all"), ordered))
	h.node.Wake()
	w.run(time.Second)
	safe.wants("1 message to all")
	plain.wants("2 message to all")
}

func TestASecureHostServesTheBaseProtocolToWhomPlainAllows(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(udp.Config{Plain: udp.PlainNever})
	r := w.raw("stranger", h)
	r.connect(version)
	w.neighbour(h).connect(version)
	r.wantsNothing()
	require.Equal(t, 2, h.drops(framing.DropPolicy))
}

func TestPlainDatagramsFromTheAddressOfASecurePeerAreDropped(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	for kind := framing.KindConnect; kind <= framing.KindDisconnect; kind++ {
		require.NoError(t, c.sock.Write(append([]byte{byte(kind)}, "forged"...), h.node.AddrPort(port), c.node.Addr()))
	}
	w.run(time.Second)
	require.Equal(t, 8, h.drops(framing.DropPlainOnSecure))
	h.wants("1 connected")
	c.wants("1 connected")
}

func TestAKickTakesCodeAndTextToThePeer(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	h.host.Find(c.conn.LocalAddr()).Kick(404, "no such team")
	h.node.Wake()
	w.run(time.Second)
	h.wants("1 connected", "1 disconnected: connection kicked: no such team")
	c.wants("1 connected", "1 disconnected: connection closed by the peer: no such team")
	require.Equal(t, []error{&transport.DisconnectError{Cause: transport.ClosedByPeer, Code: 404, Text: "no such team"}}, c.errs)
}

func TestANewerConnectionOfTheSamePlayerTakesOver(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	mine := knows()
	mine.ClientKey = clientKey
	old := w.client("laptop", h, mine)
	other := w.client("somebody", h, knows())
	w.run(time.Second)
	h.log = nil
	newer := w.client("phone", h, mine)
	w.run(time.Second)
	h.wants("1 disconnected: connection replaced by a newer one of the same player", "3 connected")
	require.Equal(t, transport.Replaced, h.errs[0].(*transport.DisconnectError).Cause)
	old.wants("1 connected", "1 disconnected: connection closed by the peer: replaced")
	require.Equal(t, transport.CodeReplaced, old.errs[0].(*transport.DisconnectError).Code)
	newer.wants("3 connected")
	other.wants("2 connected")
	require.Len(t, h.host.Conns(), 2)
}

func TestWhoIsNotAdmittedTakesNothingOver(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	admitted := 0
	config.Admit = func(udp.Request) *udp.Refusal {
		if admitted++; admitted > 1 {
			return &udp.Refusal{Text: "once"}
		}
		return nil
	}
	h := w.host(config)
	mine := knows()
	mine.ClientKey = clientKey
	old := w.client("laptop", h, mine)
	w.run(time.Second)
	w.client("phone", h, mine).wants()
	w.run(time.Second)
	h.wants("1 connected")
	old.wants("1 connected")
}

func TestACrashedPlayerComesBackToAFullHost(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.MaxPeers = 1
	h := w.host(config)
	mine := knows()
	mine.ClientKey = clientKey
	crashed := w.client("crashed", h, mine)
	w.run(time.Second)
	crashed.node.Kill()
	again := w.client("again", h, mine)
	w.run(time.Second)
	again.wants("2 connected")
	require.Len(t, h.host.Conns(), 1)
}

func TestAClientLearnsWithinASecondThatItsHostWasRestarted(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	c.wants("1 connected")
	again := w.restart(h, keyed())
	w.run(1100 * time.Millisecond)
	c.wants("1 disconnected: connection forgotten by the host, which was restarted")
	require.Equal(t, transport.Forgotten, c.errs[0].(*transport.DisconnectError).Cause)
	require.Empty(t, again.log)
}

func TestAPeerThatMissedTheGoodbyesIsToldAgain(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	w.nw.Cut(c.node, h.node)
	w.nw.Cut(h.node, c.node)
	h.host.Find(c.conn.LocalAddr()).Kick(9, "go")
	h.node.Wake()
	w.run(500 * time.Millisecond)
	w.nw.Heal(c.node, h.node)
	w.nw.Heal(h.node, c.node)
	w.run(time.Second)
	c.wants("1 connected", "1 disconnected: connection closed by the peer: go")
	require.Equal(t, 1, h.drops(framing.DropClosed))
}

func TestASessionThatEndedIsForgottenAfterThreeSeconds(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	w.nw.Cut(c.node, h.node)
	w.nw.Cut(h.node, c.node)
	h.host.Find(c.conn.LocalAddr()).Kick(9, "go")
	h.node.Wake()
	w.run(4 * time.Second)
	w.nw.Heal(c.node, h.node)
	w.nw.Heal(h.node, c.node)
	w.run(1500 * time.Millisecond)
	c.wants("1 connected", "1 disconnected: connection forgotten by the host, which was restarted")
	require.Equal(t, 1, h.drops(framing.DropNoPeer))
	require.Equal(t, noDeadline, h.host.NextDeadline(), "nothing is left")
}

func TestWhoTimesOutAtTheHostLearnsItAtOnceWhenTheNetworkIsBack(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(udp.Config{Key: hostKey, Timeout: 4 * time.Second})
	c := w.client("client", h, udp.Config{HostKey: hostKey.Public(), Timeout: time.Minute})
	w.run(time.Second)
	w.nw.Cut(c.node, h.node)
	w.nw.Cut(h.node, c.node)
	w.run(5 * time.Second)
	h.wants("1 connected", "1 disconnected: connection timed out")
	w.nw.Heal(c.node, h.node)
	w.nw.Heal(h.node, c.node)
	w.run(1100 * time.Millisecond)
	c.wants("1 connected", "1 disconnected: connection forgotten by the host, which was restarted")
}

func TestADialGivenUpBeforeTheHostAnsweredLeavesNothing(t *testing.T) {
	for _, after := range []time.Duration{5, 15, 25, 35, 45, 55} {
		w := newSecureWorld(t)
		h := w.host(deciding())
		c := w.client("client", h, knows())
		w.run(after * time.Millisecond)
		require.Empty(t, c.log)
		require.ErrorIs(t, c.conn.Send(nil, ordered), transport.ErrNotConnected)
		require.Zero(t, c.conn.Sendable())
		c.conn.Abort()
		c.node.Wake()
		w.run(6 * time.Second)
		c.wants("0 dial failed: connection closed locally")
		require.Empty(t, h.host.Conns())
		if len(h.log) > 0 {
			h.wants("1 connected", "1 disconnected: connection closed by the peer")
		}
		require.Equal(t, noDeadline, h.host.NextDeadline())
	}
}

func TestAClientThatWasAdmittedLearnsThatItsHostWasRestartedMeanwhile(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(45 * time.Millisecond)
	again := w.restart(h, keyed())
	w.run(time.Second)
	c.wants("1 connected", "1 disconnected: connection forgotten by the host, which was restarted")
	again.wants()
}

func TestAHostThatClosesForgetsWhoHasNotConfirmed(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	free := h.host.FreeIDs()
	w.client("client", h, knows())
	for range 100 {
		if h.host.FreeIDs() < free {
			break
		}
		w.run(time.Millisecond)
	}
	require.Equal(t, free-1, h.host.FreeIDs(), "somebody has an id")
	require.Empty(t, h.host.Conns(), "and no session yet")
	require.NoError(t, h.host.Close())
	require.Equal(t, free, h.host.FreeIDs())
}

func TestAHostThatClosesLetsItsPeersGo(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	late := w.client("late", h, udp.Config{HostKey: hostKey.Public(), DialTimeout: 3 * time.Second})
	w.run(25 * time.Millisecond)
	send(t, h.host.Conns()[0], "last words", ordered)
	require.NoError(t, h.host.Close())
	h.node.Wake()
	w.run(time.Second)
	require.True(t, h.host.Closed())
	require.Equal(t, noDeadline, h.host.NextDeadline(), "what it remembers is of no use any more")
	w.run(4 * time.Second)
	h.wants("1 connected", "1 disconnected: connection closed locally")
	c.wants("1 connected", "1 message last words", "1 disconnected: connection closed by the peer")
	require.Len(t, late.errs, 1)
	require.ErrorIs(t, late.errs[0], os.ErrDeadlineExceeded)
}

func TestASessionIsAsGoodAfterItsHostWasRestartedDuringTheHandshake(t *testing.T) {
	for _, after := range []time.Duration{5, 15, 25, 35, 45} {
		w := newSecureWorld(t)
		h := w.host(deciding())
		c := w.client("client", h, knows())
		w.run(after * time.Millisecond)
		again := w.restart(h, deciding())
		w.run(4 * time.Second)
		c.wants("1 connected")
		again.wants("1 connected")
	}
}

func TestAHostThatClosesTellsWhoWaitsForAdmit(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	h := listen(t, udp.Config{Admit: func(udp.Request) *udp.Refusal {
		close(asked)
		<-answer
		return nil
	}})
	failed := make(chan error)
	go func() {
		_, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{})
		failed <- err
	}()
	<-asked
	h.Abort()
	require.Equal(t, &transport.RefusedError{Code: transport.CodeFull, Reason: "the host is closing"}, <-failed)
	close(answer)
	require.NoError(t, h.Close())
	require.Zero(t, h.Stats().Admitted)
}

func TestAdmitIsAskedOnceForEachClientThatWaits(t *testing.T) {
	release := make(chan struct{})
	h := listen(t, udp.Config{Admit: func(r udp.Request) *udp.Refusal {
		<-release
		return nil
	}})
	conns := make(chan *udp.Conn)
	for range 5 {
		go func() {
			conn, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{})
			require.NoError(t, err)
			conns <- conn
		}()
	}
	require.Eventually(t, func() bool { return h.Stats().Exchanges >= 5 }, patience, time.Millisecond)
	require.Empty(t, h.Conns())
	close(release)
	for range 5 {
		conn := <-conns
		t.Cleanup(func() { finish(conn) })
		accept(t, h)
	}
	require.Len(t, h.Conns(), 5)
	require.Equal(t, uint64(5), h.Stats().Admitted)
}

func TestADialThatAdmitLetsWaitTooLongSaysSo(t *testing.T) {
	release := make(chan struct{})
	h := listen(t, udp.Config{Admit: func(udp.Request) *udp.Refusal { <-release; return nil }})
	_, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{DialTimeout: 200 * time.Millisecond})
	require.ErrorContains(t, err, "its Admit has not answered yet")
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	close(release)
	require.NoError(t, h.Close(), "nothing is left of it")
	require.Zero(t, h.Stats().Admitted)
}
