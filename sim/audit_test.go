package sim

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAuditFindsBooksThatDoNotBalance plants one mistake after the other: an audit that never fails would prove
// nothing.
func TestAuditFindsBooksThatDoNotBalance(t *testing.T) {
	nw := New(1)
	a, b := nw.Node("a"), nw.Node("b")
	s, _ := a.Listen(1)
	r, _ := b.Listen(1)
	nw.SetDefault(Conditions{Delay: time.Millisecond, Rate: 1_000_000})
	for range 5 {
		require.NoError(t, s.Write(make([]byte, 100), b.AddrPort(1), netip.Addr{}))
		nw.RunFor(time.Millisecond)
	}
	require.NotZero(t, r.Waiting())
	require.NotZero(t, nw.Counts().InFlight)
	require.NoError(t, nw.Audit())
	c := &nw.link(a, b).counts
	for name, counter := range map[string]*uint64{"sent": &c.Sent, "duplicated": &c.Duplicated, "delivered": &c.Delivered,
		"lost": &c.Drops[DropLoss], "in flight": &c.InFlight, "read": &c.Read, "waiting": &c.Waiting, "discarded": &c.Discarded} {
		*counter++
		require.Error(t, nw.Audit(), name)
		*counter--
	}
	c.Sent++
	c.InFlight++
	require.Error(t, nw.Audit(), "the counters agree, but nothing is there")
	c.Sent--
	c.InFlight--
	slot, _ := nw.slab.take()
	require.Error(t, nw.Audit(), "a datagram that nobody has")
	nw.slab.give(slot)
	require.NoError(t, nw.Audit())
}
