package routing

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	catalogue "github.com/gannet-net/gannet/internal/testcatalogue/bytes"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// olderBuild mounts the catalogue as it was when a level could be 40 at most.
func olderBuild(t *testing.T) []msgs.Mount {
	c := &catalogue.Catalogue
	text := strings.Replace(c.Description, "Level uint8 min=1 max=50", "Level uint8 min=1 max=40", 1)
	require.NotEqual(t, c.Description, text)
	return []msgs.Mount{{Catalogue: &msgs.Catalogue{
		Name: c.Name, Protocol: c.Protocol, Codec: c.Codec, States: c.States, Entries: c.Entries,
		Description: text, Fingerprint: layout.Fingerprint(text),
	}}}
}

// requireLevel requires that err names the field, and what each side says of it.
func requireLevel(t *testing.T, err error, mine, theirs string) {
	t.Helper()
	var differ *transport.CatalogueError
	require.ErrorAs(t, err, &differ)
	var mismatch *msgs.MismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Len(t, mismatch.Differences, 1)
	d := mismatch.Differences[0]
	require.Equal(t, []string{"Level", "uint8 min=1 max=" + mine, "uint8 min=1 max=" + theirs}, []string{d.Field, d.Mine, d.Theirs})
}

func TestTwoBuildsAreBothToldOverSocketsWhichFieldDiffers(t *testing.T) {
	host := newSide(t, msgs.Config{Side: msgs.Host})
	told := make(chan error, 1)
	h, err := udp.Listen("127.0.0.1:0", udp.Config{
		Catalogue: host.Catalogue(), Handler: func(ev transport.Event) { host.Route(ev) },
		Mismatched: func(_ udp.Request, err *transport.CatalogueError) { told <- err },
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()

	older := newSide(t, msgs.Config{Side: msgs.Client, Catalogues: olderBuild(t)})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err = udp.Dial(ctx, h.Addr().String(), udp.Config{HostKey: h.Key(), Catalogue: older.Catalogue()})
	requireLevel(t, err, "40", "50")
	requireLevel(t, <-told, "50", "40")
	require.Empty(t, host.saw())

	same := newSide(t, msgs.Config{Side: msgs.Client})
	conn, err := udp.Dial(ctx, h.Addr().String(), udp.Config{HostKey: h.Key(), Catalogue: same.Catalogue()})
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

func TestTwoBuildsAreBothToldInGameLoopsWhichFieldDiffers(t *testing.T) {
	nw := &network{T: t, Network: sim.New(1)}
	nw.SetDefault(sim.Conditions{Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: sim.Percent(10)})
	nw.server = nw.Node("server")
	config := func(n *sim.Node, port uint16, s *side) udp.Config {
		c := nw.config(n, port)
		c.Protocol, c.Catalogue = udp.Secure, s.Catalogue()
		return c
	}

	host := newSide(t, msgs.Config{Side: msgs.Host})
	var told []error
	c := config(nw.server, port, host)
	c.Mismatched = func(_ udp.Request, err *transport.CatalogueError) { told = append(told, err) }
	h, err := udp.Listen("", c)
	require.NoError(t, err)
	nw.drive(nw.server, func() { host.frame(h) })

	node := nw.Node("player")
	older := newSide(t, msgs.Config{Side: msgs.Client, Catalogues: olderBuild(t)})
	conn, err := udp.Dial(context.Background(), nw.server.AddrPort(port).String(), config(node, 0, older))
	require.NoError(t, err)
	nw.drive(node, func() { older.frame(conn) })
	nw.RunFor(5 * time.Second)

	requireLevel(t, conn.Err(), "40", "50")
	require.Len(t, told, 1)
	requireLevel(t, told[0], "50", "40")
	require.Equal(t, "the host left: "+conn.Err().Error(), older.saw(), "the router tells of the dial that failed")
	require.Empty(t, host.saw())
	require.NoError(t, nw.Audit())
}
