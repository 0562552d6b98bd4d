package drivers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// Runs and batches are cut where sizes change, where they are full, and at a flush; a buffer of the system holds all of this.
func TestABurstOfDatagramsComesOutAsItWasSent(t *testing.T) {
	sizes := []int{4, 100, 100, 50, 100, 100, 1175, 1175, 60, 60, 60, 61, 4}
	for range 3 * batchSize {
		sizes = append(sizes, 40)
	}
	for _, d := range raw() {
		t.Run(d.Name, func(t *testing.T) {
			host, client := &side{}, &side{}
			r := newRig(t, &d, peer.Setup{Use: peer.Bulk, Lanes: []peer.Promise{peer.Unreliable}, Message: maxRaw, Clients: 1}, host, client)
			var want []uint32
			for i, size := range sizes {
				r.send(r.clients[0], 0, numbered(uint32(i), size))
				want = append(want, uint32(i))
			}
			r.clients[0].Flush()
			r.gets(host, len(want))
			host.mu.Lock()
			defer host.mu.Unlock()
			require.Empty(t, host.bad)
			require.Equal(t, want, slices.Clone(host.got[0]))
		})
	}
}
