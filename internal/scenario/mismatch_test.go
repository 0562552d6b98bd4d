package scenario

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// build is the catalogue of a build of the game.
func build(n byte) transport.Catalogue {
	return transport.Catalogue{
		Fingerprint: [8]byte{n}, Description: fmt.Sprint("build ", n),
		Explain: func(theirs string) error { return fmt.Errorf("build %d here, %s there", n, theirs) },
	}
}

func TestBuildsThatDifferAreBothToldInTheBackgroundThoughTheNetworkLosesMuch(t *testing.T) {
	inBubble(t, func(b *bubble) {
		random := rand.New(rand.NewPCG(1, 2))
		b.board.delay = 20 * time.Millisecond
		b.board.loses(func([]byte, netip.AddrPort, netip.AddrPort) bool { return random.IntN(10) == 0 })
		told := make(chan error, 1)
		h, err := udp.Listen("", udp.Config{
			PacketConn: b.board.line(port), Catalogue: build(2), Mismatched: func(_ udp.Request, err *transport.CatalogueError) { told <- err },
		})
		require.NoError(b, err)
		const differ = "the two sides have different catalogues: build "
		for range 50 {
			_, err := udp.Dial(b.Context(), h.Addr().String(), udp.Config{PacketConn: b.board.line(0), HostKey: h.Key(), Catalogue: build(1)})
			require.EqualError(b, err, differ+"1 here, build 2 there")
			require.EqualError(b, <-told, differ+"2 here, build 1 there")
		}
		require.Empty(b, h.Conns())
		require.NoError(b, h.Close())
	})
}
