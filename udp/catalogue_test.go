package udp_test

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// cards is a catalogue that its text describes, and that calls itself by the first word of it.
func cards(text string) transport.Catalogue {
	name := func(text string) string { return strings.TrimRight(text, ".") }
	sum := sha256.Sum256([]byte(text))
	return transport.Catalogue{
		Fingerprint: [8]byte(sum[:]), Description: text,
		Explain: func(theirs string) error { return fmt.Errorf("%s here, %.20s there", name(text), name(theirs)) },
	}
}

// long makes a description as long as one may be.
func long(text string) string { return text + strings.Repeat(".", transport.MaxDescription-len(text)) }

// apart is what a side with cards of its own says about the other's.
func apart(mine, theirs string) string {
	return "the two sides have different catalogues: " + mine + " here, " + theirs + " there"
}

const undescribed = "the two sides have different catalogues, and the other one did not describe its own"

// dealer is a host with cards that writes down whom it turned away.
func dealer(text string, told *[]string) udp.Config {
	c := keyed()
	c.Catalogue = cards(text)
	c.Mismatched = func(r udp.Request, err *transport.CatalogueError) { *told = append(*told, err.Error()) }
	return c
}

// plays is a client with cards.
func plays(text string) udp.Config {
	c := knows()
	c.Catalogue = cards(text)
	return c
}

func TestBothSidesOfDifferentCataloguesAreToldWhatDiffers(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.Catalogue = cards("new")
	var clients []udp.Request
	var errs []error
	config.Mismatched = func(r udp.Request, err *transport.CatalogueError) {
		clients, errs = append(clients, r), append(errs, err)
	}
	config.Admit = func(udp.Request) *udp.Refusal {
		require.Fail(t, "Admit is asked about a client that cannot play")
		return nil
	}
	h := w.host(config)
	old := plays("old")
	old.ConnectData = []byte("name=Ada")
	c := w.client("client", h, old)
	w.run(time.Second)

	c.wants("0 dial failed: " + apart("old", "new"))
	require.ErrorContains(t, c.errs[0].(*transport.CatalogueError).Err, "old here")
	require.Equal(t, c.errs[0], c.conn.Err())
	require.ErrorIs(t, c.conn.Send(nil, ordered), c.errs[0])
	require.Len(t, errs, 1)
	require.EqualError(t, errs[0], apart("new", "old"))
	require.Equal(t, "name=Ada", string(clients[0].ConnectData))
	require.Equal(t, cards("old").Fingerprint, clients[0].Fingerprint)
	require.Equal(t, c.conn.LocalAddr(), clients[0].Addr)

	require.Empty(t, h.log, "the host has no event of it")
	require.Empty(t, h.host.Conns())
	stats := h.host.Stats()
	require.Equal(t, []uint64{1, 0, 0}, []uint64{stats.Mismatched, stats.Admitted, stats.Refused})
}

func TestSidesThatHaveNothingToCompareJoin(t *testing.T) {
	for _, row := range [][2]string{{"same", "same"}, {"", "one"}, {"one", ""}, {"", ""}} {
		t.Run(row[0]+"/"+row[1], func(t *testing.T) {
			w := newSecureWorld(t)
			host, client := keyed(), knows()
			if row[0] != "" {
				host.Catalogue = cards(row[0])
			}
			if row[1] != "" {
				client.Catalogue = cards(row[1])
			}
			h := w.host(host)
			c := w.client("client", h, client)
			w.run(time.Second)
			c.wants("1 connected")
			h.wants("1 connected")
			require.Zero(t, h.host.Stats().Mismatched)
		})
	}
}

func TestAMismatchIsExplainedThoughTheNetworkLosesMuch(t *testing.T) {
	w := newSecureWorld(t)
	w.nw.SetDefault(sim.Conditions{Delay: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: sim.Percent(10), Duplicate: sim.Percent(1)})
	var told []string
	h := w.host(dealer("new", &told))
	const n = 40
	for i := range n {
		c := w.client(fmt.Sprint("client", i), h, plays("old"))
		w.run(5 * time.Second)
		c.wants("0 dial failed: " + apart("old", "new"))
	}
	require.Len(t, told, n)
	for _, line := range told {
		require.Equal(t, apart("new", "old"), line)
	}
}

func TestTheLongestDescriptionsPassThoughTheNetworkLosesMuch(t *testing.T) {
	for name, row := range map[string][2]string{
		"both":   {long("new"), long("old")},
		"host":   {long("new"), "old"},
		"client": {"new", long("old")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t)
			w.nw.SetDefault(sim.Conditions{Delay: 30 * time.Millisecond, Loss: sim.Percent(10)})
			var told []string
			host, client := dealer(row[0], &told), plays(row[1])
			for _, c := range []*udp.Config{&host, &client} { // what suits a game may be too little
				c.SendQueueBytes, c.UnreadBytes, c.WindowBytes, c.Linger = 1200, 1200, 1200, time.Millisecond
			}
			h := w.host(host)
			c := w.client("client", h, client)
			w.run(8 * time.Second)
			c.wants("0 dial failed: " + apart("old", "new"))
			require.Equal(t, []string{apart("new", "old")}, told)
		})
	}
}

func TestAMismatchIsLoggedOnceInTenSeconds(t *testing.T) {
	w := newSecureWorld(t)
	lines := new(lines)
	config := keyed()
	config.Catalogue, config.Logger = cards("new"), slog.New(slog.NewTextHandler(lines, nil))
	h := w.host(config)
	for i := range 4 {
		w.client(fmt.Sprint("client", i), h, plays("old"))
		w.run(time.Second)
	}
	require.Equal(t, 1, lines.count("new here, old there"))
	require.Equal(t, 4, int(h.host.Stats().Mismatched))
}

func TestTextsAreExplainedOnceASecond(t *testing.T) {
	w := newSecureWorld(t)
	var told []string
	config := dealer("new", &told)
	explain, explained := config.Catalogue.Explain, 0
	config.Catalogue.Explain = func(theirs string) error {
		explained++
		return explain(theirs)
	}
	h := w.host(config)
	for _, text := range []string{"old", "old", "older", "old"} {
		w.client(fmt.Sprint("client", len(told)), h, plays(text))
		w.run(200 * time.Millisecond)
	}
	const unexplained = "the two sides have different catalogues: what differs was not worked out, since that of another client was less than a second ago"
	require.Equal(t, []string{apart("new", "old"), apart("new", "old"), unexplained, apart("new", "old")}, told)
	w.run(time.Second)
	w.client("late", h, plays("older"))
	w.run(200 * time.Millisecond)
	require.Equal(t, apart("new", "older"), told[4])
	require.Equal(t, 2, explained)
}

func TestAClientWithAnotherCatalogueTakesNoPlaceAndNoSessionOver(t *testing.T) {
	w := newSecureWorld(t)
	var told []string
	config := dealer("new", &told)
	config.MaxPeers = 1
	h := w.host(config)
	player := plays("new")
	player.ClientKey = clientKey
	c := w.client("player", h, player)
	w.run(time.Second)
	player.Catalogue = cards("old")
	again := w.client("again", h, player)
	w.run(time.Second)
	again.wants("0 dial failed: " + apart("old", "new"))
	c.wants("1 connected")
	h.wants("1 connected")
	require.Equal(t, 1, h.host.Stats().Peers)
}

func TestAClientMayGiveUpWhileDescriptionsAreExchanged(t *testing.T) {
	for name, giveUp := range map[string]func(*udp.Conn){
		"close": func(c *udp.Conn) { require.NoError(t, c.Close()) },
		"abort": (*udp.Conn).Abort,
	} {
		for _, text := range []string{"new", long("new")} { // the client has got the short one
			t.Run(fmt.Sprint(name, len(text)), func(t *testing.T) {
				w := newSecureWorld(t)
				var told []string
				h := w.host(dealer(text, &told))
				c := w.client("client", h, plays(long("old")))
				w.run(70 * time.Millisecond)
				require.Equal(t, 1, int(h.host.Stats().Mismatched), "the exchange has begun")
				giveUp(c.conn)
				c.node.Wake()
				w.run(time.Second)
				c.wants("0 dial failed: connection closed locally")
				require.Equal(t, []string{undescribed}, told)
			})
		}
	}
}

func TestAHostThatClosesEndsAnExchangeAtOnce(t *testing.T) {
	w := newSecureWorld(t)
	var told []string
	h := w.host(dealer("new", &told))
	c := w.client("client", h, plays(long("old")))
	w.run(70 * time.Millisecond)
	require.Equal(t, 1, int(h.host.Stats().Mismatched), "the exchange has begun")
	require.NoError(t, h.host.Close())
	h.node.Wake()
	w.run(200 * time.Millisecond)
	require.True(t, h.host.Closed())
	require.Equal(t, []string{undescribed}, told)
	require.Len(t, c.errs, 1)
	require.ErrorAs(t, c.errs[0], new(*transport.CatalogueError))
}

func TestTheEndOfADialBoundsAnExchange(t *testing.T) {
	w := newSecureWorld(t)
	var told []string
	h := w.host(dealer("new", &told))
	client := plays("old")
	client.DialTimeout = time.Second
	c := w.client("client", h, client)
	w.run(45 * time.Millisecond)
	w.nw.Cut(h.node, c.node)
	w.run(2500 * time.Millisecond)
	require.Empty(t, c.log, "its own description may still arrive")
	w.run(2 * time.Second)
	c.wants("0 dial failed: " + undescribed)
}

func TestABackgroundDialReturnsWhatDiffers(t *testing.T) {
	told := make(chan error, 1)
	config := udp.Config{Catalogue: cards("new"), Mismatched: func(_ udp.Request, err *transport.CatalogueError) { told <- err }}
	h, err := udp.Listen("127.0.0.1:0", config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	_, err = udp.Dial(testContext(t), h.Addr().String(), udp.Config{HostKey: h.Key(), Catalogue: cards("old")})
	require.EqualError(t, err, apart("old", "new"))
	require.ErrorAs(t, err, new(*transport.CatalogueError))
	require.EqualError(t, <-told, apart("new", "old"))

	conn, err := udp.Dial(testContext(t), h.Addr().String(), udp.Config{HostKey: h.Key(), Catalogue: cards("new")})
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, uint64(1), h.Stats().Mismatched)
}

func TestACatalogueThatComparesNothingIsAnError(t *testing.T) {
	whole := cards("new")
	change := func(f func(*transport.Catalogue)) udp.Config {
		c := whole
		f(&c)
		return udp.Config{Catalogue: c}
	}
	for want, c := range map[string]udp.Config{
		"set Version to the protocol string of the catalogue": {Protocol: udp.Base, Catalogue: whole},
		"a Fingerprint of zeros":                              change(func(c *transport.Catalogue) { c.Fingerprint = [8]byte{} }),
		"has no Description":                                  change(func(c *transport.Catalogue) { c.Description = "" }),
		"has no Explain":                                      change(func(c *transport.Catalogue) { c.Explain = nil }),
		"it must be at most 524288":                           change(func(c *transport.Catalogue) { c.Description = long("new") + "." }),
		"Config.Mismatched: is never called":                  {Mismatched: func(udp.Request, *transport.CatalogueError) {}},
	} {
		_, err := udp.Listen("127.0.0.1:0", c)
		require.ErrorAs(t, err, new(*udp.ConfigError))
		require.ErrorContains(t, err, want)
	}
}

func TestAGameLoopOnSocketsIsToldWhatDiffers(t *testing.T) {
	var told []string
	config := dealer("new", &told)
	config.Driving = udp.GameLoop
	h, err := udp.Listen("127.0.0.1:0", config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()); h.Poll() })
	client := plays("old")
	client.Driving = udp.GameLoop
	conn, err := udp.Dial(testContext(t), h.Addr().String(), client)
	require.NoError(t, err)
	var events []transport.Event
	loop(t, func() bool { return len(events) > 0 && len(told) > 0 }, func(ev transport.Event) { events = append(events, ev) }, h, conn)
	require.Len(t, events, 1)
	require.Equal(t, transport.DialFailed, events[0].Kind)
	require.EqualError(t, events[0].Err, apart("old", "new"))
	require.Equal(t, []string{apart("new", "old")}, told)
}
